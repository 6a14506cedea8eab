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

Value ThreadEmitter::loadElement(Value address, Type element) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value source = LLVM::IntToPtrOp::create(b, loc, pointer, address);
  Value loaded =
      LLVM::LoadOp::create(b, loc, numeric::storedType(element), source);
  return numeric::fromMemory(b, loc, loaded, element);
}

void ThreadEmitter::storeElement(Value value, Value address) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value target = LLVM::IntToPtrOp::create(b, loc, pointer, address);
  LLVM::StoreOp::create(b, loc, numeric::toMemory(b, loc, value), target);
}

/// The conjunction; null operands hold.
static Value both(OpBuilder &b, Location loc, Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}

LogicalResult ThreadEmitter::emitLoadPtr(tile::LoadPtrOp op) {
  Type element = pointeeOf(op.getPtr());
  if (op.getOrder() != tile::MemoryOrder::weak)
    return refuse(op, "accesses with an order are not supported on a GPU yet");
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  auto load = [&](Value address, Value condition, Value other) -> Value {
    if (!condition)
      return loadElement(address, element);
    if (!other)
      other = arith::ConstantOp::create(
          b, loc, cast<TypedAttr>(b.getZeroAttr(typeOf(element))));
    auto guarded = scf::IfOp::create(
        b, loc, condition,
        [&](OpBuilder &, Location) {
          scf::YieldOp::create(b, loc, loadElement(address, element));
        },
        [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, other); });
    return guarded.getResult(0);
  };
  Value addresses = get(op.getPtr());
  Value other = op.getOther() ? get(op.getOther()) : Value();
  auto tile = dyn_cast<RankedTensorType>(op.getType());
  if (!tile) {
    set(op, load(addresses, mask, other));
    return success();
  }
  const layout::Layout &layout = tilegpu::layoutOf(tile);
  mask = both(b, loc, mask, inTile(layout, tile.getShape()));
  std::vector<int32_t> copies = layout::registerCopies(layout);
  SmallVector<Value> loaded;
  for (auto [reg, source] : llvm::enumerate(copies)) {
    if (size_t(source) != reg) {
      loaded.push_back(loaded[source]);
      continue;
    }
    auto at = [&](Value vector) {
      return vector ? this->element(vector, reg) : Value();
    };
    loaded.push_back(load(at(addresses), at(mask), at(other)));
  }
  set(op, vectorOf(loaded));
  return success();
}

LogicalResult ThreadEmitter::emitStorePtr(tile::StorePtrOp op) {
  if (op.getOrder() != tile::MemoryOrder::weak)
    return refuse(op, "accesses with an order are not supported on a GPU yet");
  Value addresses = get(op.getPtr()), value = get(op.getValue());
  Value mask = op.getMask() ? get(op.getMask()) : Value();
  auto tile = dyn_cast<RankedTensorType>(op.getValue().getType());
  if (!tile) {
    // One thread of the block stores a scalar.
    Value first = isFirstThread();
    emitWhen(both(b, loc, first, mask),
             [&] { storeElement(value, addresses); });
    return success();
  }
  const layout::Layout &layout = tilegpu::layoutOf(tile);
  mask = both(b, loc, mask, inTile(layout, tile.getShape()));
  std::vector<int32_t> copies = layout::registerCopies(layout);
  emitWhen(ownsElements(layout), [&] {
    for (auto [reg, source] : llvm::enumerate(copies))
      if (size_t(source) == reg)
        emitWhen(mask ? this->element(mask, reg) : Value(), [&, reg = reg] {
          storeElement(this->element(value, reg),
                       this->element(addresses, reg));
        });
  });
  return success();
}

} // namespace tilewright::nvptx
