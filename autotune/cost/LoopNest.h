//===- LoopNest.h - The loops of a launch, in numbers -----------*- C++ -*-===//
//
// Dimensions of the grid and loops of the kernel are *variables*: each counts
// its trips from 0. Index values of a kernel are functions of them; which ones,
// and how, is found by evaluating them at some points, so that any arithmetic
// will do.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_AUTOTUNE_COST_LOOPNEST_H
#define TILEWRIGHT_AUTOTUNE_COST_LOOPNEST_H

#include "autotune/cost/ArgumentShape.h"
#include "tilewright/mlir/Tile.h"
#include "tilewright/support/Status.h"
#include <set>
#include <span>

namespace tilewright::autotune {

/// A dimension of the grid, or a loop of the kernel.
struct Variable {
  /// Programs along the dimension; or how often the loop's body runs each time
  /// that the loop is entered, on average over what its bounds depend on.
  double trips = 1;
  /// The enclosing variable, -1 for none. Of the grid's dimensions the first
  /// changes fastest: it is inside the others.
  int parent = -1;
  bool isGrid = false;
  /// Whether `trips` could not be derived from the arguments.
  bool isGuess = false;
};

/// An index value as start + sum of strides[i] * variable i.
struct LinearIndex {
  int64_t start = 0;
  std::vector<std::pair<int, int64_t>> strides;
  /// Its variables, in ascending order.
  std::vector<int> variables;
  /// Whether the above is complete; else only `variables` is valid.
  bool isExact = false;
};

class LoopNest {
public:
  /// The assumed trips of a loop with unknown ones.
  static constexpr double guessedTrips = 8;

  /// `kernel` has no calls, and its tunables are bound; it outlives the result.
  /// Errors: arguments of another number, rank or size than the kernel's.
  static StatusOr<LoopNest> create(tile::KernelOp kernel,
                                   std::span<const ArgumentShape> arguments);

  [[nodiscard]] const std::vector<Variable> &variables() const { return all; }
  [[nodiscard]] int64_t programs() const;
  /// The innermost variable around `op`.
  [[nodiscard]] int innermost(mlir::Operation *op) const;
  /// How often `op` runs in a launch: trips, and its share of branches.
  [[nodiscard]] double executions(mlir::Operation *op) const;

  /// The value of an index or integer where variable i has made point[i]
  /// trips; nothing where it depends on data.
  [[nodiscard]] std::optional<int64_t>
  valueAt(mlir::Value value, std::span<const int64_t> point) const;
  /// `scale` times the value.
  [[nodiscard]] LinearIndex linear(mlir::Value value, int64_t scale) const;
  /// The mean of `function` over the points of `variables`, all or a thousand
  /// evenly spread ones; nothing where it returns nothing.
  [[nodiscard]] std::optional<double>
  mean(std::span<const int> variables,
       llvm::function_ref<std::optional<double>(std::span<const int64_t>)>
           function) const;

  /// Sizes and strides (in elements) of a view; -1 where they are not known.
  [[nodiscard]] std::vector<int64_t> dimsOf(mlir::Value view) const;
  [[nodiscard]] std::vector<int64_t> stridesOf(mlir::Value view) const;

private:
  void addLoops(mlir::Region &region, int parent);
  void collect(mlir::Value value, std::set<int> &variables) const;
  [[nodiscard]] std::optional<int64_t>
  arithmeticAt(mlir::Operation *op, std::span<const int64_t> point) const;
  void addBranch(mlir::Operation *branch);
  [[nodiscard]] double shareOf(mlir::Region *side) const;

  tile::KernelOp kernel;
  std::vector<ArgumentShape> shapes;
  std::vector<Variable> all;
  std::vector<int64_t> grid;
  llvm::DenseMap<mlir::Operation *, int> ofLoop;
  /// Of a branch: the share in which its condition holds.
  llvm::DenseMap<mlir::Operation *, double> takenShare;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_COST_LOOPNEST_H
