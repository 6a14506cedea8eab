// The subscripts of an operand of linalg: a map from loops to an index.
#pragma once

#include "graph/reference/Tensor.h"
#include "mlir/IR/AffineMap.h"

namespace tilewright::graph::reference {

/// Numbers from `least` to `greatest`.
struct SubscriptRange {
  int64_t least, greatest;
};

/// A map without symbols, in a form that is fast to evaluate.
class Subscripts {
public:
  explicit Subscripts(mlir::AffineMap map);

  mlir::AffineMap getMap() const { return map; }
  unsigned size() const { return map.getNumResults(); }
  /// The loop that is subscript `d`, if it is nothing but a loop.
  std::optional<unsigned> loopAt(unsigned d) const;
  /// The number that is subscript `d`, if it is one.
  std::optional<int64_t> constantAt(unsigned d) const;
  /// The numbers that subscript `d` has at the ends of its loops, the last of
  /// which is the size minus 1 also of an empty loop. None if it is not linear,
  /// or is nothing but a loop.
  std::optional<SubscriptRange> rangeAt(unsigned d, const Shape &sizes) const;
  /// Whether the subscripts are loops, each once, and constants.
  bool isProjection() const;
  /// The index for a point of the loops. Fails without a message where a map
  /// divides by a number that is not positive.
  mlir::LogicalResult at(Index point, Shape &index) const;

private:
  struct Linear {
    int64_t constant = 0;
    llvm::SmallVector<std::pair<unsigned, int64_t>, 2> terms;
  };
  static bool linearize(mlir::AffineExpr expression, int64_t factor,
                        Linear &linear);

  mlir::AffineMap map;
  /// Empty where an expression is not linear.
  llvm::SmallVector<std::optional<Linear>, 4> forms;
};

} // namespace tilewright::graph::reference
