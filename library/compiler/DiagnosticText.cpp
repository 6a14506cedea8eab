//===- DiagnosticText.cpp - Diagnostics as JSON ---------------------------===//
#include "tilewright/compiler/DiagnosticText.h"

#include "runtime/abi/Json.h"

namespace tilewright {

using runtime::Json;

static Json asJson(std::span<const Diagnostic> diagnostics) {
  Json array = Json::array();
  for (const Diagnostic &diagnostic : diagnostics) {
    Json object = {{"severity", severityName(diagnostic.severity)},
                   {"code", diagnostic.code}};
    const SourceRange &where = diagnostic.where;
    if (!where.file.empty())
      object["file"] = where.file;
    if (where.line)
      object["line"] = where.line;
    if (where.column)
      object["column"] = where.column;
    object["message"] = diagnostic.message;
    object["notes"] = asJson(diagnostic.notes);
    array.push_back(std::move(object));
  }
  return array;
}

std::string diagnosticsAsJson(std::span<const Diagnostic> diagnostics) {
  // What is no UTF-8 is replaced.
  return asJson(diagnostics)
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace tilewright
