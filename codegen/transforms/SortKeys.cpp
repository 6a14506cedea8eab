//===- SortKeys.cpp - Keys as numbers that order like them ----------------===//
#include "codegen/transforms/SortKeys.h"

#include "codegen/transforms/BuildTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::tilegpu {

namespace {
/// Builds ops on tiles of one layout.
class KeyBuilder {
public:
  KeyBuilder(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  Value ofFloat(Value keys);
  Value ofInteger(Value keys, bool isUnsigned);
  Value widened(Value numbers, unsigned bits);
  Value packed(Value numbers, Value positions);

  /// The lowest number with the highest bit set, for each element of `like`.
  Value signBits(Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    return constant(like, int64_t(1) << (type.getElementTypeBitWidth() - 1));
  }
  Value constant(Value like, int64_t value) {
    return splatOf(b, loc, cast<RankedTensorType>(like.getType()), value);
  }
  Value flipped(Value numbers, Value mask) {
    return arith::XOrIOp::create(b, loc, numbers, mask);
  }

private:
  OpBuilder &b;
  Location loc;
};
} // namespace

static RankedTensorType withBits(Value tile, unsigned bits) {
  auto type = cast<RankedTensorType>(tile.getType());
  return type.clone(IntegerType::get(type.getContext(), bits));
}

/// The sign and magnitude of a float, as a number: the sign's bit is turned,
/// and those of a negative one are too. Both zeros are one, a NaN is greatest.
Value KeyBuilder::ofFloat(Value keys) {
  auto type = cast<RankedTensorType>(keys.getType());
  if (type.getElementTypeBitWidth() < 16)
    keys = tile::ConvertOp::create(b, loc, type.clone(b.getF32Type()), keys);
  type = cast<RankedTensorType>(keys.getType());
  unsigned width = type.getElementTypeBitWidth();
  Value bits = arith::BitcastOp::create(b, loc, withBits(keys, width), keys);
  Value zero = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(type, b.getZeroAttr(type.getElementType())));
  Value isZero =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, keys, zero);
  bits = arith::SelectOp::create(b, loc, isZero, constant(bits, 0), bits);
  Value isNegative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           bits, constant(bits, 0));
  Value mask = arith::SelectOp::create(b, loc, isNegative, constant(bits, -1),
                                       signBits(bits));
  Value isNan =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, keys, keys);
  return arith::SelectOp::create(b, loc, isNan, constant(bits, -1),
                                 flipped(bits, mask));
}

Value KeyBuilder::ofInteger(Value keys, bool isUnsigned) {
  Type element = getElementTypeOrSelf(keys);
  if (element.isIndex())
    keys = arith::IndexCastOp::create(b, loc, withBits(keys, 64), keys);
  else if (unsigned width = element.getIntOrFloatBitWidth(); width < 16) {
    RankedTensorType type = withBits(keys, 16);
    keys = isUnsigned ? arith::ExtUIOp::create(b, loc, type, keys).getResult()
                      : arith::ExtSIOp::create(b, loc, type, keys).getResult();
  }
  return isUnsigned ? keys : flipped(keys, signBits(keys));
}

Value KeyBuilder::widened(Value numbers, unsigned bits) {
  return resizedUnsigned(b, loc, numbers, withBits(numbers, bits));
}

/// Numbers of 16 or 32 bits above their positions.
Value KeyBuilder::packed(Value numbers, Value positions) {
  unsigned width =
      cast<RankedTensorType>(numbers.getType()).getElementTypeBitWidth();
  Value high = widened(numbers, 2 * width);
  high = arith::ShLIOp::create(b, loc, high, constant(high, width));
  return arith::OrIOp::create(b, loc, high, widened(positions, 2 * width));
}

SmallVector<Value> uniqueKeys(OpBuilder &builder, Location loc, Value keys,
                              Value positions, int64_t length, KeyOrder order) {
  KeyBuilder b(builder, loc);
  Value numbers = isa<FloatType>(getElementTypeOrSelf(keys))
                      ? b.ofFloat(keys)
                      : b.ofInteger(keys, order.isUnsigned);
  if (order.isDescending)
    numbers = b.flipped(numbers, b.constant(numbers, -1));
  unsigned width =
      cast<RankedTensorType>(numbers.getType()).getElementTypeBitWidth();
  if (width == 64)
    return {numbers, positions};
  // A position of more bits than the number needs more room.
  if (width == 16 && length > 1 << 16)
    numbers = b.widened(numbers, 32);
  return {b.packed(numbers, positions)};
}

Value keyIsLess(OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
  auto compare = [&](arith::CmpIPredicate how, size_t i) -> Value {
    return arith::CmpIOp::create(b, loc, how, x[i], y[i]);
  };
  Value less = compare(arith::CmpIPredicate::ult, 0);
  if (x.size() == 1)
    return less;
  Value tie =
      arith::AndIOp::create(b, loc, compare(arith::CmpIPredicate::eq, 0),
                            compare(arith::CmpIPredicate::ult, 1));
  return arith::OrIOp::create(b, loc, less, tie);
}

Value locationOf(OpBuilder &builder, Location loc, ValueRange numbers) {
  if (numbers.size() == 2)
    return numbers[1];
  KeyBuilder b(builder, loc);
  Value packed = numbers[0];
  unsigned width =
      cast<RankedTensorType>(packed.getType()).getElementTypeBitWidth();
  Value mask = b.constant(packed, (int64_t(1) << width / 2) - 1);
  return b.widened(arith::AndIOp::create(builder, loc, packed, mask), 32);
}

} // namespace tilewright::tilegpu
