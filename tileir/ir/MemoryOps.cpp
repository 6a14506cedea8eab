// Views, pointers, and the accesses through them.
#include "tileir/ir/Support.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tile;
using support::accessedType;
using support::opError;
using support::shapeOf;
using support::shapeText;

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

namespace {
/// The rules that load and store share, and their names in the spec.
struct AccessRules {
  StringRef rank, offsets, element, steps;
};
} // namespace

/// Checks a tile of type `tile` accessed in `view`.
static LogicalResult verifyAccess(Operation *op, RankedTensorType tile,
                                  TypedValue<ViewType> view, size_t offsets,
                                  bool byElement, ArrayRef<int64_t> steps,
                                  const AccessRules &rules) {
  ViewType viewType = view.getType();
  if (tile.getRank() != viewType.getRank())
    return opError(op) << "the tile " << shapeText(tile.getShape()) << " has "
                       << tile.getRank() << " dimensions, the view " << viewType
                       << " has " << viewType.getRank() << " (" << rules.rank
                       << ")";
  if (static_cast<int64_t>(offsets) != viewType.getRank())
    return opError(op) << offsets << " indices for a view with "
                       << viewType.getRank() << " dimensions (" << rules.offsets
                       << ")";
  if (tile.getElementType() != viewType.getElementType())
    return opError(op) << "the tile has elements " << tile.getElementType()
                       << ", the view " << viewType.getElementType() << " ("
                       << rules.element << ")";
  bool sized = static_cast<int64_t>(steps.size()) == viewType.getRank();
  bool positive = llvm::all_of(steps, [](int64_t s) { return s > 0; });
  if (!steps.empty() && (!byElement || !sized || !positive))
    return opError(op) << "steps [" << steps
                       << "]; expected one positive number for each of "
                       << viewType.getRank()
                       << " dimensions, with offsets in elements ("
                       << rules.steps << ")";
  return success();
}

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
  if (failed(verifyAccess(*this, cast<RankedTensorType>(getType()), getView(),
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
  return verifyAccess(*this, cast<RankedTensorType>(getValue().getType()),
                      getView(), getOffsets().size(), getByElement(),
                      getSteps(),
                      {"store_c1", "store_c2", "store_c3", "store_c4"});
}

//===--- base, offset -----------------------------------------------------===//

void BaseOp::build(OpBuilder &builder, OperationState &state, Value view) {
  Type element = cast<ViewType>(view.getType()).getElementType();
  build(builder, state, PtrType::get(element), view);
}

// base_c1
LogicalResult BaseOp::verify() {
  if (getType().getPointee() == getView().getType().getElementType())
    return success();
  return opError(*this) << "the result is " << getType()
                        << ", the view has elements "
                        << getView().getType().getElementType() << " (base_c1)";
}

LogicalResult OffsetOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  Type pointer = adaptor.getPtr().getType();
  Type offset = adaptor.getOffset().getType();
  types.push_back(isa<RankedTensorType>(pointer)
                      ? pointer
                      : withElementType(offset, pointer));
  return success();
}

// offset_c1
LogicalResult OffsetOp::verify() {
  Type pointer = getPtr().getType();
  if (isa<RankedTensorType>(pointer) &&
      shapeOf(pointer) != shapeOf(getOffset()))
    return opError(*this) << "the pointers are " << shapeText(shapeOf(pointer))
                          << ", the offsets " << shapeText(shapeOf(getOffset()))
                          << " (offset_c1)";
  return success();
}

OpFoldResult OffsetOp::fold(FoldAdaptor adaptor) {
  auto isZero = [](Attribute attribute) {
    if (auto splat = dyn_cast_or_null<SplatElementsAttr>(attribute))
      return splat.getSplatValue<APInt>().isZero();
    auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
    return integer && integer.getValue().isZero();
  };
  if (getPtr().getType() == getType() && isZero(adaptor.getOffset()))
    return getPtr();
  return {};
}

//===--- load_ptr, store_ptr ----------------------------------------------===//

namespace {
/// The rules that accesses through pointers share.
struct PointerRules {
  StringRef value, mask, order;
};
} // namespace

static LogicalResult
verifyPointerAccess(Operation *op, Type pointer, Type value, Value mask,
                    MemoryOrder order, std::optional<MemoryScope> scope,
                    ArrayRef<MemoryOrder> orders, const PointerRules &rules) {
  if (value && value != accessedType(pointer))
    return opError(op) << "the value is " << value << ", " << pointer
                       << " points to " << accessedType(pointer) << " ("
                       << rules.value << ")";
  if (mask && shapeOf(mask) != shapeOf(pointer))
    return opError(op) << "the mask is " << shapeText(shapeOf(mask))
                       << ", the pointers are " << shapeText(shapeOf(pointer))
                       << " (" << rules.mask << ")";
  bool isWeak = order == MemoryOrder::weak;
  if (!llvm::is_contained(orders, order) || isWeak == scope.has_value()) {
    InFlightDiagnostic diagnostic = opError(op);
    diagnostic << "order " << stringifyMemoryOrder(order)
               << (scope ? " with a scope" : " without a scope")
               << "; expected ";
    llvm::interleaveComma(orders, diagnostic, [&](MemoryOrder allowed) {
      diagnostic << stringifyMemoryOrder(allowed);
    });
    return diagnostic << ", and a scope unless weak (" << rules.order << ")";
  }
  return success();
}

void LoadPtrOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                      Value mask, Value other) {
  build(builder, state, accessedType(ptr.getType()), ptr, mask, other,
        MemoryOrder::weak, MemoryScopeAttr());
}

LogicalResult LoadPtrOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(accessedType(adaptor.getPtr().getType()));
  return success();
}

LogicalResult LoadPtrOp::verify() {
  // load_ptr_c1, load_ptr_c2, load_ptr_c3
  if (failed(verifyPointerAccess(
          *this, getPtr().getType(), getOther() ? getOther().getType() : Type(),
          getMask(), getOrder(), getScope(),
          {MemoryOrder::weak, MemoryOrder::relaxed, MemoryOrder::acquire},
          {"load_ptr_c1", "load_ptr_c2", "load_ptr_c3"})))
    return failure();
  // load_ptr_c4
  if (getOther() && !getMask())
    return opError(*this) << "other is given without a mask (load_ptr_c4)";
  return success();
}

void StorePtrOp::build(OpBuilder &builder, OperationState &state, Value value,
                       Value ptr, Value mask) {
  build(builder, state, value, ptr, mask, MemoryOrder::weak, MemoryScopeAttr());
}

LogicalResult StorePtrOp::verify() {
  // store_ptr_c1, store_ptr_c2, store_ptr_c3
  return verifyPointerAccess(
      *this, getPtr().getType(), getValue().getType(), getMask(), getOrder(),
      getScope(),
      {MemoryOrder::weak, MemoryOrder::relaxed, MemoryOrder::release},
      {"store_ptr_c1", "store_ptr_c2", "store_ptr_c3"});
}
