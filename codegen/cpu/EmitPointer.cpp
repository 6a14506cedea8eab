//===- EmitPointer.cpp - Pointers and atomic operations -------------------===//
//
// Accesses with an order, and all writes, go element by element: pointers of
// one tile may be equal, and each element is an access of its own.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

/// Integers or indices (scalar or vector), read as signed, as i64.
Value TileEmitter::signedI64(Value value) {
  Type from = getElementTypeOrSelf(value.getType());
  Type type = numeric::typeLike(value, b.getI64Type());
  if (from.isIndex())
    return b.createOrFold<arith::IndexCastOp>(loc, type, value);
  if (from.isInteger(64))
    return value;
  return arith::ExtSIOp::create(b, loc, type, value);
}

/// Addresses moved by a number of elements.
Value TileEmitter::createOffset(tile::OffsetOp op, ValueRange operands,
                                int64_t width) {
  auto pointer =
      cast<tile::PtrType>(getElementTypeOrSelf(op.getPtr().getType()));
  Type stored = numeric::storedType(pointer.getPointee());
  int64_t bytes = stored.getIntOrFloatBitWidth() / 8;
  Value count = signedI64(operands[1]);
  Value size = splat(arith::ConstantIntOp::create(b, loc, bytes, 64), width);
  return arith::AddIOp::create(b, loc, operands[0],
                               arith::MulIOp::create(b, loc, count, size));
}

static LLVM::AtomicOrdering orderingOf(tile::MemoryOrder order) {
  switch (order) {
  case tile::MemoryOrder::weak:
    return LLVM::AtomicOrdering::not_atomic;
  case tile::MemoryOrder::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tile::MemoryOrder::acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemoryOrder::release:
    return LLVM::AtomicOrdering::release;
  case tile::MemoryOrder::acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  case tile::MemoryOrder::seq_cst:
    return LLVM::AtomicOrdering::seq_cst;
  }
  llvm_unreachable("all orders are listed");
}

/// The order of the read that a failed exchange is.
static LLVM::AtomicOrdering failureOrdering(tile::MemoryOrder order) {
  bool acquires = order == tile::MemoryOrder::acquire ||
                  order == tile::MemoryOrder::acq_rel;
  return acquires ? LLVM::AtomicOrdering::acquire
                  : LLVM::AtomicOrdering::monotonic;
}

/// `access()` where the mask is true (or absent), else `otherwise`. With no
/// `type` there is no value.
Value TileEmitter::guarded(Value mask, Type type, Value otherwise,
                           llvm::function_ref<Value()> access) {
  if (!mask)
    return access();
  auto branch = scf::IfOp::create(b, loc, type ? TypeRange(type) : TypeRange(),
                                  mask, bool(type));
  OpBuilder::InsertionGuard guard(b);
  if (!type) {
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    access();
    return {};
  }
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, access());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return branch.getResult(0);
}

/// Calls `access` for each pointer with the elements of the operands; where
/// the mask is false the result is 0. `result` is null if there is none.
LogicalResult TileEmitter::forEachPointer(Value pointers, Value mask,
                                          ValueRange operands, Value result,
                                          Access access) {
  Type pointerType = LLVM::LLVMPointerType::get(b.getContext());
  Type type =
      result ? numeric::registerType(getElementTypeOrSelf(result.getType()))
             : Type();
  auto run = [&](Value pointer, Value when, ValueRange values) {
    Value zero = type ? arith::ConstantOp::create(
                            b, loc, cast<TypedAttr>(b.getZeroAttr(type)))
                            .getResult()
                      : Value();
    return guarded(when, type, zero, [&] {
      return access(LLVM::IntToPtrOp::create(b, loc, pointerType, pointer),
                    values);
    });
  };
  auto tile = dyn_cast<RankedTensorType>(pointers.getType());
  if (!tile) {
    Values values;
    for (Value operand : operands)
      values.push_back(scalars.lookup(operand));
    Value value = run(scalars.lookup(pointers),
                      mask ? scalars.lookup(mask) : Value(), values);
    if (result)
      scalars.map(result, value);
    return success();
  }
  // What is read of memory for the operands is read before the accesses.
  SmallVector<Value> inputs(operands);
  inputs.push_back(pointers);
  if (mask)
    inputs.push_back(mask);
  SmallVector<std::pair<Value, Buffer>> held;
  for (Value input : inputs) {
    if (!readsMemory(input))
      continue;
    FailureOr<Buffer> buffer = bufferOf(input);
    if (failed(buffer))
      return failure();
    held.push_back({input, *buffer});
  }
  std::optional<Buffer> target;
  if (result)
    target = allocate(tile.getShape(), getElementTypeOrSelf(result.getType()));
  LogicalResult done =
      forEachElement(tile.getShape(), [&](const Lanes &at) -> LogicalResult {
        Values values;
        for (Value input : inputs) {
          auto *known = llvm::find_if(
              held, [&](auto &entry) { return entry.first == input; });
          FailureOr<Value> value = known != held.end()
                                       ? readBuffer(known->second, at)
                                       : eval(input, at);
          if (failed(value))
            return failure();
          values.push_back(*value);
        }
        Value when = mask ? values.pop_back_val() : Value();
        Value pointer = values.pop_back_val();
        Value value = run(pointer, when, values);
        if (target)
          writeBuffer(*target, at, value);
        return success();
      });
  if (target)
    buffers[result] = *target;
  return done;
}

/// A weak load of a tile, lane by lane where the mask is true.
FailureOr<Value> TileEmitter::evalLoadPtr(tile::LoadPtrOp op, const Lanes &at) {
  Type element = getElementTypeOrSelf(op.getResult().getType());
  FailureOr<Value> pointers = eval(op.getPtr(), at);
  if (failed(pointers))
    return failure();
  Value mask, other;
  for (auto [operand, result] :
       {std::pair(op.getMask(), &mask), std::pair(op.getOther(), &other)}) {
    if (!operand)
      continue;
    FailureOr<Value> value = eval(operand, at);
    if (failed(value))
      return failure();
    *result = *value;
  }
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type stored = numeric::storedType(element);
  if (at.width == 1) {
    Value single = LLVM::IntToPtrOp::create(b, loc, pointer, *pointers);
    return loadLanes(single, index(1), true, element, 1, mask, other);
  }
  auto vectorType = VectorType::get({at.width}, stored);
  Value where = LLVM::IntToPtrOp::create(
      b, loc, VectorType::get({at.width}, pointer), *pointers);
  if (!mask)
    mask = laneMask(at, /*always=*/true);
  else if (Value there = laneMask(at))
    // Not `and`: the mask of a lane that is not there may be poison.
    mask = arith::SelectOp::create(
        b, loc, there, mask,
        arith::ConstantOp::create(b, loc, b.getZeroAttr(mask.getType())));
  Value passthru = arith::ConstantOp::create(b, loc, b.getZeroAttr(vectorType));
  if (other)
    passthru = numeric::toMemory(b, loc, other);
  Value loaded =
      LLVM::masked_gather::create(b, loc, vectorType, where, mask, passthru,
                                  stored.getIntOrFloatBitWidth() / 8);
  return numeric::fromMemory(b, loc, loaded, element);
}

/// A load with an order, or of a scalar: it happens at its place.
LogicalResult TileEmitter::emitOrderedLoad(tile::LoadPtrOp op) {
  Type element = getElementTypeOrSelf(op.getResult().getType());
  Type stored = numeric::storedType(element),
       wanted = numeric::registerType(element);
  unsigned align = stored.getIntOrFloatBitWidth() / 8;
  auto read = [&](Value pointer) -> Value {
    Value value =
        LLVM::LoadOp::create(b, loc, stored, pointer, align, false, false,
                             false, false, orderingOf(op.getOrder()));
    return numeric::fromMemory(b, loc, value, element);
  };
  if (!op.getOther())
    return forEachPointer(
        op.getPtr(), op.getMask(), {}, op.getResult(),
        [&](Value pointer, ValueRange) { return read(pointer); });
  // The mask is an operand here: where it is false there is another value.
  return forEachPointer(op.getPtr(), {}, {op.getMask(), op.getOther()},
                        op.getResult(), [&](Value pointer, ValueRange with) {
                          return guarded(with[0], wanted, with[1],
                                         [&] { return read(pointer); });
                        });
}

LogicalResult TileEmitter::emitStorePtr(tile::StorePtrOp op) {
  return forEachPointer(
      op.getPtr(), op.getMask(), op.getValue(), {},
      [&](Value pointer, ValueRange value) -> Value {
        Value stored = numeric::toMemory(b, loc, value[0]);
        unsigned align = stored.getType().getIntOrFloatBitWidth() / 8;
        LLVM::StoreOp::create(b, loc, stored, pointer, align, false, false,
                              false, orderingOf(op.getOrder()));
        return {};
      });
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

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

/// Computes the new float from the old and exchanges their bits until no one
/// came between.
Value TileEmitter::updateFloat(tile::AtomicKind kind, tile::MemoryOrder order,
                               Value pointer, Value value) {
  Type type = value.getType();
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  unsigned align = type.getIntOrFloatBitWidth() / 8;
  Value first =
      LLVM::LoadOp::create(b, loc, bits, pointer, align, false, false, false,
                           false, LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(b, loc, TypeRange(bits), first);
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, bits, loc);
  Value old = before->getArgument(0);
  Value number = arith::BitcastOp::create(b, loc, type, old);
  Value next = value;
  if (kind == tile::AtomicKind::add)
    next = arith::AddFOp::create(b, loc, number, value);
  else if (kind == tile::AtomicKind::max)
    next = arith::MaximumFOp::create(b, loc, number, value);
  else if (kind == tile::AtomicKind::min)
    next = arith::MinimumFOp::create(b, loc, number, value);
  Value exchange = LLVM::AtomicCmpXchgOp::create(
      b, loc, pointer, old, arith::BitcastOp::create(b, loc, bits, next),
      orderingOf(order), failureOrdering(order));
  Value found = LLVM::ExtractValueOp::create(b, loc, exchange, 0);
  Value isDone = LLVM::ExtractValueOp::create(b, loc, exchange, 1);
  Value isAgain = arith::XOrIOp::create(
      b, loc, isDone, arith::ConstantIntOp::create(b, loc, 1, 1));
  scf::ConditionOp::create(b, loc, isAgain, found);
  Block *after = b.createBlock(&loop.getAfter(), {}, bits, loc);
  scf::YieldOp::create(b, loc, after->getArgument(0));
  b.setInsertionPointAfter(loop);
  return arith::BitcastOp::create(b, loc, type, loop.getResult(0));
}

Value TileEmitter::updateAtomically(tile::AtomicKind kind,
                                    tile::MemoryOrder order, Value pointer,
                                    Value value) {
  if (isa<FloatType>(value.getType()))
    return updateFloat(kind, order, pointer, value);
  return LLVM::AtomicRMWOp::create(b, loc, integerUpdate(kind), pointer, value,
                                   orderingOf(order));
}

LogicalResult TileEmitter::emitAtomicRmw(tile::AtomicRmwOp op) {
  return forEachPointer(op.getPtr(), op.getMask(), op.getValue(),
                        op.getResult(), [&](Value pointer, ValueRange value) {
                          return updateAtomically(op.getKind(), op.getOrder(),
                                                  pointer, value[0]);
                        });
}

LogicalResult TileEmitter::emitAtomicCas(tile::AtomicCasOp op) {
  return forEachPointer(
      op.getPtr(), op.getMask(), {op.getCompare(), op.getValue()},
      op.getResult(), [&](Value pointer, ValueRange values) -> Value {
        Value exchange = LLVM::AtomicCmpXchgOp::create(
            b, loc, pointer, values[0], values[1], orderingOf(op.getOrder()),
            failureOrdering(op.getOrder()));
        return LLVM::ExtractValueOp::create(b, loc, exchange, 0);
      });
}

LogicalResult TileEmitter::emitAtomicReduce(tile::AtomicReduceOp op) {
  auto type = cast<RankedTensorType>(op.getValue().getType());
  std::optional<Buffer> held;
  if (readsMemory(op.getValue())) {
    FailureOr<Buffer> buffer = bufferOf(op.getValue());
    if (failed(buffer))
      return failure();
    held = *buffer;
  }
  return forEachElement(type.getShape(), [&](const Lanes &at) -> LogicalResult {
    FailureOr<Value> value =
        held ? readBuffer(*held, at) : eval(op.getValue(), at);
    if (failed(value))
      return failure();
    Address address = viewAddress(op.getView(), op.getOffsets(), op.getSteps(),
                                  op.getByElement(), type.getShape(), at, true);
    guarded(address.mask, {}, {}, [&] {
      return updateAtomically(op.getKind(), op.getOrder(), address.pointer,
                              *value);
    });
    return success();
  });
}

LogicalResult TileEmitter::emitFence(tile::FenceOp op) {
  LLVM::FenceOp::create(b, loc, orderingOf(op.getOrder()), StringRef());
  return success();
}

} // namespace tilewright::cpu
