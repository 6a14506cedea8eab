//===- Arithmetic.cpp - Indices, scalars and vectors of lanes -------------===//
#include "codegen/cpu/Arithmetic.h"

#include "codegen/numeric/ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

Value index(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value toI64(ImplicitLocOpBuilder &b, Value value) {
  if (value.getType().isInteger(64))
    return value;
  return b.createOrFold<arith::IndexCastOp>(b.getI64Type(), value);
}

Value signedI64(ImplicitLocOpBuilder &b, Value value) {
  Type from = getElementTypeOrSelf(value.getType());
  Type type = numeric::typeLike(value, b.getI64Type());
  if (from.isIndex())
    return b.createOrFold<arith::IndexCastOp>(type, value);
  if (from.isInteger(64))
    return value;
  return arith::ExtSIOp::create(b, type, value);
}

Value add(ImplicitLocOpBuilder &b, Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y);
}

Value sub(ImplicitLocOpBuilder &b, Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(x, y);
}

Value mul(ImplicitLocOpBuilder &b, Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(x, y);
}

Type vectorOf(Type element, int64_t width) {
  element = numeric::registerType(element);
  return width == 1 ? element : Type(VectorType::get({width}, element));
}

Value constantOf(ImplicitLocOpBuilder &b, TypedAttr value) {
  return arith::ConstantOp::create(b, numeric::inRegister(value));
}

Value splat(ImplicitLocOpBuilder &b, Value scalar, int64_t width) {
  if (width == 1)
    return scalar;
  return vector::BroadcastOp::create(b, vectorOf(scalar.getType(), width),
                                     scalar);
}

Value laneNumbers(ImplicitLocOpBuilder &b, Type element, int64_t width) {
  auto type = cast<VectorType>(vectorOf(element, width));
  SmallVector<Attribute> numbers;
  for (int64_t i = 0; i < width; ++i)
    numbers.push_back(b.getIntegerAttr(element, i));
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
}

Value laneMask(ImplicitLocOpBuilder &b, const VectorPart &part, bool always) {
  if (part.missing == 0 && !always)
    return {};
  SmallVector<bool> isThere(part.width, true);
  std::fill(isThere.end() - part.missing, isThere.end(), false);
  auto type = VectorType::get({part.width}, b.getI1Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, isThere));
}

int64_t lanesFor(Type element, const CpuTarget &target) {
  int64_t bits = element.isIndex()        ? 64
                 : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                          : 64;
  // Narrow elements are computed in 32 bits: more lanes would spill.
  return target.lanes(std::max<int64_t>(32, bits));
}

} // namespace tilewright::cpu
