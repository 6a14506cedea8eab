// Simulator and verifier, which judge schedules independently.
#ifndef TILEWRIGHT_TEST_VERIFY_SPATIAL_JUDGES_H
#define TILEWRIGHT_TEST_VERIFY_SPATIAL_JUDGES_H

#include "spatial/simulator/Simulator.h"
#include "verify/spatial/VerifySchedule.h"
#include <optional>
#include <string>

namespace tilewright::test {

/// Writes all lines as text and reads them again. Nothing if a line is one that
/// no reader accepts, or rows of inputs and constants would lie on others.
[[nodiscard]] std::optional<spatial::Schedule>
readAgain(spatial::Schedule schedule);

/// The same of a schedule that was changed in one line, or by one line, from
/// one that was read: only the lines that differ are read again. A long one is
/// not written for each of many changes.
[[nodiscard]] bool readAgain(spatial::Schedule &changed,
                             const spatial::Schedule &original);

/// What both say of one schedule.
struct Verdicts {
  verify::ScheduleVerdict verifier;
  spatial::SimulationResult simulator;
  /// Of the simulator, if it could not begin.
  Status error;
};

/// `mostFindings` is how many each looks for.
[[nodiscard]] Verdicts judge(const spatial::Schedule &schedule,
                             std::span<const runtime::HostTensor> inputs,
                             size_t mostFindings = 20);

/// How two verdicts compare.
enum class Agreement : uint8_t {
  /// Both accept, with the same length.
  accepted,
  /// The first findings have one code.
  sameCode,
  /// They have not, but both show in the same cycle, and each judge has both.
  sameCycle,
  /// They have not, and both show when there is no cycle, at the end.
  atTheEnd,
  /// Only the simulator finds an index of a gather outside its range.
  index,
  /// The simulator says that it does not support this.
  notSupported,
  /// The first findings differ otherwise.
  otherCode,
  /// One of them accepts what the other does not.
  disagree,
};
inline constexpr std::string_view agreementNames[] = {
    "accepted", "same code",     "same cycle", "at the end",
    "index",    "not supported", "other code", "DISAGREE"};

[[nodiscard]] Agreement compare(const Verdicts &verdicts,
                                const spatial::Schedule &schedule);

/// All of one schedule, to look at: its lines and what both say.
[[nodiscard]] std::string describe(const Verdicts &verdicts,
                                   const spatial::Schedule &schedule);

/// Whether two runs have the same outputs; any NaN equals any other.
[[nodiscard]] bool sameOutputs(std::span<const runtime::HostTensor> a,
                               std::span<const runtime::HostTensor> b);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_VERIFY_SPATIAL_JUDGES_H
