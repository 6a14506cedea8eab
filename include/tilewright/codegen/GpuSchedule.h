//===- GpuSchedule.h - How a tile kernel is spread over a GPU ---*- C++ -*-===//
//
// A schedule is data: it is chosen by a heuristic, by a search or by hand, is
// stored with tuning results, and says nothing of what a kernel computes.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_GPUSCHEDULE_H
#define TILEWRIGHT_CODEGEN_GPUSCHEDULE_H

#include "tilewright/codegen/GpuTarget.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::schedule {

/// The parameters of one kernel. As text, `key=value` separated by blanks, in a
/// fixed order: "warps=4 vector_bits=128 BM=128 BN=96".
struct TILEWRIGHT_API GpuSchedule {
  /// Warps of a block, 1 to 32.
  unsigned warps = 4;
  /// The most bits that a thread loads or stores at once: a power of two from 8
  /// to what the target has, 128 or 256.
  unsigned vectorBits = 128;
  /// Blocks that a multiprocessor holds at least, and the most registers of a
  /// thread: ptxas limits or spills registers for them. 0: none is asked for.
  unsigned minBlocks = 0, maxRegisters = 0;
  /// Blocks that run on each multiprocessor, which take one program after the
  /// other; 0: a block for each program.
  unsigned persistent = 0;
  /// How many programs along the grid's second dimension follow each other
  /// before the first dimension advances; 0: the first dimension is fastest.
  unsigned group = 0;
  /// What computes dots, as text "auto" (0: the compiler chooses), "fma" (1) or
  /// the name of a matrix instruction (docs/matrix-units.md).
  unsigned instruction = 0;
  /// Slots of the ring that a loop's asynchronous copies to shared memory fill
  /// ahead, 2 to 8; 1: no loop is pipelined, 0: the compiler chooses.
  unsigned stages = 0;
  /// Values of the kernel's tunables, by name.
  std::map<std::string, int64_t> tunables;

  [[nodiscard]] int64_t threads() const {
    return int64_t(warps) * target::GpuTarget::warpSize;
  }
  [[nodiscard]] std::string text() const;
  /// Reads the textual form; what it leaves out keeps its default. Errors name
  /// the key, what was expected and what was found.
  static StatusOr<GpuSchedule> parse(std::string_view text);

  friend bool operator==(const GpuSchedule &, const GpuSchedule &) = default;
};

/// What a default schedule is chosen by.
struct KernelWork {
  /// Elements of the largest tile that is loaded, stored or computed.
  int64_t largestTile = 1;
  /// Bytes of its elements.
  int64_t elementBytes = 4;
  /// Elements of the largest result of a dot; 0 if there is none.
  int64_t largestDot = 0;
  /// The largest tile that is reduced: how many fibers it has, and elements of
  /// each; 0 if none is.
  int64_t fibers = 0, fiberElements = 0;
  /// As `largestDot`, of dots by matrix instructions. Tiles of as many elements
  /// are then not counted above.
  int64_t matrixDot = 0;
};

/// A schedule and why it was chosen, in one line.
struct ExplainedSchedule {
  GpuSchedule schedule;
  std::string reason;
};

/// The schedule of a kernel that nobody chose one for.
[[nodiscard]] TILEWRIGHT_API ExplainedSchedule
defaultSchedule(const KernelWork &work);

/// A use of shared memory, for messages: "A 128x64 bf16".
struct SharedUse {
  std::string what;
  int64_t bytes = 0;
};

/// Whether a block of `schedule` with these uses of shared memory, `shared`
/// bytes in all (uses may overlap in time), fits the target. The error names
/// the limit that it exceeds, with both numbers and the largest uses.
TILEWRIGHT_API Status checkResources(const GpuSchedule &schedule,
                                     int64_t shared,
                                     std::span<const SharedUse> uses,
                                     const target::GpuTarget &target);

} // namespace tilewright::schedule

#endif // TILEWRIGHT_CODEGEN_GPUSCHEDULE_H
