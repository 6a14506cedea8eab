//===- EmitElement.cpp - Elements of tiles, one vector at a time ----------===//
#include "codegen/cpu/TileEmitter.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::cpu {

/// A pointer is computed as its address.
static Type computeType(Type element) {
  return isa<tile::PtrType>(element)
             ? Type(IntegerType::get(element.getContext(), 64))
             : element;
}

Type TileEmitter::vectorOf(Type element, int64_t width) {
  element = computeType(element);
  return width == 1 ? element : Type(VectorType::get({width}, element));
}

Value TileEmitter::splat(Value scalar, int64_t width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(b, loc, vectorOf(scalar.getType(), width),
                                     scalar);
}

/// The vector 0, 1, 2, ...
Value TileEmitter::laneNumbers(Type element, int64_t width) {
  auto type = cast<VectorType>(vectorOf(element, width));
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < width; ++i)
    numbers.push_back(b.getIntegerAttr(element, i));
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, numbers));
}

static bool sameIndex(Value x, Value y) {
  if (x == y)
    return true;
  APInt a, b;
  return matchPattern(x, m_ConstantInt(&a)) &&
         matchPattern(y, m_ConstantInt(&b)) && a == b;
}

FailureOr<Value> TileEmitter::eval(Value tile, const Lanes &at) {
  for (const Memo &known : memo)
    if (known.tile == tile && known.at.width == at.width &&
        known.at.lane == at.lane &&
        llvm::all_of(llvm::zip(known.at.index, at.index), [](auto pair) {
          return sameIndex(std::get<0>(pair), std::get<1>(pair));
        }))
      return known.value;
  FailureOr<Value> value = evalUncached(tile, at);
  if (succeeded(value))
    memo.push_back({tile, at, *value});
  return value;
}

FailureOr<Value> TileEmitter::evalUncached(Value tile, const Lanes &at) {
  if (auto buffer = buffers.find(tile); buffer != buffers.end())
    return readBuffer(buffer->second, at);
  Operation *op = tile.getDefiningOp();
  if (!op) {
    emitError(loc, "a tile argument of a region is not lowered for the cpu "
                   "target");
    return failure();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return evalConstant(constant, at);
  if (auto splatOp = dyn_cast<tile::SplatOp>(op))
    return splat(scalars.lookup(splatOp.getScalar()), at.width);
  if (auto iota = dyn_cast<tile::IotaOp>(op)) {
    Type element = iota.getResult().getType().getElementType();
    Value first = at.index[0];
    if (!element.isIndex())
      first = arith::IndexCastOp::create(b, loc, element, first);
    if (at.width == 1)
      return first;
    return Value(arith::AddIOp::create(b, loc, splat(first, at.width),
                                       laneNumbers(element, at.width)));
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return evalBroadcast(broadcast, at);
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op))
    return evalReshape(reshape, at);
  if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    Lanes source = at;
    for (auto [to, from] : llvm::enumerate(transpose.getPermutation())) {
      source.index[from] = at.index[to];
      if (at.lane == static_cast<int>(to))
        source.lane = from;
    }
    return eval(transpose.getSource(), source);
  }
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return evalLoad(load, at);
  if (auto load = dyn_cast<tile::LoadPtrOp>(op))
    return evalLoadPtr(load, at);
  if (auto offset = dyn_cast<tile::OffsetOp>(op)) {
    FailureOr<Value> base = eval(offset.getPtr(), at);
    FailureOr<Value> count = eval(offset.getOffset(), at);
    if (failed(base) || failed(count))
      return failure();
    auto pointer =
        cast<tile::PtrType>(getElementTypeOrSelf(offset.getPtr().getType()));
    Type element = storageType(pointer.getPointee());
    Value bytes = splat(arith::ConstantIntOp::create(
                            b, loc, element.getIntOrFloatBitWidth() / 8, 64),
                        at.width);
    Type wide = vectorOf(b.getI64Type(), at.width);
    Value number = *count;
    if (getElementTypeOrSelf(number.getType()).isIndex())
      number = arith::IndexCastOp::create(b, loc, wide, number);
    else if (number.getType() != wide)
      number = arith::ExtSIOp::create(b, loc, wide, number);
    Value distance = arith::MulIOp::create(b, loc, number, bytes);
    return Value(arith::AddIOp::create(b, loc, *base, distance));
  }
  return evalElementwise(op, at);
}

FailureOr<Value> TileEmitter::evalConstant(arith::ConstantOp op,
                                           const Lanes &at) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.emitError("this kind of constant is not lowered for the cpu "
                        "target");
  if (elements.isSplat()) {
    auto value = cast<TypedAttr>(elements.getSplatValue<Attribute>());
    return splat(arith::ConstantOp::create(b, loc, value), at.width);
  }
  if (elements.getElementType().isIndex() ||
      elements.getElementType().isInteger(1))
    return op.emitError("a tile constant of this type with different elements "
                        "is not lowered for the cpu target");
  // An array in the object's read-only data.
  auto type = cast<RankedTensorType>(elements.getType());
  std::string &name = constantNames[op];
  if (name.empty()) {
    name =
        (kernel.getSymName() + "_constant" + Twine(constantNames.size())).str();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto array =
        LLVM::LLVMArrayType::get(type.getElementType(), type.getNumElements());
    auto flat = elements.reshape(
        RankedTensorType::get({type.getNumElements()}, type.getElementType()));
    LLVM::GlobalOp::create(b, loc, array, /*isConstant=*/true,
                           LLVM::Linkage::Private, name, flat, 64);
  }
  Value pointer = LLVM::AddressOfOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
  Buffer buffer{pointer, SmallVector<int64_t>(type.getShape()),
                type.getElementType()};
  return readBuffer(buffer, at);
}

FailureOr<Value> TileEmitter::evalBroadcast(tile::BroadcastOp op,
                                            const Lanes &at) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  Lanes inner = at;
  for (int64_t d = 0; d < source.getRank(); ++d) {
    if (source.getDimSize(d) == result.getDimSize(d))
      continue;
    inner.index[d] = index(0);
    if (at.lane == d) {
      inner.lane = -1;
      inner.width = 1;
    }
  }
  FailureOr<Value> value = eval(op.getSource(), inner);
  if (failed(value))
    return failure();
  return inner.width == at.width ? *value : splat(*value, at.width);
}

/// Only dims of size 1 come or go here; other reshapes have a buffer.
FailureOr<Value> TileEmitter::evalReshape(tile::ReshapeOp op, const Lanes &at) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getResult().getType());
  Lanes inner;
  inner.width = at.width;
  int64_t to = 0;
  for (int64_t size : source.getShape()) {
    if (size == 1) {
      inner.index.push_back(index(0));
      continue;
    }
    while (result.getDimSize(to) == 1)
      ++to;
    if (at.lane == to)
      inner.lane = inner.index.size();
    inner.index.push_back(at.index[to++]);
  }
  return eval(op.getSource(), inner);
}

/// The op on vectors (or scalars) in place of tiles.
Value TileEmitter::createElementwise(Operation *op, ValueRange operands,
                                     int64_t width) {
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addTypes(
      vectorOf(getElementTypeOrSelf(op->getResult(0).getType()), width));
  return b.create(state)->getResult(0);
}

FailureOr<Value> TileEmitter::evalElementwise(Operation *op, const Lanes &at) {
  if (!isLazy(op))
    return op->emitError("this op is not lowered for the cpu target");
  Values operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      operands.push_back(scalars.lookup(operand));
      continue;
    }
    FailureOr<Value> value = eval(operand, at);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  return createElementwise(op, operands, at.width);
}

} // namespace tilewright::cpu
