// What a compiler or a checker has to say of a location in its input, as data.
#ifndef TILEWRIGHT_SUPPORT_DIAGNOSTIC_H
#define TILEWRIGHT_SUPPORT_DIAGNOSTIC_H

#include "tilewright/support/Export.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// A location in a file, lines and columns from 1; 0 where not known. No file:
/// the location is not known.
struct SourceRange {
  std::string file;
  uint32_t line = 0, column = 0;
  /// The last character; 0 where only the first is known.
  uint32_t endLine = 0, endColumn = 0;

  friend bool operator==(const SourceRange &, const SourceRange &) = default;
};

enum class Severity : uint8_t { error, warning, remark, note };
/// "error", "warning", ..
[[nodiscard]] TILEWRIGHT_API const char *severityName(Severity severity);

/// One finding.
struct Diagnostic {
  Severity severity = Severity::error;
  /// Stable across versions: the rule that was broken ("dot_c2"), or what kind
  /// of finding this is ("budget_time").
  std::string code;
  SourceRange where;
  /// What was expected and what was found; one line, no full stop.
  std::string message;
  /// At other locations involved.
  std::vector<Diagnostic> notes;

  friend bool operator==(const Diagnostic &, const Diagnostic &) = default;
};

/// `FILE:LINE:COLUMN: error: MESSAGE (CODE)` and a line for each note. Lines
/// end in '\n' but the last.
[[nodiscard]] TILEWRIGHT_API std::string
printDiagnostic(const Diagnostic &diagnostic);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_DIAGNOSTIC_H
