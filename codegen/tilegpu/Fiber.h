//===- Fiber.h - Layouts whose fibers are held in order ---------*- C++ -*-===//
//
// A fiber of a tile is all elements along one dimension. Scans and sorts go
// along fibers; they are cheap where a fiber runs through a thread's registers
// first, then through lanes, then through warps:
//   coordinate = register part + registers * (lane part + lanes * warp part)
// For scans, a warp may go along its part of a fiber in rounds: then a thread's
// registers are several runs of neighbours, as wide accesses load them:
//   coordinate = in run + run * (lane part + lanes * (round + rounds * ..))
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_TILEGPU_FIBER_H
#define TILEWRIGHT_CODEGEN_TILEGPU_FIBER_H

#include "codegen/layout/Layout.h"
#include <vector>

namespace tilewright::tilegpu {

/// How a layout distributes the fibers along one dimension.
struct Fiber {
  /// registers[k][l]: the register with element k of a thread's part of its
  /// l-th fiber, one round after the other. Registers that hold copies of
  /// others are left out.
  std::vector<std::vector<int32_t>> registers;
  /// Elements of a round that one thread holds.
  int64_t run = 1;
  /// The bits of the lane's and of the warp's index that choose the part, the
  /// lowest first in the order of the coordinate too.
  unsigned laneMask = 0, warpMask = 0;

  /// Elements of a fiber that one thread holds, and that one warp holds.
  [[nodiscard]] int64_t perThread() const { return int64_t(registers.size()); }
  [[nodiscard]] int64_t rounds() const { return perThread() / run; }
  [[nodiscard]] int64_t perWarp() const {
    return perThread() << std::popcount(laneMask);
  }
};

/// Whether a fiber may be held in several rounds.
enum class Rounds { one, any };

/// Rejected where the fibers along `dim` of a tile in registers are not held in
/// the order above.
StatusOr<Fiber> fiberAlong(const layout::Layout &layout, unsigned dim,
                           Rounds rounds = Rounds::one);

/// A layout that has the fibers along `dim` of a tile of `shape` in order, on
/// `warps` warps. Other dimensions go to warps first: so few fibers are shared.
/// Fibers are padded to a power of two; warps beyond one hold copies. A
/// thread's runs have at most `longestRun` neighbours, a power of two, and
/// there are as many rounds as that takes; 0: one round.
layout::Layout fiberLayout(const layout::Dims &shape, unsigned dim,
                           int64_t warps, int64_t longestRun = 0);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_CODEGEN_TILEGPU_FIBER_H
