// What simulator and verifier say of a schedule that the machine cannot run.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_FINDING_H
#define TILEWRIGHT_SPATIAL_PROGRAM_FINDING_H

#include "tilewright/support/Export.h"
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::spatial {

/// docs/spatial.md says what each is.
enum class FindingCode : uint8_t {
#define FINDING(ENUMERATOR, NAME) ENUMERATOR,
#include "spatial/program/Findings.inc"
#undef FINDING
};
/// "missing-operand".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view
findingName(FindingCode code);

struct Finding {
  FindingCode code = FindingCode::missingOperand;
  /// When and where it shows; -1 where it has no cycle (lengths, placements).
  int64_t cycle = -1, chip = 0;
  /// "u4.a0"; empty where no queue is involved.
  std::string queue;
  /// The line that it shows at: "chip-0.txt" and its number, or
  /// "manifest.json" and 0.
  std::string file;
  uint32_t line = 0;
  /// What was expected and what was found; one line, no full stop.
  std::string message;
};

/// "chip-0.txt:6: error: MESSAGE (missing-operand)", with cycle, chip and
/// queue.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
printFinding(const Finding &finding);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_FINDING_H
