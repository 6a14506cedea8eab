//===- SortedRows.cpp - The rows of a tensor that are sorted --------------===//
#include "graph/transforms/SortedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace tilewright::graph {

//===--- Keys -------------------------------------------------------------===//

/// The element type of keys that order, unsigned, as elements of `type` do.
static IntegerType keyType(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (isa<FloatType>(type) && width < 16)
    width = 32;
  return IntegerType::get(type.getContext(), std::max(8U, width));
}

namespace {
/// Computes the key of one element.
struct KeyBuilder {
  OpBuilder &b;
  Location loc;
  SortOrder order;

  Value operator()(Value element) {
    Type type = element.getType();
    Value key = isa<FloatType>(type) ? ofFloat(element) : ofInteger(element);
    return order.isDescending
               ? make<arith::XOrIOp>(key, number(key.getType(), -1))
               : key;
  }

private:
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }
  Value number(Type type, int64_t value) {
    return make<arith::ConstantOp>(b.getIntegerAttr(type, value));
  }
  static int64_t signBit(Type type) {
    return int64_t(uint64_t(1) << (type.getIntOrFloatBitWidth() - 1));
  }

  Value ofInteger(Value element) {
    IntegerType type = keyType(element.getType());
    if (element.getType() != type)
      element = order.isUnsigned ? make<arith::ExtUIOp>(type, element)
                                 : make<arith::ExtSIOp>(type, element);
    return order.isUnsigned
               ? element
               : make<arith::XOrIOp>(element, number(type, signBit(type)));
  }

  /// Both zeros are equal, and all NaNs, which are greater than all else.
  Value ofFloat(Value element) {
    if (element.getType().getIntOrFloatBitWidth() < 16)
      element = make<arith::ExtFOp>(b.getF32Type(), element);
    IntegerType type = keyType(element.getType());
    Value zero =
        make<arith::ConstantOp>(b.getFloatAttr(element.getType(), 0.0));
    Value isZero =
        make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, element, zero);
    Value isNaN =
        make<arith::CmpFOp>(arith::CmpFPredicate::UNO, element, element);
    Value bits = make<arith::BitcastOp>(type, element);
    bits = make<arith::SelectOp>(isZero, number(type, 0), bits);
    // Negative numbers are ordered by magnitude: all their bits turn.
    Value sign = make<arith::ShRSIOp>(bits, number(type, type.getWidth() - 1));
    Value turned = make<arith::OrIOp>(sign, number(type, signBit(type)));
    Value key = make<arith::XOrIOp>(bits, turned);
    return make<arith::SelectOp>(isNaN, number(type, -1), key);
  }
};
} // namespace

//===--- Rows -------------------------------------------------------------===//

RankedTensorType typeWith(ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

SortedRows::SortedRows(OpBuilder &builder, Location loc, Value tensor,
                       unsigned axis)
    : b(builder), loc(loc), tensor(tensor), axis(axis),
      sizes(tensor::getMixedSizes(builder, loc, tensor)) {
  rank = unsigned(sizes.size());
}

SmallVector<OpFoldResult> SortedRows::sizesWith(ArrayRef<OpFoldResult> last) {
  SmallVector<OpFoldResult> all;
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != axis)
      all.push_back(sizes[dim]);
  all.append(last.begin(), last.end());
  return all;
}

/// For loops over the rows and then the axis: the dimensions in their order.
AffineMap SortedRows::rowsLast() {
  SmallVector<AffineExpr> at;
  for (unsigned dim = 0; dim < rank; ++dim)
    at.push_back(b.getAffineDimExpr(dim == axis  ? rank - 1
                                    : dim < axis ? dim
                                                 : dim - 1));
  return AffineMap::get(rank, 0, at, b.getContext());
}

Value SortedRows::keys(SortOrder order) {
  SmallVector<OpFoldResult> dims = sizesWith(length());
  Type type = keyType(getElementTypeOrSelf(tensor.getType()));
  Read read{tensor, rowsLast()};
  return buildElementwise(b, loc, typeWith(dims, type), dims, read,
                          [&](OpBuilder &inner, Location at, ValueRange given) {
                            return KeyBuilder{inner, at, order}(given[0]);
                          });
}

Value SortedRows::positions() {
  SmallVector<OpFoldResult> dims = sizesWith(length());
  std::optional<int64_t> known = getConstantIntValue(length());
  const bool isShort = known && *known <= INT32_MAX;
  Type type = b.getIntegerType(isShort ? 32 : 64);
  return buildElementwise(
      b, loc, typeWith(dims, type), dims, {},
      [&](OpBuilder &inner, Location at, ValueRange) -> Value {
        Value index = linalg::IndexOp::create(inner, at, rank - 1);
        return arith::IndexCastOp::create(inner, at, type, index);
      });
}

/// One element for each position, with the axis where it is in the tensor.
Value SortedRows::inPlace(Value positions, Type element, ElementBuilder build) {
  SmallVector<OpFoldResult> dims(sizes);
  dims[axis] = tensor::getMixedSize(b, loc, positions, rank - 1);
  Read read{positions, inversePermutation(rowsLast())};
  return buildElementwise(b, loc, typeWith(dims, element), dims, read, build);
}

Value SortedRows::gathered(Value from, Value positions) {
  return inPlace(positions, getElementTypeOrSelf(from.getType()),
                 [&](OpBuilder &inner, Location at, ValueRange given) -> Value {
                   SmallVector<Value> indices = buildIndices(inner, at, rank);
                   indices[axis] = arith::IndexCastOp::create(
                       inner, at, inner.getIndexType(), given[0]);
                   return tensor::ExtractOp::create(inner, at, from, indices);
                 });
}

Value SortedRows::placed(Value positions, Type type) {
  return inPlace(positions, type,
                 [&](OpBuilder &inner, Location at, ValueRange given) -> Value {
                   if (given[0].getType() == type)
                     return given[0];
                   return arith::ExtUIOp::create(inner, at, type, given[0]);
                 });
}

} // namespace tilewright::graph
