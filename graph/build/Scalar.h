// The arithmetic of one element: what is written in the body of a generic.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace tilewright::build {

/// Emits scalar operations, choosing them by the operands' type and the
/// signedness passed to the constructor. Constant operands fold.
class Scalar {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  /// `loops` maps each loop of the function that writes it to the generic: a
  /// loop of the operation (AffineDimExpr) or a constant.
  Scalar(mlir::OpBuilder &builder, mlir::Location loc, bool isUnsigned = false,
         llvm::ArrayRef<mlir::AffineExpr> loops = {})
      : builder(builder), loc(loc), isUnsigned(isUnsigned), loops(loops) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool isUnsigned;
  /// Whether conversions to floats of 8 bits and fewer keep within their range.
  bool saturate = true;

  template <typename Op, typename... Args> Value make(Args &&...args) {
    return builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }

  /// A constant of a float or integer type. Infinities are kept; for integers
  /// they become the extreme values.
  Value constant(Type type, double value);
  Value integer(Type type, int64_t value);
  Value index(int64_t value) { return integer(builder.getIndexType(), value); }
  Value like(Value v, double value) { return constant(v.getType(), value); }
  Value truth(bool value) { return integer(builder.getI1Type(), value); }
  /// The index of a loop of the surrounding generic.
  Value loop(int64_t dim);

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  /// Integer division truncates; division by zero returns the dividend.
  Value div(Value a, Value b);
  /// Remainder with the sign of the dividend.
  Value rem(Value a, Value b);
  /// Rounds to minus infinity; for integers `b` is positive.
  Value floorDiv(Value a, Value b);
  Value neg(Value a);
  Value abs(Value a);
  /// NaN if either is NaN.
  Value min(Value a, Value b);
  Value max(Value a, Value b);
  Value clamp(Value a, Value low, Value high) { return min(max(a, low), high); }

  /// Ordered comparisons; `ne` is true for NaN.
  Value eq(Value a, Value b);
  Value ne(Value a, Value b);
  Value lt(Value a, Value b);
  Value le(Value a, Value b);
  Value gt(Value a, Value b) { return lt(b, a); }
  Value ge(Value a, Value b) { return le(b, a); }
  Value logicalAnd(Value a, Value b);
  Value logicalOr(Value a, Value b);
  Value logicalNot(Value a);
  Value select(Value condition, Value a, Value b);

  Value exp(Value a) { return make<mlir::math::ExpOp>(a); }
  Value log(Value a) { return make<mlir::math::LogOp>(a); }
  Value sqrt(Value a) { return make<mlir::math::SqrtOp>(a); }
  Value tanh(Value a) { return make<mlir::math::TanhOp>(a); }
  Value erf(Value a) { return make<mlir::math::ErfOp>(a); }
  Value floor(Value a) { return make<mlir::math::FloorOp>(a); }
  Value ceil(Value a) { return make<mlir::math::CeilOp>(a); }
  Value sigmoid(Value a);
  /// log(1 + exp(a)), stable for large `a`.
  Value softplus(Value a);

  /// Conversion between element types, by the source's signedness. A float that
  /// becomes an integer is rounded to zero and NaN becomes 0; what does not fit
  /// is the nearest number of 32 bits (signed) or of 64 bits, and wraps from
  /// there to a narrower type.
  Value convert(Value a, Type to, bool toUnsigned = false);
  /// A float as an integer: rounded to zero, the nearest one of the type; NaN
  /// becomes 0.
  Value saturated(Value a, Type to, bool toUnsigned = false);
  Value toIndex(Value a);
  /// A number that is known as an index, as an element.
  Value fromIndex(Value a, Type to);

private:
  llvm::ArrayRef<mlir::AffineExpr> loops;
  Value toPowerOfTwo(Value a, Type to);
  bool isFloat(Value v) { return llvm::isa<mlir::FloatType>(v.getType()); }
};

} // namespace tilewright::build
