//===- EmitPointer.cpp - Pointers -----------------------------------------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Blocks.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/LaneAccess.h"
#include "codegen/cpu/Loops.h"
#include "codegen/cpu/PointerAccess.h"
#include "codegen/numeric/ElementTypes.h"

using namespace mlir;

namespace tilewright::cpu {

/// Addresses moved by a number of elements.
static Values computeOffset(tile::OffsetOp op, ValueRange operands,
                            int64_t width, ImplicitLocOpBuilder &b) {
  auto pointer =
      cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr().getType()));
  Type stored = numeric::storedType(pointer.getPointee());
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
  Value count = signedI64(b, operands[1]);
  Value size = splat(b, arith::ConstantIntOp::create(b, bytes, 64), width);
  return {arith::AddIOp::create(b, operands[0],
                                arith::MulIOp::create(b, count, size))};
}

/// Pointers are held as integers: casts change nothing.
static Values computeFirst(Operation *, ValueRange operands, int64_t,
                           ImplicitLocOpBuilder &) {
  return {operands[0]};
}

/// The pointers at these addresses. Those beside one address say so: a gather
/// from one base is cheaper, and LLVM 22 combines some gathers for ever whose
/// base is added to each lane.
static Value pointersAt(ImplicitLocOpBuilder &b, Value addresses,
                        int64_t width) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto pointers = VectorType::get({width}, pointer);
  auto sum = addresses.getDefiningOp<arith::AddIOp>();
  auto base = sum ? sum.getLhs().getDefiningOp<vector::BroadcastOp>() : nullptr;
  if (!base || !base.getSource().getType().isInteger(64))
    return LLVM::IntToPtrOp::create(b, pointers, addresses);
  Value first = LLVM::IntToPtrOp::create(b, pointer, base.getSource());
  return LLVM::GEPOp::create(b, pointers, b.getI8Type(), first,
                             ArrayRef<LLVM::GEPArg>{sum.getRhs()});
}

static bool isWeak(tile::LoadPtrOp op) {
  return op.getOrder() == tile::MemoryOrder::weak;
}

static Value pointersOf(tile::LoadPtrOp op) { return op.getPtr(); }

/// A weak load of a tile, lane by lane where the mask is true.
static FailureOr<Value> evalLoadPtr(tile::LoadPtrOp op, const Lanes &at,
                                    Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Type element = getElementTypeOrSelf(op.getResult().getType());
  FailureOr<Value> pointers = eval(op.getPtr(), at, e);
  if (failed(pointers))
    return failure();
  Value mask, other;
  for (auto [operand, result] :
       {std::pair(op.getMask(), &mask), std::pair(op.getOther(), &other)}) {
    if (!operand)
      continue;
    FailureOr<Value> value = eval(operand, at, e);
    if (failed(value))
      return failure();
    *result = *value;
  }
  Type stored = numeric::storedType(element);
  if (at.width == 1) {
    Value single = LLVM::IntToPtrOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), *pointers);
    return loadLanes(b, single, index(b, 1), true, element, 1, mask, other);
  }
  auto vectorType = VectorType::get({at.width}, stored);
  Value where = pointersAt(b, *pointers, at.width);
  if (!mask)
    mask = laneMask(b, at, /*always=*/true);
  else if (Value there = laneMask(b, at))
    // Not `and`: the mask of a lane that is not there may be poison.
    mask = arith::SelectOp::create(
        b, there, mask,
        arith::ConstantOp::create(b, b.getZeroAttr(mask.getType())));
  Value passthru = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  if (other)
    passthru = numeric::toMemory(b, b.getLoc(), other);
  Value loaded = LLVM::masked_gather::create(
      b, vectorType, where, mask, passthru, stored.getIntOrFloatBitWidth() / 8);
  return numeric::fromMemory(b, b.getLoc(), loaded, element);
}

/// A load with an order, or of a scalar: it is emitted at its position.
static LogicalResult emitOrderedLoad(tile::LoadPtrOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Type element = getElementTypeOrSelf(op.getResult().getType());
  Type stored = numeric::storedType(element),
       wanted = numeric::registerType(element);
  unsigned align = stored.getIntOrFloatBitWidth() / 8;
  auto read = [&](Value pointer) -> Value {
    Value value = LLVM::LoadOp::create(b, stored, pointer, align, false, false,
                                       false, false, orderingOf(op.getOrder()));
    return numeric::fromMemory(b, b.getLoc(), value, element);
  };
  if (!op.getOther())
    return forEachPointer(
        op.getPtr(), op.getMask(), {}, op.getResult(), e,
        [&](Value pointer, ValueRange) { return read(pointer); });
  // The mask is an operand here: where it is false there is another value.
  return forEachPointer(op.getPtr(), {}, {op.getMask(), op.getOther()},
                        op.getResult(), e, [&](Value pointer, ValueRange with) {
                          return guarded(b, with[0], wanted, with[1],
                                         [&] { return read(pointer); });
                        });
}

static LogicalResult emitLoadPtr(tile::LoadPtrOp op, Emission &e) {
  return isWeak(op) && isa<RankedTensorType>(op.getType())
             ? emitLazy(op, e)
             : emitOrderedLoad(op, e);
}

static LogicalResult emitStorePtr(tile::StorePtrOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  return forEachPointer(
      op.getPtr(), op.getMask(), op.getValue(), {}, e,
      [&](Value pointer, ValueRange value) -> Value {
        Value stored = numeric::toMemory(b, b.getLoc(), value[0]);
        unsigned align = stored.getType().getIntOrFloatBitWidth() / 8;
        LLVM::StoreOp::create(b, stored, pointer, align, false, false, false,
                              orderingOf(op.getOrder()));
        return {};
      });
}

void addPointerOps(CpuOps &ops) {
  ops.add<tile::OffsetOp>(
      {.compute = onOp(computeOffset), .keepsMemory = true});
  ops.add<tile::PtrCastOp, tile::AssumeOp>(
      {.compute = computeFirst, .keepsMemory = true});
  ops.add<tile::PtrToIntOp, tile::IntToPtrOp>({.compute = computeFirst});
  ops.add<tile::LoadPtrOp>({.emit = onOp(emitLoadPtr),
                            .eval = onOp(evalLoadPtr),
                            .isLazy = onOp(isWeak),
                            .loadsFrom = onOp(pointersOf)});
  ops.add<tile::StorePtrOp>({.emit = onOp(emitStorePtr)});
}

} // namespace tilewright::cpu
