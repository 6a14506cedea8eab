//===- SharedOps.cpp - Accesses of shared memory --------------------------===//
#include "codegen/gpu/OpSupport.h"
#include "codegen/gpu/TileGpu.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// The rule of this number, of an op.
static std::string rule(Operation *op, int number) {
  return (" (" + op->getName().stripDialect() + "_c" + Twine(number) + ")")
      .str();
}

/// Checks that the window of `op` lies in the memory and fits the tile.
template <typename Op>
static LogicalResult verifyWindow(Op op, RankedTensorType tile) {
  SharedType memory = op.getMemory().getType();
  ArrayRef<int64_t> whole = memory.getShape(), part = tile.getShape();
  // store_shared_c1, load_shared_c1
  bool sameElements =
      part == whole ||
      (isDense(memory) && toDims(part).product() == toDims(whole).product());
  if (tile.getElementType() != memory.getElementType() ||
      (!op.hasWindow() && !sameElements))
    return op.emitOpError()
           << "the tile is " << toDims(part).text() << " "
           << tile.getElementType() << ", the memory " << toDims(whole).text()
           << " " << memory.getElementType() << rule(op, 1);
  if (!op.hasWindow())
    return success();
  // store_shared_c2, load_shared_c2
  size_t rank = whole.size();
  auto counts = [&](ArrayRef<int64_t> list) {
    return list.empty() || list.size() == rank;
  };
  if (part.size() != rank || !counts(op.getOffsets()) || !counts(op.getSteps()))
    return op.emitOpError() << "expected a tile, offsets and steps of " << rank
                            << " dimensions" << rule(op, 2);
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t first = op.getFirst(dim), step = op.getStep(dim);
    int64_t last = first + (part[dim] - 1) * step;
    if (first < 0 || step < 1 || last >= whole[dim])
      return op.emitOpError()
             << "elements " << first << " to " << last << " by " << step
             << " of a dimension of " << whole[dim] << rule(op, 2);
  }
  // store_shared_c3, load_shared_c3
  if (!isDense(memory))
    return op.emitOpError()
           << "expected dense memory for a part of a tile" << rule(op, 3);
  return success();
}

LogicalResult StoreSharedOp::verify() {
  return verifyWindow(*this, cast<RankedTensorType>(getValue().getType()));
}

LogicalResult LoadSharedOp::verify() {
  return verifyWindow(*this, cast<RankedTensorType>(getType()));
}

LogicalResult GatherSharedOp::verify() {
  SharedType memory = getMemory().getType();
  auto indices = cast<RankedTensorType>(getIndices().getType());
  auto result = cast<RankedTensorType>(getType());
  // gather_shared_c1
  if (!indices.getElementType().isIntOrIndex() ||
      result.getElementType() != memory.getElementType() ||
      result.getShape() != indices.getShape() ||
      result.getEncoding() != indices.getEncoding())
    return emitOpError() << "the indices are " << indices << ", the result "
                         << result << ", the memory of "
                         << memory.getElementType() << " (gather_shared_c1)";
  // gather_shared_c2
  if (failed(verifyAxis(*this, getAxis(), result, "gather_shared_c2")))
    return failure();
  SmallVector<int64_t> expected(memory.getShape());
  if (expected.size() == result.getShape().size())
    expected[getAxis()] = result.getDimSize(getAxis());
  if (result.getShape() != ArrayRef<int64_t>(expected))
    return emitOpError() << "the result is " << toDims(result.getShape()).text()
                         << ", the memory " << toDims(memory.getShape()).text()
                         << "; only dimension " << getAxis()
                         << " may differ (gather_shared_c2)";
  // gather_shared_c3
  if (!isDense(memory))
    return emitOpError() << "expected dense memory (gather_shared_c3)";
  return success();
}

LogicalResult ReadSharedOp::verify() {
  SharedType memory = getMemory().getType();
  // read_shared_c1
  if (getType() != memory.getElementType())
    return emitOpError() << "the result is " << getType() << ", the memory of "
                         << memory.getElementType() << " (read_shared_c1)";
  // read_shared_c2
  if (getIndices().size() != memory.getShape().size() || !isDense(memory))
    return emitOpError() << "expected dense memory of " << getIndices().size()
                         << " dimensions, found "
                         << toDims(memory.getShape()).text()
                         << " (read_shared_c2)";
  return success();
}

LogicalResult CountSharedOp::verify() {
  SharedType memory = getMemory().getType();
  // count_shared_c1
  if (memory.getShape().size() != 1 || !memory.getElementType().isInteger(32) ||
      !isDense(memory))
    return emitOpError() << "expected dense memory of i32 with one dimension "
                            "(count_shared_c1)";
  // count_shared_c2
  auto numbers = cast<RankedTensorType>(getNumbers().getType());
  if (!numbers.getElementType().isIntOrIndex())
    return emitOpError() << "numbers are integers, found "
                         << numbers.getElementType() << " (count_shared_c2)";
  // count_shared_c3
  if (getMask() &&
      getMask().getType() != numbers.clone(IntegerType::get(getContext(), 1)))
    return emitOpError() << "the mask is " << getMask().getType()
                         << ", the numbers " << numbers << " (count_shared_c3)";
  return success();
}
