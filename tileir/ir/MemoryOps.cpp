// Views, pointers, and the accesses through them.
#include "tileir/ir/Support.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tile;
using support::opError;

//===--- make_view --------------------------------------------------------===//

LogicalResult MakeViewOp::verify() {
  ViewType view = getType();
  // make_view_c1
  if (getPtr().getType().getPointee() != view.getElementType())
    return opError(*this) << "the pointer is " << getPtr().getType()
                          << ", the view has elements " << view.getElementType()
                          << " (make_view_c1)";
  // make_view_c2
  if (static_cast<int64_t>(getSizes().size()) != view.getNumDynamicDims())
    return opError(*this) << getSizes().size() << " sizes for " << view
                          << ", which has " << view.getNumDynamicDims()
                          << " dynamic dimensions (make_view_c2)";
  // make_view_c3
  if (static_cast<int64_t>(getStrides().size()) != view.getNumDynamicStrides())
    return opError(*this) << getStrides().size() << " strides for " << view
                          << ", which has " << view.getNumDynamicStrides()
                          << " dynamic strides (make_view_c3)";
  return success();
}

//===--- dim, stride, count -----------------------------------------------===//

/// Checks that `dim` is one of the view's dimensions.
static LogicalResult verifyDim(Operation *op, Type view, int64_t dim,
                               StringRef rule) {
  int64_t rank = cast<ViewType>(view).getRank();
  if (dim >= 0 && dim < rank)
    return success();
  return opError(op) << "dimension " << dim << " of a view with " << rank
                     << " dimensions (" << rule << ")";
}

static OpFoldResult foldedIndex(MLIRContext *context, int64_t value) {
  if (ShapedType::isDynamic(value))
    return {};
  return IntegerAttr::get(IndexType::get(context), value);
}

// dim_c1
LogicalResult DimOp::verify() {
  return verifyDim(*this, getView().getType(), getDim(), "dim_c1");
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  return foldedIndex(getContext(), getView().getType().getDimSize(getDim()));
}

// stride_c1
LogicalResult StrideOp::verify() {
  return verifyDim(*this, getView().getType(), getDim(), "stride_c1");
}

OpFoldResult StrideOp::fold(FoldAdaptor) {
  return foldedIndex(getContext(),
                     getView().getType().getKnownStride(getDim()));
}

LogicalResult CountOp::verify() {
  // count_c1
  if (failed(verifyDim(*this, getView().getType(), getDim(), "count_c1")))
    return failure();
  // count_c2
  if (static_cast<int64_t>(getExtent()) < 1)
    return opError(*this) << "the extent is "
                          << static_cast<int64_t>(getExtent())
                          << ", expected at least 1 (count_c2)";
  return success();
}

OpFoldResult CountOp::fold(FoldAdaptor) {
  int64_t size = getView().getType().getDimSize(getDim());
  if (ShapedType::isDynamic(size))
    return {};
  return foldedIndex(getContext(), llvm::divideCeil(size, getExtent()));
}

//===--- load, store ------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Type resultType,
                   Value view, ValueRange offsets, ArrayRef<int64_t> steps,
                   TypedAttr pad) {
  build(builder, state, resultType, view, offsets, /*byElement=*/true, steps,
        pad);
}

LoadOp LoadOp::createTile(OpBuilder &builder, Location loc, Type resultType,
                          Value view, ValueRange index, TypedAttr pad) {
  return create(builder, loc, resultType, view, index, /*byElement=*/false,
                ArrayRef<int64_t>(), pad);
}

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand view;
  SmallVector<OpAsmParser::UnresolvedOperand> offsets;
  UnitAttr byElement;
  DenseI64ArrayAttr steps;
  if (parser.parseOperand(view) ||
      parseAddress(parser, offsets, byElement, steps))
    return failure();
  bool isPadded = succeeded(parser.parseOptionalKeyword("pad"));
  support::NumberLiteral number;
  SMLoc padLoc = parser.getCurrentLocation();
  if (isPadded && support::parseNumber(parser, number))
    return failure();
  ViewType viewType;
  RankedTensorType resultType;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(viewType) || parser.parseArrow() ||
      parser.parseType(resultType) ||
      parser.resolveOperand(view, viewType, state.operands) ||
      parser.resolveOperands(offsets, parser.getBuilder().getIndexType(),
                             state.operands))
    return failure();
  if (byElement)
    state.addAttribute(getByElementAttrName(state.name), byElement);
  if (!steps.empty())
    state.addAttribute(getStepsAttrName(state.name), steps);
  if (isPadded) {
    FailureOr<TypedAttr> pad =
        support::makeNumber(parser, padLoc, number, viewType.getElementType());
    if (failed(pad))
      return failure();
    state.addAttribute(getPadAttrName(state.name), *pad);
  }
  state.addTypes(resultType);
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getView();
  printAddress(printer, *this, getOffsets(), getByElementAttr(),
               getStepsAttr());
  if (TypedAttr pad = getPadAttr()) {
    printer << " pad ";
    support::printNumber(printer, pad);
  }
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getByElementAttrName(), getStepsAttrName(), getPadAttrName()});
  printer << " : " << getView().getType() << " -> " << getType();
}

LogicalResult LoadOp::verify() {
  // load_c1, load_c2, load_c3, load_c4
  if (failed(support::verifyAccess(
          *this, cast<RankedTensorType>(getType()), getView(),
          getOffsets().size(), getByElement(), getSteps(),
          {"load_c1", "load_c2", "load_c3", "load_c4"})))
    return failure();
  // load_c5
  Type element = getViewType().getElementType();
  if (getPad() && getPadAttr().getType() != element)
    return opError(*this) << "the padding is " << getPadAttr().getType()
                          << ", the view has elements " << element
                          << " (load_c5)";
  return success();
}

void StoreOp::build(OpBuilder &builder, OperationState &state, Value value,
                    Value view, ValueRange offsets, ArrayRef<int64_t> steps) {
  build(builder, state, value, view, offsets, /*byElement=*/true, steps);
}

StoreOp StoreOp::createTile(OpBuilder &builder, Location loc, Value value,
                            Value view, ValueRange index) {
  return create(builder, loc, value, view, index, /*byElement=*/false,
                ArrayRef<int64_t>());
}

LogicalResult StoreOp::verify() {
  // store_c1, store_c2, store_c3, store_c4
  return support::verifyAccess(
      *this, cast<RankedTensorType>(getValue().getType()), getView(),
      getOffsets().size(), getByElement(), getSteps(),
      {"store_c1", "store_c2", "store_c3", "store_c4"});
}
