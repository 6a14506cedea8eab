// What the lines of a schedule use of the machine, for reports. Nothing here
// judges a schedule: what is counted of a wrong one is of no use, but harmless.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_USE_H
#define TILEWRIGHT_SPATIAL_PROGRAM_USE_H

#include "spatial/program/Schedule.h"

namespace tilewright::spatial {

struct QueueUse {
  Queue queue;
  /// Repetitions counted.
  int64_t instructions = 0;
  /// Cycles in which it can begin no other instruction.
  int64_t busy = 0;
};

/// The queues of a chip that issue instructions, in the order of Queue.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::vector<QueueUse>
queueUse(const Schedule &schedule, size_t chip);

/// For how many cycles an instruction keeps its queue.
[[nodiscard]] TILEWRIGHT_PRIVATE_API int64_t busyCycles(const Machine &machine,
                                                        const Instruction &in);

/// Cycles from an instruction to its result, or the first of several.
[[nodiscard]] TILEWRIGHT_PRIVATE_API int64_t
cyclesToResult(const Machine &machine, const Instruction &in);

/// The kind of unit that has such queues.
[[nodiscard]] TILEWRIGHT_PRIVATE_API UnitKind unitOf(QueueKind kind);

/// How many queues of this kind the unit at a position has; 0 if it has none.
[[nodiscard]] TILEWRIGHT_PRIVATE_API int64_t queuesOf(const Machine &machine,
                                                      int64_t position,
                                                      QueueKind kind);

/// The rows of a memory unit that hold what is still needed: a constant always,
/// an input up to its last read, an output from its write on, all else from a
/// write to the last read before the next one.
struct SliceUse {
  int64_t position = 0;
  /// Rows of constants.
  int64_t constants = 0;
  /// The most rows in a cycle.
  int64_t peak = 0;
  /// The most rows in a cycle of each part of the schedule.
  std::vector<int64_t> samples;
};

struct MemoryUse {
  /// The memory units of a chip in which a row is placed or written.
  std::vector<SliceUse> slices;
  /// How many cycles a sample stands for.
  int64_t cyclesPerSample = 1;
};

/// `samples`: how many, at most. Errors: more accesses of a bank than this can
/// look at.
TILEWRIGHT_PRIVATE_API StatusOr<MemoryUse>
memoryUse(const Schedule &schedule, size_t chip, int64_t samples);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_USE_H
