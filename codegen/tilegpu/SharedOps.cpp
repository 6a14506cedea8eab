//===- SharedOps.cpp - Accesses of shared memory --------------------------===//
#include "codegen/tilegpu/MatrixProduct.h"
#include "codegen/tilegpu/OpSupport.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// The rule of this number, of an op. `dot_c1` is that of `tile.dot`.
static std::string rule(Operation *op, int number) {
  return (Twine(" (") + (isa<DotOp>(op) ? "tilegpu_" : "") +
          op->getName().stripDialect() + "_c" + Twine(number) + ")")
      .str();
}

/// Checks that the window of `op` is inside the memory and fits the tile.
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

/// The shape of a tile, in shared memory or in registers.
static ArrayRef<int64_t> shapeOf(Type tile) {
  auto memory = dyn_cast<SharedType>(tile);
  return memory ? memory.getShape() : cast<RankedTensorType>(tile).getShape();
}

static Type elementOf(Type tile) {
  auto memory = dyn_cast<SharedType>(tile);
  return memory ? memory.getElementType() : getElementTypeOrSelf(tile);
}

/// Checks the shapes of a dot.
template <typename Op> static LogicalResult verifyContraction(Op op) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs().getType());
  ArrayRef<int64_t> rhs = op.getRhs().getType().getShape();
  auto acc = cast<RankedTensorType>(op.getType());
  size_t rank = acc.getRank();
  // tilegpu_dot_c1, mma_c1
  if (rank < 2 || rank > 3 || lhs.size() != rank || rhs.size() != rank)
    return op.emitOpError()
           << "tiles of " << lhs.size() << ", " << rhs.size() << " and " << rank
           << " dimensions; expected 2 each, or 3" << rule(op, 1);
  // tilegpu_dot_c2, mma_c2
  SmallVector<int64_t> product(lhs);
  product.back() = rhs.back();
  if (lhs.back() != rhs[rank - 2] || lhs.drop_back(2) != rhs.drop_back(2) ||
      acc.getShape() != ArrayRef(product))
    return op.emitOpError()
           << toDims(lhs).text() << " times " << toDims(rhs).text() << " is no "
           << toDims(acc.getShape()).text() << rule(op, 2);
  return success();
}

LogicalResult DotOp::verify() {
  if (failed(verifyContraction(*this)))
    return failure();
  // tilegpu_dot_c3
  Type left = getLhs().getType().getElementType();
  Type right = getRhs().getType().getElementType();
  Type acc = getElementTypeOrSelf(getType());
  if (!multiplies(left, right, acc))
    return emitOpError() << "no sum of " << acc << " from products of " << left
                         << " and " << right << " (tilegpu_dot_c3)";
  return success();
}

LogicalResult MmaOp::verify() {
  if (failed(verifyContraction(*this)))
    return failure();
  // mma_c3
  const target::MatrixInstruction *instruction =
      target::findMatrixInstruction(getInstruction());
  if (!instruction)
    return emitOpError() << "there is no matrix instruction \""
                         << getInstruction() << "\" (mma_c3)";
  // mma_c4
  Type left = elementOf(getLhs().getType());
  Type right = getRhs().getType().getElementType();
  Type acc = getElementTypeOrSelf(getType());
  if (!takes(*instruction, left, right, acc, getPrecision()))
    return emitOpError() << getInstruction() << " adds no products of " << left
                         << " and " << right << " to " << acc << " (mma_c4)";
  // mma_c5
  StatusOr<MatrixProduct> product = matrixProduct(
      *instruction, elementBits(right), layoutOf(getType()), getDepth());
  if (!product.ok())
    return emitOpError() << product.status().message() << " (mma_c5)";
  // mma_c6
  if (!getLhsMemory() && layoutOf(getLhs().getType()) != product->lhs)
    return emitOpError() << "lhs is in registers, but not as fragments of "
                         << getInstruction() << " (mma_c6)";
  return success();
}

void MmaOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand *operand : {&getLhsMutable(), &getRhsMutable()})
    if (isa<SharedType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand,
                           SharedMemory::get());
}
