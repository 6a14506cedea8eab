//===- Convert.cpp - tile.convert, tile.philox ----------------------------===//
#include "codegen/numeric/Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using llvm::APInt;

namespace tilewright::numeric {

static Value clampTo(OpBuilder &b, Location loc, Value value, unsigned width,
                     bool fromUnsigned, bool toUnsigned) {
  auto type = cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  unsigned from = type.getWidth();
  auto number = [&](const APInt &bits) -> Value {
    Attribute attr = IntegerAttr::get(type, bits);
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attr));
  };
  if (fromUnsigned) {
    unsigned bits = toUnsigned ? width : width - 1;
    if (bits >= from)
      return value;
    return arith::MinUIOp::create(b, loc, value,
                                  number(APInt::getLowBitsSet(from, bits)));
  }
  if (toUnsigned) {
    value = arith::MaxSIOp::create(b, loc, value, number(APInt(from, 0)));
    if (width >= from)
      return value;
    return arith::MinSIOp::create(b, loc, value,
                                  number(APInt::getLowBitsSet(from, width)));
  }
  if (width >= from)
    return value;
  value = arith::MaxSIOp::create(
      b, loc, value, number(APInt::getSignedMinValue(width).sext(from)));
  return arith::MinSIOp::create(
      b, loc, value, number(APInt::getSignedMaxValue(width).sext(from)));
}

Value Elementwise::emitConvert(tile::ConvertOp op, ValueRange operands) {
  Value value = operands[0];
  Type from = getElementTypeOrSelf(op.getSource().getType());
  Type to = getElementTypeOrSelf(op.getType());
  bool isFromIndex = from.isIndex(), isToIndex = to.isIndex();
  // An index is computed as an i64.
  if (isFromIndex) {
    from = b.getI64Type();
    value = arith::IndexCastOp::create(b, loc, typeLike(value, from), value);
  }
  if (isToIndex)
    to = b.getI64Type();
  Rounding rounding{op.getRounding(), op.getSaturate(),
                    op.getRandom() ? operands[1] : Value()};
  bool fromUnsigned = op.getFromUnsigned() || from.isInteger(1);
  if (auto target = dyn_cast<FloatType>(to)) {
    if (!isa<FloatType>(from))
      return bits.fromInteger(value, fromUnsigned, target, rounding);
    if (isSmallFloat(from))
      value = bits.decode(value, cast<FloatType>(from));
    return bits.round(value, target, rounding);
  }
  auto target = cast<IntegerType>(to);
  if (isa<FloatType>(from)) {
    if (isSmallFloat(from))
      value = bits.decode(value, cast<FloatType>(from));
    value = bits.toInteger(value, target, op.getToUnsigned(), rounding);
  } else {
    unsigned width = target.getWidth();
    unsigned source = cast<IntegerType>(from).getWidth();
    if (op.getSaturate())
      value = clampTo(b, loc, value, width, fromUnsigned, op.getToUnsigned());
    Type type = typeLike(value, target);
    if (source > width)
      value = arith::TruncIOp::create(b, loc, type, value);
    else if (source < width && fromUnsigned)
      value = arith::ExtUIOp::create(b, loc, type, value);
    else if (source < width)
      value = arith::ExtSIOp::create(b, loc, type, value);
  }
  if (!isToIndex)
    return value;
  return arith::IndexCastOp::create(b, loc, typeLike(value, b.getIndexType()),
                                    value);
}

/// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
/// 3", 2011): ten rounds of two products, the key bumped in between.
SmallVector<Value> Elementwise::emitPhilox(ValueRange operands) {
  Values counter(operands.take_front(4)), key(operands.drop_front(4));
  Type word = counter[0].getType();
  auto number = [&](uint32_t value) -> Value {
    Attribute attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    if (auto vector = dyn_cast<VectorType>(word))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attr));
  };
  auto mix = [&](Value x, Value y, Value z) -> Value {
    return arith::XOrIOp::create(b, loc, arith::XOrIOp::create(b, loc, x, y),
                                 z);
  };
  for (int round = 0; round < 10; ++round) {
    auto first =
        arith::MulUIExtendedOp::create(b, loc, number(0xD2511F53), counter[0]);
    auto second =
        arith::MulUIExtendedOp::create(b, loc, number(0xCD9E8D57), counter[2]);
    counter = {mix(second.getHigh(), counter[1], key[0]), second.getLow(),
               mix(first.getHigh(), counter[3], key[1]), first.getLow()};
    key = {arith::AddIOp::create(b, loc, key[0], number(0x9E3779B9)),
           arith::AddIOp::create(b, loc, key[1], number(0xBB67AE85))};
  }
  return counter;
}

} // namespace tilewright::numeric
