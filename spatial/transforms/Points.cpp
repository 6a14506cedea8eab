//===- Points.cpp - Points of an op's loops, in vectors -------------------===//
#include "spatial/transforms/Points.h"

using namespace mlir;

namespace tilewright::spatial {

OperandAccess::OperandAccess(AffineMap map, ArrayRef<int64_t> extents,
                             ArrayRef<int64_t> shape)
    : map(map), extents(extents.begin(), extents.end()), strides(shape.size()) {
  int64_t stride = 1;
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    stride *= shape[dim];
  }
  for (AffineExpr result : map.getResults())
    result.walk([&](AffineExpr part) {
      isLinear &= part.getKind() != AffineExprKind::Mod &&
                  part.getKind() != AffineExprKind::FloorDiv &&
                  part.getKind() != AffineExprKind::CeilDiv;
    });
  if (!isLinear)
    return;
  auto valueAt = [&](ArrayRef<int64_t> indices) {
    int64_t number = 0;
    for (auto [dim, index] : llvm::enumerate(map.compose(indices)))
      number += index * strides[dim];
    return number;
  };
  SmallVector<int64_t> indices(extents.size());
  base = valueAt(indices);
  for (size_t loop = extents.size(); loop-- > 0;) {
    const int64_t extent = extents[loop];
    if (extent == 1)
      continue;
    indices[loop] = 1;
    const int64_t step = valueAt(indices) - base;
    indices[loop] = 0;
    if (!steps.empty() && step == steps.back().step * steps.back().extent)
      steps.back().extent *= extent;
    else
      steps.push_back({extent, step});
  }
}

OperandAccess::OperandAccess(OpOperand &operand)
    : OperandAccess(
          cast<linalg::GenericOp>(operand.getOwner())
              .getMatchingIndexingMap(&operand),
          loopExtents(cast<linalg::GenericOp>(operand.getOwner())),
          cast<RankedTensorType>(operand.get().getType()).getShape()) {}

int64_t OperandAccess::at(int64_t point) const {
  if (isLinear) {
    int64_t number = base;
    for (const LoopStep &loop : steps) {
      if (point < loop.extent)
        return number + point * loop.step;
      const int64_t outer = point / loop.extent;
      number += (point - outer * loop.extent) * loop.step;
      point = outer;
    }
    return number;
  }
  SmallVector<int64_t> indices(extents.size());
  for (int64_t loop = static_cast<int64_t>(extents.size()) - 1; loop >= 0;
       --loop) {
    indices[loop] = point % extents[loop];
    point /= extents[loop];
  }
  int64_t number = 0;
  for (auto [dim, index] : llvm::enumerate(map.compose(indices)))
    number += index * strides[dim];
  return number;
}

SmallVector<int64_t> loopExtents(linalg::GenericOp op) {
  return op.getStaticLoopRanges();
}

Rows rowsOf(const Tensors &tensors, int64_t tensor, const OperandAccess &access,
            const Points &points) {
  Rows rows{points.lanes, {}};
  rows.ids.reserve(points.numbers.size());
  for (int64_t number : points.numbers)
    rows.ids.push_back(number < 0 ? noElement
                                  : tensors.resolve(tensor, access.at(number)));
  return rows;
}

Rows rowsOf(const Tensors &tensors, OpOperand &operand, const Points &points) {
  return rowsOf(tensors, tensors.numberOf(operand.get()),
                OperandAccess(operand), points);
}

} // namespace tilewright::spatial
