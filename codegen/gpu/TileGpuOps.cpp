//===- TileGpuOps.cpp - The ops of the scheduled level --------------------===//
#include "codegen/gpu/TileGpu.h"
#include "codegen/gpu/WarpReduction.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

void TileGpuDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "codegen/gpu/TileGpuOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "codegen/gpu/TileGpuOps.cpp.inc"

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto before = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(before.getSource());
    return getResult();
  }
  return {};
}

LogicalResult ReduceOp::verify() {
  // tilegpu_reduce_c1
  if (getInputs().empty() || getInputs().size() != getResults().size())
    return emitOpError() << getInputs().size() << " inputs and "
                         << getResults().size()
                         << " results; expected as many, at least one "
                            "(tilegpu_reduce_c1)";
  for (auto [input, result] : llvm::zip(getInputs(), getResults())) {
    auto source = cast<RankedTensorType>(input.getType());
    auto target = cast<RankedTensorType>(result.getType());
    // tilegpu_reduce_c2
    int64_t axis = getAxis();
    if (axis < 0 || axis >= source.getRank())
      return emitOpError() << "axis " << axis << " of a tile with "
                           << source.getRank()
                           << " dimensions (tilegpu_reduce_c2)";
    // tilegpu_reduce_c3
    layout::Result<WarpReduction> reduced =
        warpReduction(layoutOf(source), axis, source.getDimSize(axis));
    if (!reduced.ok())
      return emitOpError() << reduced.reason() << " (tilegpu_reduce_c3)";
    SmallVector<int64_t> shape(source.getShape());
    shape[axis] = reduced->parts;
    RankedTensorType expected = withLayout(
        RankedTensorType::get(shape, source.getElementType()), reduced->layout);
    if (target != expected)
      return emitOpError() << "expected a result of " << expected << ", found "
                           << target << " (tilegpu_reduce_c3)";
  }
  return success();
}

/// Checks that a tile and memory agree in shape and element.
static LogicalResult verifyTransfer(Operation *op, RankedTensorType tile,
                                    SharedType memory) {
  // store_shared_c1, load_shared_c1
  if (tile.getShape() != memory.getShape() ||
      tile.getElementType() != memory.getElementType())
    return op->emitOpError()
           << "the tile is " << toDims(tile.getShape()).text() << " "
           << tile.getElementType() << ", the memory "
           << toDims(memory.getShape()).text() << " " << memory.getElementType()
           << " (" << op->getName().stripDialect() << "_c1)";
  return success();
}

LogicalResult StoreSharedOp::verify() {
  return verifyTransfer(*this, cast<RankedTensorType>(getValue().getType()),
                        getMemory().getType());
}

LogicalResult StoreElementOp::verify() {
  auto tile = cast<RankedTensorType>(getValue().getType());
  SharedType memory = getMemory().getType();
  // store_element_c1
  if (int64_t(getIndices().size()) != tile.getRank())
    return emitOpError() << getIndices().size() << " indices of a tile with "
                         << tile.getRank() << " dimensions (store_element_c1)";
  // store_element_c2
  if (toDims(memory.getShape()).product() != 1 ||
      memory.getElementType() != tile.getElementType())
    return emitOpError() << "expected memory for one " << tile.getElementType()
                         << ", found " << toDims(memory.getShape()).text()
                         << " " << memory.getElementType()
                         << " (store_element_c2)";
  return success();
}

LogicalResult LoadSharedOp::verify() {
  return verifyTransfer(*this, cast<RankedTensorType>(getType()),
                        getMemory().getType());
}

/// Whether a dot takes operands of these element types.
static bool multiplies(Type lhs, Type rhs, Type acc) {
  unsigned bits = acc.getIntOrFloatBitWidth();
  if (isa<FloatType>(acc))
    return lhs == rhs && isa<FloatType>(lhs) &&
           lhs.getIntOrFloatBitWidth() >= 16 &&
           lhs.getIntOrFloatBitWidth() <= bits;
  return lhs.isInteger() && rhs.isInteger() && bits >= 32 &&
         lhs.getIntOrFloatBitWidth() >= 8 &&
         lhs.getIntOrFloatBitWidth() <= bits &&
         rhs.getIntOrFloatBitWidth() >= 8 &&
         rhs.getIntOrFloatBitWidth() <= bits;
}

LogicalResult DotOp::verify() {
  ArrayRef<int64_t> lhs = getLhs().getType().getShape();
  ArrayRef<int64_t> rhs = getRhs().getType().getShape();
  auto acc = cast<RankedTensorType>(getType());
  size_t rank = acc.getRank();
  // tilegpu_dot_c1
  if (rank < 2 || rank > 3 || lhs.size() != rank || rhs.size() != rank)
    return emitOpError() << "tiles of " << lhs.size() << ", " << rhs.size()
                         << " and " << rank
                         << " dimensions; expected 2 each, or 3 "
                            "(tilegpu_dot_c1)";
  // tilegpu_dot_c2
  SmallVector<int64_t> product(lhs);
  product.back() = rhs.back();
  if (lhs.back() != rhs[rank - 2] || lhs.drop_back(2) != rhs.drop_back(2) ||
      acc.getShape() != ArrayRef(product))
    return emitOpError() << toDims(lhs).text() << " times "
                         << toDims(rhs).text() << " is no "
                         << toDims(acc.getShape()).text()
                         << " (tilegpu_dot_c2)";
  // tilegpu_dot_c3
  Type left = getLhs().getType().getElementType();
  Type right = getRhs().getType().getElementType();
  if (!multiplies(left, right, acc.getElementType()))
    return emitOpError() << "no sum of " << acc.getElementType()
                         << " from products of " << left << " and " << right
                         << " (tilegpu_dot_c3)";
  return success();
}
