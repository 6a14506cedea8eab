//===- ElementTypes.cpp - How elements are computed and stored ------------===//
#include "codegen/numeric/ElementTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::numeric {

bool isSmallFloat(Type type) {
  auto element = dyn_cast<FloatType>(type);
  return element && element.getWidth() <= 8;
}

bool isNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(type);
  return element && element.getWidth() <= 16;
}

Type registerType(Type element) {
  if (isa<tile::PtrType>(element))
    return IntegerType::get(element.getContext(), 64);
  if (isSmallFloat(element))
    return IntegerType::get(element.getContext(), 8);
  return element;
}

Type storedType(Type element) {
  element = registerType(element);
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 64);
  if (element.getIntOrFloatBitWidth() < 8)
    return IntegerType::get(element.getContext(), 8);
  return element;
}

TypedAttr inRegister(TypedAttr scalar) {
  if (!isSmallFloat(scalar.getType()))
    return scalar;
  APInt bits = cast<FloatAttr>(scalar).getValue().bitcastToAPInt();
  return IntegerAttr::get(registerType(scalar.getType()), bits.zext(8));
}

DenseElementsAttr inMemory(DenseElementsAttr elements) {
  Type stored = storedType(elements.getElementType());
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

Value toMemory(OpBuilder &b, Location loc, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  Type stored = typeLike(value, storedType(element));
  if (value.getType() == stored)
    return value;
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, stored, value);
  if (element.isInteger(1))
    return arith::ExtUIOp::create(b, loc, stored, value);
  return arith::ExtSIOp::create(b, loc, stored, value);
}

Value fromMemory(OpBuilder &b, Location loc, Value value, Type element) {
  Type type = typeLike(value, registerType(element));
  if (value.getType() == type)
    return value;
  if (element.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  if (!element.isInteger(1))
    return arith::TruncIOp::create(b, loc, type, value);
  Value zero = arith::ConstantOp::create(
      b, loc, cast<TypedAttr>(b.getZeroAttr(value.getType())));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
}

Type typeLike(Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(vector.clone(element)) : element;
}

} // namespace tilewright::numeric
