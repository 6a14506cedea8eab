#include "tilewright/support/Diagnostic.h"

namespace tilewright {

const char *severityName(Severity severity) {
  switch (severity) {
  case Severity::error:
    return "error";
  case Severity::warning:
    return "warning";
  case Severity::remark:
    return "remark";
  case Severity::note:
    return "note";
  }
  return "";
}

static void print(const Diagnostic &diagnostic, std::string &text) {
  const SourceRange &where = diagnostic.where;
  if (!where.file.empty()) {
    text += where.file + ":";
    if (where.line)
      text += std::to_string(where.line) + ":";
    if (where.line && where.column)
      text += std::to_string(where.column) + ":";
    text += " ";
  }
  text += severityName(diagnostic.severity) + (": " + diagnostic.message);
  if (!diagnostic.code.empty())
    text += " (" + diagnostic.code + ")";
  for (const Diagnostic &note : diagnostic.notes) {
    text += "\n";
    print(note, text);
  }
}

std::string printDiagnostic(const Diagnostic &diagnostic) {
  std::string text;
  print(diagnostic, text);
  return text;
}

} // namespace tilewright
