//===- LowerElementwise.cpp - Ops that compute each element alone ---------===//
#include "spatial/transforms/LowerOps.h"

#include "graph/analysis/Access.h"
#include "llvm/ADT/StringSet.h"

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

//===--- How points lie in vectors ----------------------------------------===//

/// All points in rows of the innermost loop of more than one point, in chunks.
static Points defaultPoints(ArrayRef<int64_t> extents, int64_t lanes) {
  Points points{SmallVector<int64_t>(extents), lanes, {}};
  int64_t inner = 1, size = 1;
  for (int64_t extent : extents)
    size *= extent;
  for (int64_t extent : llvm::reverse(extents))
    if (inner == 1)
      inner = extent;
  for (int64_t start = 0; start < size; start += inner)
    for (int64_t chunk = 0; chunk < inner; chunk += lanes)
      for (int64_t lane = 0; lane < lanes; ++lane)
        points.numbers.push_back(chunk + lane < inner ? start + chunk + lane
                                                      : -1);
  return points;
}

/// The points as `arrangement` holds what they read; nothing if that is not
/// each of them.
static std::optional<Points> pointsAs(const Arrangement &arrangement,
                                      ArrayRef<int64_t> pointOf,
                                      ArrayRef<int64_t> extents) {
  Points points{SmallVector<int64_t>(extents), arrangement.lanes, {}};
  int64_t size = 1;
  for (int64_t extent : extents)
    size *= extent;
  std::vector<bool> isThere(size);
  const int64_t lanes = arrangement.lanes;
  for (int64_t vector = 0; vector < arrangement.vectors(); ++vector) {
    const size_t first = points.numbers.size();
    bool any = false;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const int32_t element = arrangement.elements[vector * lanes + lane];
      const int64_t point = element < 0 ? -1 : pointOf[element];
      points.numbers.push_back(point);
      if (point >= 0) {
        isThere[point] = true;
        any = true;
      }
    }
    if (!any)
      points.numbers.resize(first);
  }
  if (!llvm::all_of(isThere, [](bool there) { return there; }))
    return std::nullopt;
  return points;
}

/// Vectors, and what it takes to move elements to where others need them: about
/// one lane map for each vector that a row is put together of.
static int64_t costOf(Tensors &tensors, linalg::GenericOp op,
                      const Points &points) {
  int64_t cost = points.count();
  for (OpOperand *input : op.getDpsInputOperands()) {
    Rows rows = rowsOf(tensors, *input, points);
    llvm::StringSet<> seen;
    for (int64_t i = 0; i < rows.count(); ++i) {
      ArrayRef<ElementId> row = rows.row(i);
      StringRef key(reinterpret_cast<const char *>(row.data()),
                    row.size() * sizeof(ElementId));
      if (seen.insert(key).second && !tensors.isHeld(row))
        cost += 4 * tensors.sourcesOf(row);
    }
  }
  return cost;
}

/// Of the tensor that an input reads, if it is one, and each element once: the
/// point that reads each element, or -1.
static std::optional<std::pair<int64_t, std::vector<int64_t>>>
readersOf(Tensors &tensors, OpOperand &input, ArrayRef<int64_t> extents) {
  int64_t size = 1;
  for (int64_t extent : extents)
    size *= extent;
  auto op = cast<linalg::GenericOp>(input.getOwner());
  OperandAccess access(
      op.getMatchingIndexingMap(&input), extents,
      cast<RankedTensorType>(input.get().getType()).getShape());
  const int64_t number = tensors.numberOf(input.get());
  int64_t tensor = -1;
  std::vector<int64_t> pointOf;
  for (int64_t point = 0; point < size; ++point) {
    ElementId id = tensors.resolve(number, access.at(point));
    if (tensors.isConstant(id) || (tensor >= 0 && tensorOf(id) != tensor))
      return std::nullopt;
    if (tensor < 0) {
      tensor = tensorOf(id);
      pointOf.assign(tensors.info(tensor).size, -1);
    }
    if (pointOf[elementOf(id)] >= 0)
      return std::nullopt;
    pointOf[elementOf(id)] = point;
  }
  return std::pair(tensor, std::move(pointOf));
}

Points choosePoints(Tensors &tensors, linalg::GenericOp op) {
  SmallVector<int64_t> extents = loopExtents(op);
  Points best = defaultPoints(extents, tensors.machine.lanes);
  int64_t bestCost = costOf(tensors, op, best);
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto readers = readersOf(tensors, *input, extents);
    if (!readers)
      continue;
    auto &arrangements = tensors.info(readers->first).arrangements;
    for (const auto &arrangement : arrangements) {
      std::optional<Points> points =
          pointsAs(*arrangement, readers->second, extents);
      if (!points)
        continue;
      const int64_t cost = costOf(tensors, op, *points);
      if (cost < bestCost) {
        best = std::move(*points);
        bestCost = cost;
      }
    }
  }
  return best;
}

LogicalResult lowerElementwise(Tensors &tensors, linalg::GenericOp op) {
  Points points = choosePoints(tensors, op);
  OperandAccess out(
      op.getMatchingIndexingMap(op.getDpsInitOperand(0)), points.extents,
      cast<RankedTensorType>(op.getResult(0).getType()).getShape());
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
