#include "Errors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

namespace tilewright::python {

nb::object dataClass(const char *name) {
  return nb::module_::import_("tilewright._data").attr(name);
}

nb::list toPython(const std::vector<Diagnostic> &diagnostics) {
  nb::list list;
  for (const Diagnostic &d : diagnostics)
    list.append(dataClass("Diagnostic")(
        severityName(d.severity), d.code, d.where.file, d.where.line,
        d.where.column, d.message, nb::tuple(toPython(d.notes))));
  return list;
}

static const char *kindName(Remark::Kind kind) {
  switch (kind) {
  case Remark::Kind::applied:
    return "applied";
  case Remark::Kind::missed:
    return "missed";
  case Remark::Kind::analysis:
    return "analysis";
  }
  return "analysis";
}

nb::list toPython(const std::vector<Remark> &remarks) {
  nb::list list;
  for (const Remark &r : remarks) {
    nb::dict arguments;
    for (const auto &[name, value] : r.arguments)
      arguments[nb::cast(name)] = value;
    list.append(dataClass("Remark")(kindName(r.kind), r.code, r.pass, r.kernel,
                                    r.where.file, r.where.line, r.where.column,
                                    r.message, arguments));
  }
  return list;
}

void raise(const Status &status, const std::vector<Diagnostic> &diagnostics) {
  // What a signal's handler raised ended the work.
  if (PyErr_Occurred())
    throw nb::python_error();
  nb::object code = nb::cast(statusCodeName(status.code()));
  nb::object type = dataClass("ERRORS")[code];
  nb::object error = type(code, status.message(), toPython(diagnostics));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

} // namespace tilewright::python
