#include "tileir/diagnostics/DiagnosticData.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright {

bool isOpText(mlir::Diagnostic &note) {
  return StringRef(note.str()).starts_with("see current operation");
}

SourceRange sourceRange(Location location) {
  SourceRange range;
  if (auto found = location->findInstanceOf<FileLineColRange>()) {
    range.file = found.getFilename().str();
    range.line = found.getStartLine();
    range.column = found.getStartColumn();
    if (found.getEndLine() != range.line ||
        found.getEndColumn() != range.column) {
      range.endLine = found.getEndLine();
      range.endColumn = found.getEndColumn();
    }
  }
  return range;
}

std::string locationText(Location location) {
  SourceRange range = sourceRange(location);
  if (!range.file.empty())
    return range.file + ":" + std::to_string(range.line) + ":" +
           std::to_string(range.column);
  if (auto named = location->findInstanceOf<NameLoc>())
    return "node '" + named.getName().str() + "'";
  return "";
}

std::string locationPrefix(Location location) {
  std::string found = locationText(location);
  return found.empty() ? "" : found + ": ";
}

std::string withNotes(mlir::Diagnostic &diagnostic) {
  std::string text =
      locationPrefix(diagnostic.getLocation()) + diagnostic.str();
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (!isOpText(note))
      text += "\n" + locationPrefix(note.getLocation()) + "note: " + note.str();
  return text;
}

static Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::error;
  case DiagnosticSeverity::Warning:
    return Severity::warning;
  case DiagnosticSeverity::Remark:
    return Severity::remark;
  case DiagnosticSeverity::Note:
    return Severity::note;
  }
  return Severity::error;
}

/// Splits "text (dot_c2)".
static std::pair<StringRef, StringRef> splitLabel(StringRef message) {
  StringRef rest = message.rtrim();
  if (!rest.consume_back(")"))
    return {message, ""};
  auto [text, label] = rest.rsplit(" (");
  StringRef number = label.rsplit("_c").second;
  bool isLabel =
      !number.empty() && llvm::all_of(number, llvm::isDigit) &&
      llvm::all_of(label, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  return isLabel ? std::pair(text, label) : std::pair(message, StringRef());
}

Diagnostic toDiagnostic(mlir::Diagnostic &diagnostic) {
  Diagnostic result;
  result.severity = severityOf(diagnostic.getSeverity());
  std::string message = diagnostic.str();
  auto [text, label] = splitLabel(message);
  result.message = text.str();
  result.code = label.str();
  result.where = sourceRange(diagnostic.getLocation());
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (!isOpText(note))
      result.notes.push_back(toDiagnostic(note));
  return result;
}

} // namespace tilewright
