// Atomic operations and fences.
#include "tileir/ir/Support.h"

using namespace mlir;
using namespace tilewright::tile;
using support::accessedType;
using support::opError;
using support::shapeOf;
using support::shapeText;

/// True if an atomic of this kind can work on this element type.
static bool supports(AtomicKind kind, Type element) {
  bool isInt = element.isInteger(32) || element.isInteger(64);
  switch (kind) {
  case AtomicKind::exchange:
  case AtomicKind::add:
  case AtomicKind::max:
  case AtomicKind::min:
    return isInt ||
           isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
  case AtomicKind::and_:
  case AtomicKind::or_:
  case AtomicKind::xor_:
  case AtomicKind::umax:
  case AtomicKind::umin:
    return isInt;
  }
  llvm_unreachable("all kinds are listed");
}

static LogicalResult verifyKind(Operation *op, AtomicKind kind, Type value,
                                StringRef rule) {
  Type element = getElementTypeOrSelf(value);
  if (supports(kind, element))
    return success();
  return opError(op) << stringifyAtomicKind(kind)
                     << " does not work on elements " << element
                     << "; integers of 32 or 64 bits always do, f16, bf16, "
                        "f32 and f64 with exchange, add, max and min ("
                     << rule << ")";
}

static LogicalResult verifyOrder(Operation *op, MemoryOrder order,
                                 ArrayRef<MemoryOrder> allowed,
                                 StringRef rule) {
  if (llvm::is_contained(allowed, order))
    return success();
  InFlightDiagnostic diagnostic = opError(op);
  diagnostic << "order " << stringifyMemoryOrder(order) << "; expected ";
  llvm::interleaveComma(allowed, diagnostic, [&](MemoryOrder each) {
    diagnostic << stringifyMemoryOrder(each);
  });
  return diagnostic << " (" << rule << ")";
}

static LogicalResult verifyOperands(Operation *op, Value value, Value ptr,
                                    Value mask, StringRef valueRule,
                                    StringRef maskRule) {
  if (value.getType() != accessedType(ptr.getType()))
    return opError(op) << "the value is " << value.getType() << ", "
                       << ptr.getType() << " points to "
                       << accessedType(ptr.getType()) << " (" << valueRule
                       << ")";
  if (mask && shapeOf(mask) != shapeOf(ptr))
    return opError(op) << "the mask is " << shapeText(shapeOf(mask))
                       << ", the pointers are " << shapeText(shapeOf(ptr))
                       << " (" << maskRule << ")";
  return success();
}

static constexpr MemoryOrder kUpdateOrders[] = {
    MemoryOrder::relaxed, MemoryOrder::acquire, MemoryOrder::release,
    MemoryOrder::acq_rel};

LogicalResult AtomicRmwOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(accessedType(adaptor.getPtr().getType()));
  return success();
}

LogicalResult AtomicRmwOp::verify() {
  // atomic_rmw_c1, atomic_rmw_c2
  if (failed(verifyOperands(*this, getValue(), getPtr(), getMask(),
                            "atomic_rmw_c1", "atomic_rmw_c2")))
    return failure();
  // atomic_rmw_c3
  if (failed(
          verifyKind(*this, getKind(), getValue().getType(), "atomic_rmw_c3")))
    return failure();
  // atomic_rmw_c4
  return verifyOrder(*this, getOrder(), kUpdateOrders, "atomic_rmw_c4");
}

LogicalResult AtomicCasOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(accessedType(adaptor.getPtr().getType()));
  return success();
}

LogicalResult AtomicCasOp::verify() {
  // atomic_cas_c1, atomic_cas_c2
  if (failed(verifyOperands(*this, getValue(), getPtr(), getMask(),
                            "atomic_cas_c1", "atomic_cas_c2")))
    return failure();
  // atomic_cas_c3
  Type element = getElementTypeOrSelf(getValue());
  if (!element.isInteger(16) && !element.isInteger(32) &&
      !element.isInteger(64))
    return opError(*this) << "elements " << element
                          << "; expected integers of 16, 32 or 64 bits "
                             "(atomic_cas_c3)";
  // atomic_cas_c4
  return verifyOrder(*this, getOrder(), kUpdateOrders, "atomic_cas_c4");
}

LogicalResult AtomicReduceOp::verify() {
  // atomic_reduce_c1, atomic_reduce_c2, atomic_reduce_c3, atomic_reduce_c4
  if (failed(support::verifyAccess(
          *this, cast<RankedTensorType>(getValue().getType()), getView(),
          getOffsets().size(), getByElement(), getSteps(),
          {"atomic_reduce_c1", "atomic_reduce_c2", "atomic_reduce_c3",
           "atomic_reduce_c4"})))
    return failure();
  // atomic_reduce_c5
  if (failed(verifyKind(*this, getKind(), getValue().getType(),
                        "atomic_reduce_c5")))
    return failure();
  // atomic_reduce_c6
  return verifyOrder(*this, getOrder(),
                     {MemoryOrder::relaxed, MemoryOrder::release},
                     "atomic_reduce_c6");
}

// fence_c1
LogicalResult FenceOp::verify() {
  return verifyOrder(*this, getOrder(),
                     {MemoryOrder::acquire, MemoryOrder::release,
                      MemoryOrder::acq_rel, MemoryOrder::seq_cst},
                     "fence_c1");
}
