// Ops that make tiles and move their elements.
#include "tileir/ir/Support.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright::tile;
using support::opError;
using support::sameButLayouts;
using support::shapeOf;
using support::shapeText;

/// A constant tile of one value, or null.
static SplatElementsAttr splatOf(Attribute attribute) {
  return dyn_cast_or_null<SplatElementsAttr>(attribute);
}

/// Folds an op that only moves elements of a constant splat.
static OpFoldResult moveSplat(Attribute source, Type resultType) {
  if (SplatElementsAttr splat = splatOf(source))
    return splat.resizeSplat(cast<ShapedType>(resultType));
  return {};
}

/// Replaces a mover of a tile.splat by a tile.splat of the result's type.
template <typename MoverOp>
static LogicalResult moverOfSplat(MoverOp op, PatternRewriter &rewriter) {
  auto splat = op.getSource().template getDefiningOp<SplatOp>();
  if (!splat)
    return rewriter.notifyMatchFailure(op, "the source is not a tile.splat");
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getScalar());
  return success();
}

//===--- iota, splat ------------------------------------------------------===//

LogicalResult IotaOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  // iota_c1
  if (type.getRank() != 1)
    return opError(*this) << "the result has " << type.getRank()
                          << " dimensions, expected 1 (iota_c1)";
  // iota_c2
  unsigned width =
      type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  if (width < 64 && type.getDimSize(0) > (int64_t(1) << width))
    return opError(*this) << type.getElementType() << " cannot count to "
                          << type.getDimSize(0) << " (iota_c2)";
  return success();
}

// splat_c1
LogicalResult SplatOp::verify() {
  Type element = getElementTypeOrSelf(getType());
  if (element != getScalar().getType())
    return opError(*this) << "the scalar is " << getScalar().getType()
                          << ", the result's elements are " << element
                          << " (splat_c1)";
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getScalar()))
    return SplatElementsAttr::get(cast<ShapedType>(getType()),
                                  adaptor.getScalar());
  return {};
}

//===--- broadcast --------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getType());
  // broadcast_c1
  if (from.getElementType() != to.getElementType())
    return opError(*this) << "element types differ: " << from.getElementType()
                          << " and " << to.getElementType()
                          << " (broadcast_c1)";
  // broadcast_c2
  if (from.getRank() != to.getRank())
    return opError(*this) << "the source is " << shapeText(from.getShape())
                          << ", the result " << shapeText(to.getShape())
                          << "; expected equal ranks (broadcast_c2)";
  // broadcast_c3
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (from.getDimSize(dim) != to.getDimSize(dim) && from.getDimSize(dim) != 1)
      return opError(*this)
             << "dimension " << dim << " is " << from.getDimSize(dim)
             << " in the source and " << to.getDimSize(dim)
             << " in the result; only size 1 can grow (broadcast_c3)";
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return moveSplat(adaptor.getSource(), getType());
}

LogicalResult BroadcastOp::canonicalize(BroadcastOp op,
                                        PatternRewriter &rewriter) {
  if (auto inner = op.getSource().getDefiningOp<BroadcastOp>()) {
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                             inner.getSource());
    return success();
  }
  return moverOfSplat(op, rewriter);
}

//===--- reshape ----------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getSource().getType());
  auto to = cast<RankedTensorType>(getType());
  // reshape_c1
  if (from.getElementType() != to.getElementType())
    return opError(*this) << "element types differ: " << from.getElementType()
                          << " and " << to.getElementType() << " (reshape_c1)";
  // reshape_c2
  if (from.getNumElements() != to.getNumElements())
    return opError(*this) << "the source " << shapeText(from.getShape())
                          << " has " << from.getNumElements()
                          << " elements, the result "
                          << shapeText(to.getShape()) << " has "
                          << to.getNumElements() << " (reshape_c2)";
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource()))
    return dense.reshape(cast<ShapedType>(getType()));
  return {};
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (auto inner = op.getSource().getDefiningOp<ReshapeOp>()) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getSource());
    return success();
  }
  return moverOfSplat(op, rewriter);
}

//===--- transpose --------------------------------------------------------===//

/// True if `permutation` has each of 0 to its size - 1 once.
static bool isPermutation(ArrayRef<int64_t> permutation) {
  SmallVector<bool> seen(permutation.size());
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= static_cast<int64_t>(seen.size()) || seen[dim])
      return false;
    seen[dim] = true;
  }
  return true;
}

void TransposeOp::build(OpBuilder &builder, OperationState &state, Value source,
                        ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim : permutation)
    shape.push_back(type.getDimSize(dim));
  build(builder, state, type.clone(shape), source, permutation);
}

LogicalResult TransposeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  // transpose_c1
  if (static_cast<int64_t>(getPermutation().size()) != source.getRank())
    return opError(*this) << "the permutation has " << getPermutation().size()
                          << " numbers, the source has " << source.getRank()
                          << " dimensions (transpose_c1)";
  // transpose_c2
  if (!isPermutation(getPermutation()))
    return opError(*this) << '[' << getPermutation()
                          << "] is not a permutation of the dimensions "
                             "(transpose_c2)";
  // transpose_c3
  SmallVector<int64_t> shape;
  for (int64_t dim : getPermutation())
    shape.push_back(source.getDimSize(dim));
  auto expected = RankedTensorType::get(shape, source.getElementType());
  if (!sameButLayouts(getType(), expected))
    return opError(*this) << "the result is " << getType() << ", expected "
                          << expected << " (transpose_c3)";
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::is_sorted(permutation))
    return getSource();
  return moveSplat(adaptor.getSource(), getType());
}

LogicalResult TransposeOp::canonicalize(TransposeOp op,
                                        PatternRewriter &rewriter) {
  if (auto inner = op.getSource().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> combined;
    for (int64_t dim : op.getPermutation())
      combined.push_back(inner.getPermutation()[dim]);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getType(),
                                             inner.getSource(), combined);
    return success();
  }
  return moverOfSplat(op, rewriter);
}
