// Ops that put tiles together and take them apart.
#include "tileir/ir/Support.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;
using support::opError;
using support::sameButLayouts;
using support::shapeOf;
using support::shapeText;

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

/// Checks that `axis` is one of `rank` dimensions.
static LogicalResult verifyAxis(Operation *op, int64_t axis, int64_t rank,
                                StringRef rule) {
  if (axis >= 0 && axis < rank)
    return success();
  return opError(op) << "axis " << axis << " of tiles with " << rank
                     << " dimensions (" << rule << ")";
}

//===--- join, split ------------------------------------------------------===//

/// The type of `count` tiles of type `part`, joined.
static RankedTensorType joinedType(Type part, int64_t count) {
  auto type = cast<RankedTensorType>(part);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(count);
  return RankedTensorType::get(shape, type.getElementType());
}

void JoinOp::build(OpBuilder &builder, OperationState &state,
                   ValueRange inputs) {
  build(builder, state, joinedType(inputs.front().getType(), inputs.size()),
        inputs);
}

LogicalResult JoinOp::verify() {
  // join_c1
  if (getInputs().empty() || !llvm::all_equal(getInputs().getTypes()))
    return opError(*this) << "the inputs are (" << getInputs().getTypes()
                          << "), expected one or more of one type (join_c1)";
  // join_c2
  auto expected = joinedType(getInputs().front().getType(), getInputs().size());
  if (!sameButLayouts(getType(), expected))
    return opError(*this) << "the result is " << getType() << ", expected "
                          << expected << " (join_c2)";
  return success();
}

void SplitOp::build(OpBuilder &builder, OperationState &state, Value source) {
  auto type = cast<RankedTensorType>(source.getType());
  Type part =
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  build(builder, state, SmallVector<Type>(type.getShape().back(), part),
        source);
}

LogicalResult SplitOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  // split_c1
  if (source.getRank() == 0)
    return opError(*this) << "the source has no dimension (split_c1)";
  // split_c2
  int64_t last = source.getShape().back();
  Type part = RankedTensorType::get(source.getShape().drop_back(),
                                    source.getElementType());
  auto isPart = [&](Type type) { return sameButLayouts(type, part); };
  if (static_cast<int64_t>(getNumResults()) != last ||
      !llvm::all_of(getResultTypes(), isPart))
    return opError(*this) << "the results are (" << getResultTypes()
                          << "), expected " << last << " of " << part
                          << " (split_c2)";
  return success();
}

LogicalResult SplitOp::fold(FoldAdaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSource().getDefiningOp<JoinOp>();
  if (!join)
    return failure();
  llvm::append_range(results, join.getInputs());
  return success();
}

//===--- concat -----------------------------------------------------------===//

void ConcatOp::build(OpBuilder &builder, OperationState &state,
                     ValueRange inputs, int64_t axis) {
  auto first = cast<RankedTensorType>(inputs.front().getType());
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (Value input : inputs)
    shape[axis] += shapeOf(input)[axis];
  build(builder, state, first.clone(shape), inputs, axis);
}

LogicalResult ConcatOp::verify() {
  // concat_c1
  if (getInputs().empty())
    return opError(*this) << "expected at least one input (concat_c1)";
  // concat_c2
  ArrayRef<int64_t> first = shapeOf(getInputs().front());
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, first.size(), "concat_c2")))
    return failure();
  // concat_c3
  SmallVector<int64_t> shape(first);
  shape[axis] = 0;
  for (Value input : getInputs()) {
    SmallVector<int64_t> rest(shapeOf(input)), expected(first);
    if (rest.size() == first.size())
      shape[axis] += std::exchange(rest[axis], first[axis]);
    if (rest != expected)
      return opError(*this)
             << "the inputs " << shapeText(first) << " and "
             << shapeText(shapeOf(input))
             << " differ in another dimension than " << axis << " (concat_c3)";
  }
  // concat_c4
  auto expected = RankedTensorType::get(shape, elementOf(getInputs().front()));
  bool same = llvm::all_of(getInputs(), [&](Value input) {
    return elementOf(input) == expected.getElementType();
  });
  if (!same || !sameButLayouts(getType(), expected))
    return opError(*this) << "the inputs are (" << getInputs().getTypes()
                          << ") and the result " << getType() << ", expected "
                          << expected << " (concat_c4)";
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  return {};
}

//===--- slice, extract ---------------------------------------------------===//

LogicalResult SliceOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource()), to = shapeOf(getResult());
  // slice_c1
  if (elementOf(getSource()) != elementOf(getResult()))
    return opError(*this) << "element types differ: " << elementOf(getSource())
                          << " and " << elementOf(getResult()) << " (slice_c1)";
  // slice_c2
  if (from.size() != to.size() || getOffsets().size() != from.size())
    return opError(*this) << "the source is " << shapeText(from)
                          << ", the result " << shapeText(to) << ", with "
                          << getOffsets().size()
                          << " offsets; expected equal numbers of dimensions "
                             "(slice_c2)";
  // slice_c3
  bool positive = llvm::all_of(getSteps(), [](int64_t s) { return s > 0; });
  if (!positive || (!getSteps().empty() && getSteps().size() != from.size()))
    return opError(*this) << "steps [" << getSteps()
                          << "]; expected one positive number for each of "
                          << from.size() << " dimensions (slice_c3)";
  // slice_c4
  for (size_t dim = 0; dim < from.size(); ++dim) {
    int64_t first = getOffsets()[dim];
    int64_t last = 0;
    // Offsets and steps may be any numbers.
    if (llvm::MulOverflow(to[dim] - 1, getStep(dim), last) ||
        llvm::AddOverflow(first, last, last))
      last = std::numeric_limits<int64_t>::max();
    if (first < 0 || last >= from[dim])
      return opError(*this)
             << "takes elements " << first << " to " << last << " of dimension "
             << dim << ", which has " << from[dim] << " (slice_c4)";
  }
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.resizeSplat(cast<ShapedType>(getType()));
  return {};
}

LogicalResult ExtractOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(elementOf(adaptor.getSource()));
  return success();
}

// extract_c1
LogicalResult ExtractOp::verify() {
  if (getIndices().size() == shapeOf(getSource()).size())
    return success();
  return opError(*this) << getIndices().size() << " indices for a tile with "
                        << shapeOf(getSource()).size()
                        << " dimensions (extract_c1)";
}

OpFoldResult ExtractOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSource().getDefiningOp<SplatOp>())
    return splat.getScalar();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.getSplatValue<Attribute>();
  return {};
}

//===--- gather -----------------------------------------------------------===//

void GatherOp::build(OpBuilder &builder, OperationState &state, Value source,
                     Value indices, int64_t axis) {
  Type type = withElementType(indices.getType(), elementOf(source));
  build(builder, state, type, source, indices, axis);
}

LogicalResult GatherOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource()), by = shapeOf(getIndices());
  // gather_c1
  int64_t axis = getAxis();
  if (failed(verifyAxis(*this, axis, from.size(), "gather_c1")))
    return failure();
  // gather_c2
  SmallVector<int64_t> expected(from);
  if (by.size() == from.size())
    expected[axis] = by[axis];
  if (by != ArrayRef<int64_t>(expected))
    return opError(*this) << "the source is " << shapeText(from)
                          << ", the indices " << shapeText(by)
                          << "; only dimension " << axis
                          << " may differ (gather_c2)";
  // gather_c3
  Type type = withElementType(getIndices().getType(), elementOf(getSource()));
  if (!sameButLayouts(getType(), type))
    return opError(*this) << "the result is " << getType() << ", expected "
                          << type << " (gather_c3)";
  return success();
}
