//===- EmitElement.cpp - Elements of tiles, one vector at a time ----------===//
#include "codegen/cpu/FloatBits.h"
#include "codegen/cpu/TileEmitter.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::cpu {

static tile::Rounding roundingOf(std::optional<arith::RoundingMode> mode) {
  switch (mode.value_or(arith::RoundingMode::to_nearest_even)) {
  case arith::RoundingMode::to_nearest_even:
    return tile::Rounding::nearest_even;
  case arith::RoundingMode::downward:
    return tile::Rounding::down;
  case arith::RoundingMode::upward:
    return tile::Rounding::up;
  case arith::RoundingMode::toward_zero:
    return tile::Rounding::toward_zero;
  case arith::RoundingMode::to_nearest_away:
    return tile::Rounding::nearest_away;
  }
  llvm_unreachable("all rounding modes are listed");
}

/// A pointer is computed as its address, a small float as its bits.
Type TileEmitter::computeType(Type element) {
  if (isa<tile::PtrType>(element))
    return IntegerType::get(element.getContext(), 64);
  if (isSmallFloat(element))
    return IntegerType::get(element.getContext(), 8);
  return element;
}

Type TileEmitter::vectorOf(Type element, int64_t width) {
  element = computeType(element);
  return width == 1 ? element : Type(VectorType::get({width}, element));
}

/// A scalar constant as it is computed with.
Value TileEmitter::constantOf(TypedAttr value) {
  if (isSmallFloat(value.getType()))
    value = b.getI8IntegerAttr(
        cast<FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue());
  return arith::ConstantOp::create(b, loc, value);
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
  if (auto slice = dyn_cast<tile::SliceOp>(op))
    return evalSlice(slice, at);
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    return evalGather(gather, at);
  return evalElementwise(tile, at);
}

/// The elements of a constant as they lie in memory, in one dimension.
static DenseElementsAttr storedElements(DenseElementsAttr elements,
                                        Type stored) {
  auto type = RankedTensorType::get({elements.getNumElements()}, stored);
  if (stored == elements.getElementType())
    return elements.reshape(type);
  SmallVector<APInt> numbers;
  unsigned width = stored.getIntOrFloatBitWidth();
  if (isa<FloatType>(elements.getElementType())) {
    for (const APFloat &value : elements.getValues<APFloat>())
      numbers.push_back(value.bitcastToAPInt().zextOrTrunc(width));
    return DenseElementsAttr::get(type, numbers);
  }
  bool isBool = elements.getElementType().isInteger(1);
  for (const APInt &value : elements.getValues<APInt>())
    numbers.push_back(isBool ? value.zextOrTrunc(width)
                             : value.sextOrTrunc(width));
  return DenseElementsAttr::get(type, numbers);
}

FailureOr<Value> TileEmitter::evalConstant(arith::ConstantOp op,
                                           const Lanes &at) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.emitError("this kind of constant is not lowered for the cpu "
                        "target");
  if (elements.isSplat()) {
    auto value = cast<TypedAttr>(elements.getSplatValue<Attribute>());
    return splat(constantOf(value), at.width);
  }
  // An array in the object's read-only data.
  auto type = cast<RankedTensorType>(elements.getType());
  Type stored = storageType(type.getElementType());
  std::string &name = constantNames[op];
  if (name.empty()) {
    name =
        (kernel.getSymName() + "_constant" + Twine(constantNames.size())).str();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto array = LLVM::LLVMArrayType::get(stored, type.getNumElements());
    LLVM::GlobalOp::create(b, loc, array, /*isConstant=*/true,
                           LLVM::Linkage::Private, name,
                           storedElements(elements, stored), 64);
  }
  Value pointer = LLVM::AddressOfOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
  Buffer buffer{pointer, pointer, SmallVector<int64_t>(type.getShape()),
                computeStrides(type.getShape()), type.getElementType()};
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

/// One result of the op for each element, from the elements of the operands.
bool TileEmitter::isElementwise(Operation *op) {
  if (isa<tile::ConvertOp, tile::PhiloxOp, tile::OffsetOp, tile::PtrCastOp,
          tile::PtrToIntOp, tile::IntToPtrOp, tile::AssumeOp>(op))
    return true;
  StringRef dialect = op->getName().getDialectNamespace();
  return (dialect == "arith" || dialect == "math") &&
         op->getNumRegions() == 0 && !isa<arith::ConstantOp>(op);
}

/// The op itself on vectors (or scalars) of `element` results.
Value TileEmitter::cloneElementwise(Operation *op, ValueRange operands,
                                    Type element, int64_t width) {
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addTypes(vectorOf(element, width));
  return b.create(state)->getResult(0);
}

/// Arithmetic on floats of 16 bits and fewer: in f32, then rounded. With its
/// 24 bits a second rounding of sums, products, quotients and roots does no
/// harm (Figueroa, "When is double rounding innocuous?", 1995).
FailureOr<Value> TileEmitter::createNarrowFloat(Operation *op,
                                                ValueRange operands,
                                                int64_t width) {
  Type result = getElementTypeOrSelf(op->getResult(0).getType());
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  FloatBits bits(b, loc);
  if (isa<arith::BitcastOp>(op)) {
    if (!isSmallFloat(from) && !isSmallFloat(result))
      return cloneElementwise(op, operands, result, width);
    Type type = vectorOf(result, width);
    unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    unsigned from =
        getElementTypeOrSelf(operands[0].getType()).getIntOrFloatBitWidth();
    if (from == to)
      return operands[0];
    if (from < to)
      return Value(arith::ExtUIOp::create(b, loc, type, operands[0]));
    return Value(arith::TruncIOp::create(b, loc, type, operands[0]));
  }
  if (isa<arith::SelectOp>(op))
    return cloneElementwise(op, operands, result, width);
  auto to = dyn_cast<FloatType>(result);
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    Rounding rounding;
    if (auto cut = dyn_cast<arith::TruncFOp>(op))
      rounding.mode = roundingOf(cut.getRoundingmode());
    Value value = isSmallFloat(from)
                      ? bits.decode(operands[0], cast<FloatType>(from))
                      : operands[0];
    return bits.round(value, to, rounding);
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return bits.fromInteger(operands[0], isa<arith::UIToFPOp>(op), to);
  if (op->getNumResults() != 1 || isa<arith::ScalingExtFOp>(op) ||
      isa<arith::ScalingTruncFOp>(op))
    return op->emitError("this op is not lowered for the cpu target on ")
           << from;
  if (isa<math::FmaOp>(op)) {
    Values wide;
    for (Value operand : operands)
      wide.push_back(toFloat(operand, from, b.getF64Type()));
    return bits.round(bits.multiplyAdd(wide[0], wide[1], wide[2]), to);
  }
  Values decoded;
  for (auto [operand, original] : llvm::zip(operands, op->getOperands())) {
    Type element = getElementTypeOrSelf(original.getType());
    decoded.push_back(isNarrowFloat(element)
                          ? toFloat(operand, element, b.getF32Type())
                          : operand);
  }
  bool isBack = isNarrowFloat(result);
  Value value = createMath(op, decoded);
  if (!value)
    value = cloneElementwise(op, decoded,
                             isBack ? Type(b.getF32Type()) : result, width);
  return isBack ? bits.round(value, to) : value;
}

/// A result of an elementwise op on vectors (or scalars) in place of tiles.
FailureOr<Value> TileEmitter::createElementwise(Value result,
                                                ValueRange operands,
                                                int64_t width) {
  Operation *op = result.getDefiningOp();
  if (auto convert = dyn_cast<tile::ConvertOp>(op))
    return createConvert(convert, operands);
  if (auto philox = dyn_cast<tile::PhiloxOp>(op))
    return createPhilox(philox, operands,
                        cast<OpResult>(result).getResultNumber());
  if (auto offset = dyn_cast<tile::OffsetOp>(op))
    return createOffset(offset, operands, width);
  if (isa<tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp, tile::AssumeOp>(
          op))
    return operands[0];
  auto isNarrow = [](Type type) {
    return isNarrowFloat(getElementTypeOrSelf(type));
  };
  if (llvm::any_of(op->getOperandTypes(), isNarrow) ||
      llvm::any_of(op->getResultTypes(), isNarrow))
    return createNarrowFloat(op, operands, width);
  if (auto cut = dyn_cast<arith::TruncFOp>(op);
      cut &&
      cut.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
          arith::RoundingMode::to_nearest_even)
    return FloatBits(b, loc).round(
        operands[0], cast<FloatType>(getElementTypeOrSelf(cut.getType())),
        {roundingOf(cut.getRoundingmode())});
  if (Value value = createMath(op, operands))
    return value;
  if (op->getNumResults() == 1)
    return cloneElementwise(
        op, operands, getElementTypeOrSelf(op->getResult(0).getType()), width);
  // Of several results, the one that is asked for.
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Type type : op->getResultTypes())
    state.addTypes(vectorOf(getElementTypeOrSelf(type), width));
  return b.create(state)->getResult(cast<OpResult>(result).getResultNumber());
}

FailureOr<Value> TileEmitter::evalElementwise(Value result, const Lanes &at) {
  Operation *op = result.getDefiningOp();
  if (!isElementwise(op))
    return op->emitError("this op is not lowered for the cpu target");
  Values operands;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      Value scalar = scalars.lookup(operand);
      // The condition of a select is one for all; a pointer is not.
      operands.push_back(isa<arith::SelectOp>(op) ? scalar
                                                  : splat(scalar, at.width));
      continue;
    }
    FailureOr<Value> value = eval(operand, at);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  return createElementwise(result, operands, at.width);
}

} // namespace tilewright::cpu
