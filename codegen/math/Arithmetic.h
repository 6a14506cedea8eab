//===- Arithmetic.h - Formulas as C++ expressions ---------------*- C++ -*-===//
//
// Floats, integers and conditions, each a scalar or a vector, with operators
// that create ops: `fma(x, y, 0.5) + kPi` reads as a formula. All ops round
// correctly, so a formula has one result on every machine.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_MATH_ARITHMETIC_H
#define TILEWRIGHT_CODEGEN_MATH_ARITHMETIC_H

#include "codegen/math/Coefficients.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

namespace tilewright::math {

class Arithmetic;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A float of the type of the arithmetic that made it.
struct Real {
  const Arithmetic *a;
  mlir::Value value;
};
/// An integer as wide as the floats.
struct Whole {
  const Arithmetic *a;
  mlir::Value value;
};
/// A condition.
struct Truth {
  const Arithmetic *a;
  mlir::Value value;
};

/// An operand of a formula: a float, or a number that becomes a constant.
struct RealOperand {
  RealOperand(Real x) : a(x.a), value(x.value) {}
  RealOperand(double number) : constant{number, number} {}
  RealOperand(Constant constant) : constant(constant) {}
  const Arithmetic *a = nullptr;
  mlir::Value value;
  Constant constant{};
};
struct WholeOperand {
  WholeOperand(Whole x) : a(x.a), value(x.value) {}
  WholeOperand(int64_t number) : number(number) {}
  const Arithmetic *a = nullptr;
  mlir::Value value;
  int64_t number = 0;
};

/// The ops of one shape and one type of floats, f32 or f64. Lives as long as
/// the values of its formula are used; one thread.
class Arithmetic {
public:
  /// `type`: f32, f64 or a vector of them.
  Arithmetic(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type);

  /// Whether there are formulas for `type`.
  static bool supports(mlir::Type type);

  /// An operand of the op that is expanded.
  Real given(mlir::Value value) const { return {this, value}; }
  Real real(RealOperand operand) const;
  Whole whole(WholeOperand operand) const;

  /// `element` in the shape of the floats.
  mlir::Type shaped(mlir::Type element) const;
  /// The float's own constants, that of f32 or of f64.
  double pick(double single, double wide) const {
    return isSingle ? single : wide;
  }
  /// Bits of a float, and of its fraction field.
  int width() const { return isSingle ? 32 : 64; }
  int fraction() const { return isSingle ? 23 : 52; }
  int bias() const { return isSingle ? 127 : 1023; }
  double leastNormal() const { return pick(0x1p-126, 0x1p-1022); }
  /// 1.5 * 2^fraction: adding it to a small number rounds that to an integer in
  /// the lowest bits.
  double roundingConstant() const { return pick(0x1.8p23, 0x1.8p52); }

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
  mlir::IntegerType integer;

private:
  mlir::Value constant(mlir::TypedAttr scalar) const;
  bool isSingle;
};

Real operator+(RealOperand x, RealOperand y);
Real operator-(RealOperand x, RealOperand y);
Real operator*(RealOperand x, RealOperand y);
Real operator/(RealOperand x, RealOperand y);
Real operator-(Real x);
/// Comparisons are false if an operand is NaN; only != is true.
Truth operator<(RealOperand x, RealOperand y);
Truth operator<=(RealOperand x, RealOperand y);
Truth operator>(RealOperand x, RealOperand y);
Truth operator>=(RealOperand x, RealOperand y);
Truth operator==(RealOperand x, RealOperand y);
Truth operator!=(RealOperand x, RealOperand y);
/// Whether one of the two is NaN.
Truth isNan(RealOperand x, RealOperand y);

Real fma(RealOperand x, RealOperand y, RealOperand z);
Real abs(Real x);
Real sqrt(Real x);
Real trunc(Real x);
Real copySign(Real x, Real sign);
Real select(Truth when, RealOperand yes, RealOperand no);
/// x within bounds; NaN stays.
Real atLeast(Real x, double bound);
Real atMost(Real x, double bound);

Whole operator+(WholeOperand x, WholeOperand y);
Whole operator-(WholeOperand x, WholeOperand y);
Whole operator*(WholeOperand x, WholeOperand y);
Whole operator&(WholeOperand x, WholeOperand y);
Whole operator|(WholeOperand x, WholeOperand y);
Whole operator^(WholeOperand x, WholeOperand y);
Whole operator<<(WholeOperand x, WholeOperand count);
/// Zeros come in from above.
Whole operator>>(WholeOperand x, WholeOperand count);
Truth operator==(WholeOperand x, WholeOperand y);
Truth operator!=(WholeOperand x, WholeOperand y);
/// Of signed numbers.
Truth operator<(WholeOperand x, WholeOperand y);
Whole select(Truth when, Whole yes, WholeOperand no);

Truth operator&(Truth x, Truth y);
Truth operator|(Truth x, Truth y);
Truth operator^(Truth x, Truth y);
Truth operator~(Truth x);

/// The bits of a float, and back.
Whole bitsOf(Real x);
Real fromBits(Whole bits);
/// A signed integer, rounded.
Real toReal(Whole x);
/// An integer of [0, 2^fraction), by placing it in the fraction of a float.
Real fromSmall(Whole x);
/// c0 + c1 v + ... by Horner's scheme, in blocks where the chain is long.
Real polynomial(Real v, Polynomial coefficients);
/// 2^n where that is a normal number.
Real powerOfTwo(Whole n);
/// x 2^n, rounded once, for |x| near 1 and |n| to 1.5 times the greatest
/// exponent.
Real scale(Real x, Whole n);
/// The same where the sign of n is known; 0 may count as either.
Real scale(Real x, Whole n, Truth isNegative);

/// An integer as a float and as an integer.
struct Rounded {
  Real real;
  Whole whole;
};
/// The integer nearest to x y, even of two; |x y| < 2^(fraction - 1).
Rounded roundedProduct(Real x, RealOperand y);

/// An unevaluated sum of two floats, the low one at most half a unit in the
/// last place of the high one. The operations: T. J. Dekker, "A floating-point
/// technique for extending the available precision", 1971; J.-M. Muller et al.,
/// "Handbook of Floating-Point Arithmetic", 2018, chapter 4.
struct DoubleWord {
  Real high, low;
};
/// x + y exactly.
DoubleWord twoSum(RealOperand x, RealOperand y);
/// x + y exactly if |x| >= |y| or x = 0.
DoubleWord fastTwoSum(RealOperand x, RealOperand y);
/// x y exactly.
DoubleWord twoProduct(RealOperand x, RealOperand y);

} // namespace tilewright::math

#endif // TILEWRIGHT_CODEGEN_MATH_ARITHMETIC_H
