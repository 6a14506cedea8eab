//===- EmitElement.cpp - Elements of tiles, one vector at a time ----------===//
#include "codegen/cpu/TileEmitter.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::cpu {

Type TileEmitter::vectorOf(Type element, int64_t width) {
  element = numeric::registerType(element);
  return width == 1 ? element : Type(VectorType::get({width}, element));
}

/// A scalar constant as it is computed with.
Value TileEmitter::constantOf(TypedAttr value) {
  return arith::ConstantOp::create(b, loc, numeric::inRegister(value));
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

Value TileEmitter::laneMask(const VectorPart &part, bool always) {
  if (part.missing == 0 && !always)
    return {};
  SmallVector<bool> isThere(part.width, true);
  std::fill(isThere.end() - part.missing, isThere.end(), false);
  auto type = VectorType::get({part.width}, b.getI1Type());
  return arith::ConstantOp::create(b, loc,
                                   DenseElementsAttr::get(type, isThere));
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
        known.at.missing == at.missing && known.at.lane == at.lane &&
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
  Type stored = numeric::storedType(type.getElementType());
  std::string &name = constantNames[op];
  if (name.empty()) {
    name =
        (kernel.getSymName() + "_constant" + Twine(constantNames.size())).str();
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto array = LLVM::LLVMArrayType::get(stored, type.getNumElements());
    LLVM::GlobalOp::create(b, loc, array, /*isConstant=*/true,
                           LLVM::Linkage::Private, name,
                           numeric::inMemory(elements), 64);
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
      inner.missing = 0;
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
  inner.missing = at.missing;
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
/// A result of an elementwise op on vectors (or scalars) in place of tiles.
FailureOr<Value> TileEmitter::createElementwise(Value result,
                                                ValueRange operands,
                                                const VectorPart &part) {
  Operation *op = result.getDefiningOp();
  if (auto offset = dyn_cast<tile::OffsetOp>(op))
    return createOffset(offset, operands, part.width);
  if (isa<tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp, tile::AssumeOp>(
          op))
    return operands[0];
  return numeric::Elementwise(b, loc).emit(
      op, operands)[cast<OpResult>(result).getResultNumber()];
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
  return createElementwise(result, operands, at);
}

} // namespace tilewright::cpu
