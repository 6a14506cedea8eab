//===- EmitPointer.cpp - Pointers and accesses through them ---------------===//
//
// A pointer is its address, an i64.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/nvptx/ThreadEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

/// The type pointed to, by a pointer or a tile of pointers.
static Type pointeeOf(Value pointer) {
  return cast<tile::PtrType>(getElementTypeOrSelf(pointer.getType()))
      .getPointee();
}

LogicalResult ThreadEmitter::emitOffset(tile::OffsetOp op) {
  Type pointee = pointeeOf(op.getPtr());
  Type type = typeOf(op.getType());
  auto asResult = [&](Value value) -> Value {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector || isa<VectorType>(value.getType()))
      return value;
    return splat(value, vector.getNumElements());
  };
  Value offset = get(op.getOffset());
  Type wide = b.getI64Type();
  if (auto vector = dyn_cast<VectorType>(offset.getType()))
    wide = vector.clone(b.getI64Type());
  if (getElementTypeOrSelf(offset.getType()).isIndex())
    offset = arith::IndexCastOp::create(b, loc, wide, offset);
  else if (offset.getType() != wide)
    offset = arith::ExtSIOp::create(b, loc, wide, offset);
  Value bytes = asResult(integer(tilegpu::elementBits(pointee) / 8, 64));
  Value moved = arith::MulIOp::create(b, loc, asResult(offset), bytes);
  set(op, arith::AddIOp::create(b, loc, asResult(get(op.getPtr())), moved));
  return success();
}

//===--- One element ------------------------------------------------------===//

/// Loads the element at `address` as `op` says; an i1 from its byte.
Value ThreadEmitter::loadElement(Value address, tile::LoadPtrOp op) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value source = LLVM::IntToPtrOp::create(b, loc, pointer, address);
  Type type = typeOf(pointeeOf(op.getPtr()));
  Type stored = numeric::storedType(type);
  Value loaded = op.getOrder() == tile::MemoryOrder::weak
                     ? LLVM::LoadOp::create(b, loc, stored, source)
                     : LLVM::LoadOp::create(b, loc, stored, source,
                                            stored.getIntOrFloatBitWidth() / 8,
                                            false, false, false, false,
                                            llvmOrdering(op.getOrder()),
                                            syncScope(*op.getScope()));
  return numeric::fromMemory(b, loc, loaded, type);
}

void ThreadEmitter::storeElement(Value value, Value address,
                                 tile::StorePtrOp op) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value target = LLVM::IntToPtrOp::create(b, loc, pointer, address);
  value = numeric::toMemory(b, loc, value);
  if (op.getOrder() == tile::MemoryOrder::weak)
    LLVM::StoreOp::create(b, loc, value, target);
  else
    LLVM::StoreOp::create(b, loc, value, target,
                          value.getType().getIntOrFloatBitWidth() / 8, false,
                          false, false, llvmOrdering(op.getOrder()),
                          syncScope(*op.getScope()));
}

//===--- Tiles ------------------------------------------------------------===//

/// The conjunction; null operands hold. Not `and`: beyond the tile, where the
/// first is false, the second may be poison.
static Value both(OpBuilder &b, Location loc, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  Value no = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(y.getType())));
  return arith::SelectOp::create(b, loc, x, y, no);
}

Value ThreadEmitter::forEachPointer(RankedTensorType tile, Value mask,
                                    Value other,
                                    llvm::function_ref<Value(int64_t)> access) {
  const layout::Layout &layout = tilegpu::layoutOf(tile);
  mask = both(b, loc, inTile(layout, tile.getShape()), mask);
  if (mask && !other)
    other = zero(typeOf(tile));
  SmallVector<Value> results;
  for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout))) {
    if (size_t(source) != reg)
      results.push_back(results[source]);
    else if (mask)
      results.push_back(emitWhen(element(mask, int64_t(reg)),
                                 element(other, int64_t(reg)),
                                 [&] { return access(int64_t(reg)); }));
    else
      results.push_back(access(int64_t(reg)));
  }
  return vectorOf(results);
}

Value ThreadEmitter::emitOnce(RankedTensorType tile,
                              llvm::function_ref<Value()> access) {
  Value owns = ownsElements(tilegpu::layoutOf(tile));
  return emitWhen(owns, owns ? zero(typeOf(tile)) : Value(), access);
}

LogicalResult ThreadEmitter::refuseScalar(Operation *op) {
  return refuse(op, "expected a tile, found a scalar: broadcast-results runs "
                    "before");
}

LogicalResult ThreadEmitter::emitLoadPtr(tile::LoadPtrOp op) {
  Value addresses = get(op.getPtr());
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  Value other = op.getOther() ? get(op.getOther()) : Value();
  bool weak = op.getOrder() == tile::MemoryOrder::weak;
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile) {
    if (!weak)
      return refuseScalar(op);
    if (mask && !other)
      other = zero(typeOf(op.getType()));
    set(op, emitWhen(mask, other, [&] { return loadElement(addresses, op); }));
    return success();
  }
  auto load = [&] {
    return forEachPointer(tile, mask, other, [&](int64_t reg) {
      return loadElement(element(addresses, reg), op);
    });
  };
  set(op, weak ? load() : emitOnce(tile, load));
  return success();
}

LogicalResult ThreadEmitter::emitStorePtr(tile::StorePtrOp op) {
  Value addresses = get(op.getPtr()), value = get(op.getValue());
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!tile) {
    // One thread of the block stores a scalar.
    Value first = isFirstThread();
    emitWhen(both(b, loc, first, mask),
             [&] { storeElement(value, addresses, op); });
    return success();
  }
  const layout::Layout &layout = tilegpu::layoutOf(tile);
  mask = both(b, loc, inTile(layout, tile.getShape()), mask);
  std::vector<int32_t> copies = layout::registerCopies(layout);
  emitWhen(ownsElements(layout), [&] {
    for (auto [reg, source] : llvm::enumerate(copies))
      if (size_t(source) == reg)
        emitWhen(mask ? this->element(mask, reg) : Value(), [&, reg = reg] {
          storeElement(this->element(value, reg), this->element(addresses, reg),
                       op);
        });
  });
  return success();
}

} // namespace tilewright::nvptx
