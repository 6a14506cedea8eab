// Status values as exceptions of Python.
#ifndef TILEWRIGHT_PYTHON_SRC_ERRORS_H
#define TILEWRIGHT_PYTHON_SRC_ERRORS_H

#include "tilewright/compiler/CompileRequest.h"
#include "tilewright/support/Status.h"
#include <nanobind/nanobind.h>
#include <vector>

namespace tilewright::python {

namespace nb = nanobind;

/// Raises tilewright.Error. Needs the interpreter's lock, as all here do.
[[noreturn]] void raise(const Status &status,
                        const std::vector<Diagnostic> &diagnostics = {});

/// Raises `status` where it is a failure.
inline void check(const Status &status) {
  if (!status.ok())
    raise(status);
}

/// The value, or raises.
template <class T> T take(StatusOr<T> value) {
  check(value.status());
  return *std::move(value);
}

/// Lists of tilewright.Diagnostic and of tilewright.Remark.
nb::list toPython(const std::vector<Diagnostic> &diagnostics);
nb::list toPython(const std::vector<Remark> &remarks);

/// A class of tilewright._data.
nb::object dataClass(const char *name);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SRC_ERRORS_H
