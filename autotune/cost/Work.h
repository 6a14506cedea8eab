//===- Work.h - What a launch of a kernel has to do -------------*- C++ -*-===//
//
// Counts that follow from the tile kernel and the sizes of its arguments alone:
// the same for each target and schedule (but for the tunables, which are bound
// before). Costs are made from them.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_WORK_H
#define TILEWRIGHT_AUTOTUNE_COST_WORK_H

#include "autotune/cost/LoopNest.h"
#include "tileir/analysis/OpClasses.h"

namespace tilewright::autotune {

using tile::OpClass;
using tile::opClassOf;

/// Whether the cost of an op on tiles is known; others count as elementwise.
[[nodiscard]] bool hasWork(mlir::OperationName op);

/// The innermost dimension of more than one element; the first if none has.
[[nodiscard]] size_t laneDim(llvm::ArrayRef<int64_t> shape);

/// A load or store of tiles of a view.
struct Access {
  bool isStore = false;
  /// A kernel argument's number; -1: a view that was made of a pointer.
  int argument = -1;
  /// The innermost variable around it, and how often it runs in a launch.
  int loop = -1;
  double executions = 0;
  int64_t elementBytes = 0;
  /// Of the tile, by dimension, and the step between its elements.
  std::vector<int64_t> tile, steps;
  /// Of the view; -1: not known. Strides are in elements.
  std::vector<int64_t> dims, strides;
  /// Where the tile begins in the view, in elements.
  std::vector<LinearIndex> offsets;
  /// The part of the tiles' elements that is in the view, 0 to 1.
  double inside = 1;
  /// Whether code has to check for elements outside: sizes are not static, or a
  /// tile extends beyond the view.
  bool isChecked = false;
  /// Whether contractions alone read the loaded tile, as it is.
  bool isOperand = false;
  /// Contiguous elements of a tile in memory.
  int64_t contiguous = 1;
  /// An earlier access of the same program to the same tiles, or to such that
  /// overlap them by half or more, as windows do; or -1.
  int repeats = -1;
  /// An earlier access whose elements have the same indices along the innermost
  /// dimension of more than one, and whose check can be shared. Or -1.
  int checkedLike = -1;
  /// Reductions, stores and contractions that read a loaded tile, each in a
  /// separate pass.
  int passes = 1;

  [[nodiscard]] int64_t elements() const;
  [[nodiscard]] int64_t bytes() const { return elements() * elementBytes; }
  // The following counts the elements inside the view, in whole lines of `line`
  // bytes: what a cache fetches, where a line is longer than an element.

  /// Of a tile, on average.
  [[nodiscard]] double tileBytes(double line = 1) const;
  /// Of all executions, each of which fetches its tile.
  [[nodiscard]] double totalBytes(double line = 1) const {
    return tileBytes(line) * executions;
  }
  /// The union of the tiles while the variables of `varying` iterate over all
  /// their trips and the others are fixed.
  [[nodiscard]] double footprint(llvm::ArrayRef<Variable> variables,
                                 const std::vector<bool> &varying,
                                 double line = 1) const;
  [[nodiscard]] bool dependsOn(int variable) const;
  /// Whether all rows of all tiles begin at a line of `line` bytes.
  [[nodiscard]] bool isAligned(double line) const;
  /// Whether all tiles cover the same elements along the innermost dimension of
  /// more than one.
  [[nodiscard]] bool hasConstantLanes() const;

private:
  [[nodiscard]] bool beginsAligned(llvm::ArrayRef<double> counts,
                                   double line) const;
  [[nodiscard]] double boxBytes(llvm::ArrayRef<double> counts,
                                llvm::ArrayRef<int64_t> boxSteps,
                                double line) const;
};

/// A load, store or atomic access through a tile of pointers.
struct PointerAccess {
  int loop = -1;
  double executions = 0;
  int64_t elements = 1, elementBytes = 1;
  bool isStore = false, isAtomic = false;
};

/// One operand of a contraction.
struct DotOperand {
  /// The access that it is loaded by, with nothing but transpositions and
  /// reshapes between; -1: it is computed.
  int access = -1;
  /// Whether its columns are contiguous in that access's memory.
  bool hasUnitColumns = false;
  unsigned bits = 32;
  bool isFloat = true;
};

/// batch * [M, K] * [K, N].
struct DotWork {
  int loop = -1;
  double executions = 0;
  int64_t batch = 1, M = 1, N = 1, K = 1;
  DotOperand lhs, rhs;
  unsigned accumulatorBits = 32;
  bool isFloat = true;
  /// Whether a loop carries the accumulator and nothing else reads it.
  bool isInPlace = false;

  [[nodiscard]] double multiplyAdds() const {
    return executions * double(batch) * double(M) * double(N) * double(K);
  }
};

/// An op that computes each element of a tile, or combines elements.
struct ElementWork {
  enum class Role : uint8_t { elementwise, reduce, scan, sort, move, carry };
  OpClass kind = OpClass::none;
  Role role = Role::elementwise;
  int loop = -1;
  double executions = 0;
  /// Of an elementwise op: computedShape() (ElementShape.h).
  std::vector<int64_t> shape;
  unsigned bits = 32;
  /// Of a reduction, scan or sort: its dimension.
  unsigned axis = 0;

  [[nodiscard]] int64_t elements() const;
};

struct Work {
  std::vector<Variable> variables;
  int64_t programs = 1;
  std::vector<Access> accesses;
  std::vector<PointerAccess> pointers;
  std::vector<DotWork> dots;
  std::vector<ElementWork> elements;
  /// Bytes of the largest tile, and of all tiles that control flow carries.
  int64_t largestTile = 0, carriedBytes = 0;
  /// Ops of the kernel, for the cost of scalar code around tiles.
  int64_t operations = 0;

  /// Whether a number of trips or programs is a guess.
  [[nodiscard]] bool isGuess() const;
  /// Multiplications and additions of contractions (2 each), and elements
  /// computed by others.
  [[nodiscard]] double operationCount() const;
  /// Bytes of views that all programs together access, each counted once, in
  /// whole lines.
  [[nodiscard]] double distinctBytes(double line = 1) const;
};

/// `kernel` has no calls and its tunables are bound. Errors: as
/// LoopNest::create; a tunable is not bound.
StatusOr<Work> analyzeWork(tile::KernelOp kernel,
                           std::span<const ArgumentShape> arguments);

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_WORK_H
