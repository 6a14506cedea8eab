#include "graph/build/Dimensions.h"

namespace tilewright::build {

LogicalResult expectRank(GraphBuilder &b, const Tensor &tensor, int64_t atLeast,
                         StringRef what) {
  if (tensor->rank() >= atLeast)
    return success();
  return b.fail(what + " has shape " + b.sizes.str(tensor->dims) +
                ", expected at least " + llvm::Twine(atLeast) + " dimensions");
}

FailureOr<int64_t> axisOf(GraphBuilder &b, int64_t value, int64_t rank) {
  if (value < -rank || value >= rank)
    return b.fail("axis is " + llvm::Twine(value) + ", expected a value in [" +
                  llvm::Twine(-rank) + ", " + llvm::Twine(rank - 1) + "]");
  return value < 0 ? value + rank : value;
}

FailureOr<SmallVector<int64_t>> axesOf(GraphBuilder &b,
                                       ArrayRef<int64_t> values, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t value : values) {
    TRY(int64_t nonNegative, axisOf(b, value, rank));
    result.push_back(nonNegative);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    return b.fail("axes name a dimension twice");
  return result;
}

SmallVector<int64_t> axesFrom(int64_t first, int64_t rank) {
  SmallVector<int64_t> axes;
  for (int64_t axis = first; axis < rank; ++axis)
    axes.push_back(axis);
  return axes;
}

SmallVector<int64_t> axisFirst(int64_t axis, int64_t rank) {
  SmallVector<int64_t> order = axesFrom(0, rank);
  std::rotate(order.begin(), order.begin() + axis, order.begin() + axis + 1);
  return order;
}

} // namespace tilewright::build
