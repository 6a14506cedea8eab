// Why the queues of a schedule issue nothing, for reports.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_IDLE_H
#define TILEWRIGHT_SPATIAL_PROGRAM_IDLE_H

#include "spatial/program/Schedule.h"

namespace tilewright::spatial {

/// Why a queue does not issue its next instruction earlier, in an idle cycle
/// before it. Of several reasons the first one counts (docs/spatial.md).
enum class IdleReason : uint8_t {
  /// What it takes is not there yet.
  dependence,
  /// A unit that it needs works on something else.
  unit,
  /// A bank that it needs does, or the row is still needed.
  bank,
  /// A stream that it needs carries something else.
  stream,
  /// None of these: the schedule could have it earlier.
  none,
  /// There is no next instruction.
  end,
};
inline constexpr size_t idleReasons = 6;
/// "dependence", ..
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view
idleReasonName(IdleReason reason);

struct QueueIdle {
  Queue queue;
  /// Cycles, by reason.
  std::array<int64_t, idleReasons> cycles = {};
};

/// The queues of a chip that issue instructions, in the order of Queue. Errors:
/// more cycles or instructions than this can look at.
TILEWRIGHT_PRIVATE_API StatusOr<std::vector<QueueIdle>>
idleUse(const Schedule &schedule, size_t chip);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_IDLE_H
