//===- EmitAtomic.cpp - Atomic operations ---------------------------------===//
#include "codegen/cpu/Buffers.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/Loops.h"
#include "codegen/cpu/PointerAccess.h"
#include "codegen/cpu/Views.h"
#include "codegen/numeric/FloatBits.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewright::cpu {

/// The order of the read that a failed exchange is.
static LLVM::AtomicOrdering failureOrdering(tile::MemoryOrder order) {
  bool acquires = order == tile::MemoryOrder::acquire ||
                  order == tile::MemoryOrder::acq_rel;
  return acquires ? LLVM::AtomicOrdering::acquire
                  : LLVM::AtomicOrdering::monotonic;
}

static LLVM::AtomicBinOp integerUpdate(tile::AtomicKind kind) {
  switch (kind) {
  case tile::AtomicKind::exchange:
    return LLVM::AtomicBinOp::xchg;
  case tile::AtomicKind::add:
    return LLVM::AtomicBinOp::add;
  case tile::AtomicKind::and_:
    return LLVM::AtomicBinOp::_and;
  case tile::AtomicKind::or_:
    return LLVM::AtomicBinOp::_or;
  case tile::AtomicKind::xor_:
    return LLVM::AtomicBinOp::_xor;
  case tile::AtomicKind::max:
    return LLVM::AtomicBinOp::max;
  case tile::AtomicKind::min:
    return LLVM::AtomicBinOp::min;
  case tile::AtomicKind::umax:
    return LLVM::AtomicBinOp::umax;
  case tile::AtomicKind::umin:
    return LLVM::AtomicBinOp::umin;
  }
  llvm_unreachable("all kinds are listed");
}

/// Floats of 16 bits are computed in f32 and rounded once.
static Value updatedFloat(ImplicitLocOpBuilder &b, tile::AtomicKind kind,
                          Value number, Value value) {
  if (kind == tile::AtomicKind::exchange)
    return value;
  auto type = cast<FloatType>(value.getType());
  bool isNarrow = numeric::isNarrowFloat(type);
  numeric::FloatBits bits(b, b.getLoc());
  if (isNarrow) {
    number = bits.toFloat(number, type, b.getF32Type());
    value = bits.toFloat(value, type, b.getF32Type());
  }
  Value next;
  if (kind == tile::AtomicKind::add)
    next = arith::AddFOp::create(b, number, value);
  else if (kind == tile::AtomicKind::max)
    next = arith::MaximumFOp::create(b, number, value);
  else
    next = arith::MinimumFOp::create(b, number, value);
  return isNarrow ? bits.round(next, type) : next;
}

/// Computes the new float from the old and exchanges their bits until no one
/// came between.
static Value updateFloat(ImplicitLocOpBuilder &b, tile::AtomicKind kind,
                         tile::MemoryOrder order, Value pointer, Value value) {
  Type type = value.getType();
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  unsigned align = type.getIntOrFloatBitWidth() / 8;
  Value first =
      LLVM::LoadOp::create(b, bits, pointer, align, false, false, false, false,
                           LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(b, TypeRange(bits), first);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, bits, b.getLoc());
  Value old = before->getArgument(0);
  Value next =
      updatedFloat(b, kind, arith::BitcastOp::create(b, type, old), value);
  Value exchange = LLVM::AtomicCmpXchgOp::create(
      b, pointer, old, arith::BitcastOp::create(b, bits, next),
      orderingOf(order), failureOrdering(order));
  Value found = LLVM::ExtractValueOp::create(b, exchange, 0);
  Value isDone = LLVM::ExtractValueOp::create(b, exchange, 1);
  Value isAgain =
      arith::XOrIOp::create(b, isDone, arith::ConstantIntOp::create(b, 1, 1));
  scf::ConditionOp::create(b, isAgain, found);
  Block *after = b.createBlock(&loop.getAfter(), {}, bits, b.getLoc());
  scf::YieldOp::create(b, after->getArgument(0));
  b.setInsertionPointAfter(loop);
  return arith::BitcastOp::create(b, type, loop.getResult(0));
}

static Value updateAtomically(ImplicitLocOpBuilder &b, tile::AtomicKind kind,
                              tile::MemoryOrder order, Value pointer,
                              Value value) {
  if (isa<FloatType>(value.getType()))
    return updateFloat(b, kind, order, pointer, value);
  return LLVM::AtomicRMWOp::create(b, integerUpdate(kind), pointer, value,
                                   orderingOf(order));
}

static LogicalResult emitAtomicRmw(tile::AtomicRmwOp op, Emission &e) {
  return forEachPointer(
      op.getPtr(), op.getMask(), op.getValue(), op.getResult(), e,
      [&](Value pointer, ValueRange value) {
        return updateAtomically(e.b, op.getKind(), op.getOrder(), pointer,
                                value[0]);
      });
}

static LogicalResult emitAtomicCas(tile::AtomicCasOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  return forEachPointer(
      op.getPtr(), op.getMask(), {op.getCompare(), op.getValue()},
      op.getResult(), e, [&](Value pointer, ValueRange values) -> Value {
        Value exchange = LLVM::AtomicCmpXchgOp::create(
            b, pointer, values[0], values[1], orderingOf(op.getOrder()),
            failureOrdering(op.getOrder()));
        return LLVM::ExtractValueOp::create(b, exchange, 0);
      });
}

static LogicalResult emitAtomicReduce(tile::AtomicReduceOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto type = cast<RankedTensorType>(op.getValue().getType());
  std::optional<Buffer> held;
  if (readsMemory(op.getValue(), e)) {
    FailureOr<Buffer> buffer = bufferOf(op.getValue(), e);
    if (failed(buffer))
      return failure();
    held = *buffer;
  }
  return forEachElement(
      type.getShape(), e, [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> value =
            held ? readBuffer(b, *held, at) : eval(op.getValue(), at, e);
        if (failed(value))
          return failure();
        Address address =
            viewAddress(viewTileOf(op, type), at, /*isChecked=*/true, e);
        guarded(b, address.mask, {}, {}, [&] {
          return updateAtomically(b, op.getKind(), op.getOrder(),
                                  address.pointer, *value);
        });
        return success();
      });
}

static LogicalResult emitFence(tile::FenceOp op, Emission &e) {
  LLVM::FenceOp::create(e.b, orderingOf(op.getOrder()), StringRef());
  return success();
}

void addAtomicOps(CpuOps &ops) {
  ops.add<tile::AtomicRmwOp>({.emit = onOp(emitAtomicRmw)});
  ops.add<tile::AtomicCasOp>({.emit = onOp(emitAtomicCas)});
  ops.add<tile::AtomicReduceOp>({.emit = onOp(emitAtomicReduce)});
  ops.add<tile::FenceOp>({.emit = onOp(emitFence)});
}

} // namespace tilewright::cpu
