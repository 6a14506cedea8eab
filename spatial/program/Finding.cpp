#include "spatial/program/Finding.h"

#include "support/Format.h"

namespace tilewright::spatial {

std::string_view findingName(FindingCode code) {
  switch (code) {
#define FINDING(ENUMERATOR, NAME)                                              \
  case FindingCode::ENUMERATOR:                                                \
    return NAME;
#include "spatial/program/Findings.inc"
#undef FINDING
  }
  return "unknown";
}

std::string printFinding(const Finding &finding) {
  std::string where = finding.file;
  if (finding.line)
    where += format(":{}", {finding.line});
  std::string when;
  if (finding.cycle >= 0)
    when = format("cycle {}, ", {finding.cycle});
  when += format("chip {}", {finding.chip});
  if (!finding.queue.empty())
    when += " " + finding.queue;
  return format(
      "{}: error: {}: {} ({})",
      {where, when, finding.message, std::string(findingName(finding.code))});
}

} // namespace tilewright::spatial
