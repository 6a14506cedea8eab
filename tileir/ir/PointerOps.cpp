// Pointers and the accesses through them.
#include "tileir/ir/Support.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;
using support::accessedType;
using support::opError;
using support::shapeOf;
using support::shapeText;

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

/// An access with an order also counts as a write, so that it is neither
/// removed (with a loop that waits for it), nor moved or merged.
void LoadPtrOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getOrder() != MemoryOrder::weak)
    effects.emplace_back(MemoryEffects::Write::get());
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

//===--- ptr_cast, ptr_to_int, int_to_ptr ---------------------------------===//

static LogicalResult verifySameShape(Operation *op, StringRef rule) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (shapeOf(from) == shapeOf(to))
    return success();
  return opError(op) << "the operand is " << shapeText(shapeOf(from))
                     << ", the result " << shapeText(shapeOf(to)) << " ("
                     << rule << ")";
}

static LogicalResult verifyAddress(Operation *op, Type address,
                                   StringRef rule) {
  if (getElementTypeOrSelf(address).isInteger(64))
    return success();
  return opError(op) << "the address is " << getElementTypeOrSelf(address)
                     << ", expected i64 (" << rule << ")";
}

// ptr_cast_c1
LogicalResult PtrCastOp::verify() {
  return verifySameShape(*this, "ptr_cast_c1");
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  if (getPtr().getType() == getType())
    return getPtr();
  return {};
}

LogicalResult PtrToIntOp::verify() {
  // ptr_to_int_c1
  if (failed(verifySameShape(*this, "ptr_to_int_c1")))
    return failure();
  // ptr_to_int_c2
  return verifyAddress(*this, getType(), "ptr_to_int_c2");
}

LogicalResult IntToPtrOp::verify() {
  // int_to_ptr_c1
  if (failed(verifySameShape(*this, "int_to_ptr_c1")))
    return failure();
  // int_to_ptr_c2
  return verifyAddress(*this, getAddress().getType(), "int_to_ptr_c2");
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto back = getAddress().getDefiningOp<PtrToIntOp>();
  if (back && back.getPtr().getType() == getType())
    return back.getPtr();
  return {};
}
