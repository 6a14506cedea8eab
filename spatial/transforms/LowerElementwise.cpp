//===- LowerElementwise.cpp - Ops that compute each element alone ---------===//
#include "spatial/transforms/LowerOps.h"

using namespace mlir;

namespace tilewright::spatial {

std::vector<int64_t> pointsOf(ArrayRef<int64_t> extents,
                              ArrayRef<unsigned> loops) {
  std::vector<int64_t> points{0};
  for (unsigned loop : loops) {
    int64_t stride = 1;
    for (size_t inner = loop + 1; inner < extents.size(); ++inner)
      stride *= extents[inner];
    std::vector<int64_t> next;
    next.reserve(points.size() * extents[loop]);
    for (int64_t point : points)
      for (int64_t index = 0; index < extents[loop]; ++index)
        next.push_back(point + index * stride);
    points = std::move(next);
  }
  return points;
}

void setResult(Tensors &tensors, Value tensor,
               std::vector<Tensors::Vector> vectors,
               std::vector<int32_t> elements) {
  const int64_t number = tensors.add(tensor);
  tensors.convert(tensor.getLoc(), tensors.info(number).dtype, vectors);
  Reads reads = tensors.collect(tensor.getLoc(), vectors);
  tensors.arrange(number, tensors.inOrder(tensor.getLoc(), reads),
                  std::move(elements));
}

LogicalResult lowerElementwise(Tensors &tensors, linalg::GenericOp op) {
  Points points = choosePoints(tensors, op);
  OperandAccess out(*op.getDpsInitOperand(0));
  std::vector<int32_t> elements;
  elements.reserve(points.numbers.size());
  for (int64_t point : points.numbers)
    elements.push_back(point < 0 ? -1 : static_cast<int32_t>(out.at(point)));
  BodyVectors body(tensors, op, std::move(points));
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  FailureOr<VectorScalar> scalar = body.scalar(yielded);
  if (failed(scalar))
    return failure();
  FailureOr<Reads> reads = body.vectors(yielded, scalar->dtype);
  if (failed(reads))
    return failure();
  std::vector<Tensors::Vector> vectors;
  for (int32_t index : reads->indices)
    vectors.push_back({reads->value, index});
  setResult(tensors, op.getResult(0), std::move(vectors), std::move(elements));
  return success();
}

} // namespace tilewright::spatial
