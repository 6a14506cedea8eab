//===- Arithmetic.cpp - Formulas as C++ expressions -----------------------===//
#include "codegen/math/Arithmetic.h"

using namespace mlir;

namespace tilewright::math {

Arithmetic::Arithmetic(OpBuilder &builder, Location loc, Type type)
    : b(builder), loc(loc), type(type),
      integer(builder.getIntegerType(
          getElementTypeOrSelf(type).getIntOrFloatBitWidth())),
      isSingle(getElementTypeOrSelf(type).isF32()) {}

bool Arithmetic::supports(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = vector ? vector.getElementType() : type;
  return element.isF32() || element.isF64();
}

Type Arithmetic::shaped(Type element) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

Value Arithmetic::constant(TypedAttr scalar) const {
  Attribute attr = scalar;
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector.clone(scalar.getType()), attr);
  return arith::ConstantOp::create(b, loc, cast<TypedAttr>(attr));
}

Real Arithmetic::real(RealOperand operand) const {
  if (operand.value)
    return {this, operand.value};
  double number = pick(operand.constant.single, operand.constant.wide);
  return {this, constant(b.getFloatAttr(getElementTypeOrSelf(type), number))};
}

Whole Arithmetic::whole(WholeOperand operand) const {
  if (operand.value)
    return {this, operand.value};
  return {this, constant(b.getIntegerAttr(integer, operand.number))};
}

/// The arithmetic of whichever operand has one.
template <typename... Operands>
static const Arithmetic &arithmeticOf(const Operands &...operands) {
  const Arithmetic *found = nullptr;
  ((found = found ? found : operands.a), ...);
  assert(found && "a formula of constants alone");
  return *found;
}

template <typename Op, typename... Operands>
static Real createReal(Operands... operands) {
  const Arithmetic &a = arithmeticOf(operands...);
  return {&a, Op::create(a.b, a.loc, a.real(operands).value...)};
}
template <typename Op>
static Whole createWhole(WholeOperand x, WholeOperand y) {
  const Arithmetic &a = arithmeticOf(x, y);
  return {&a, Op::create(a.b, a.loc, a.whole(x).value, a.whole(y).value)};
}
static Truth compare(arith::CmpFPredicate how, RealOperand x, RealOperand y) {
  const Arithmetic &a = arithmeticOf(x, y);
  return {&a, arith::CmpFOp::create(a.b, a.loc, how, a.real(x).value,
                                    a.real(y).value)};
}
static Truth compare(arith::CmpIPredicate how, WholeOperand x, WholeOperand y) {
  const Arithmetic &a = arithmeticOf(x, y);
  return {&a, arith::CmpIOp::create(a.b, a.loc, how, a.whole(x).value,
                                    a.whole(y).value)};
}

Real operator+(RealOperand x, RealOperand y) {
  return createReal<arith::AddFOp>(x, y);
}
Real operator-(RealOperand x, RealOperand y) {
  return createReal<arith::SubFOp>(x, y);
}
Real operator*(RealOperand x, RealOperand y) {
  return createReal<arith::MulFOp>(x, y);
}
Real operator/(RealOperand x, RealOperand y) {
  return createReal<arith::DivFOp>(x, y);
}
Real operator-(Real x) {
  return {x.a, arith::NegFOp::create(x.a->b, x.a->loc, x.value)};
}
Truth operator<(RealOperand x, RealOperand y) {
  return compare(arith::CmpFPredicate::OLT, x, y);
}
Truth operator<=(RealOperand x, RealOperand y) {
  return compare(arith::CmpFPredicate::OLE, x, y);
}
Truth operator>(RealOperand x, RealOperand y) {
  return compare(arith::CmpFPredicate::OGT, x, y);
}
Truth operator>=(RealOperand x, RealOperand y) {
  return compare(arith::CmpFPredicate::OGE, x, y);
}
Truth operator==(RealOperand x, RealOperand y) {
  return compare(arith::CmpFPredicate::OEQ, x, y);
}
Truth operator!=(RealOperand x, RealOperand y) {
  return compare(arith::CmpFPredicate::UNE, x, y);
}
Truth isNan(RealOperand x, RealOperand y) {
  return compare(arith::CmpFPredicate::UNO, x, y);
}

Real fma(RealOperand x, RealOperand y, RealOperand z) {
  return createReal<mlir::math::FmaOp>(x, y, z);
}
Real abs(Real x) { return createReal<mlir::math::AbsFOp>(RealOperand(x)); }
Real sqrt(Real x) { return createReal<mlir::math::SqrtOp>(RealOperand(x)); }
Real trunc(Real x) { return createReal<mlir::math::TruncOp>(RealOperand(x)); }
Real copySign(Real x, Real sign) {
  return createReal<mlir::math::CopySignOp>(RealOperand(x), RealOperand(sign));
}
Real select(Truth when, RealOperand yes, RealOperand no) {
  const Arithmetic &a = *when.a;
  return {&a, arith::SelectOp::create(a.b, a.loc, when.value, a.real(yes).value,
                                      a.real(no).value)};
}
Real atLeast(Real x, double bound) { return select(x < bound, bound, x); }
Real atMost(Real x, double bound) { return select(x > bound, bound, x); }

Whole operator+(WholeOperand x, WholeOperand y) {
  return createWhole<arith::AddIOp>(x, y);
}
Whole operator-(WholeOperand x, WholeOperand y) {
  return createWhole<arith::SubIOp>(x, y);
}
Whole operator*(WholeOperand x, WholeOperand y) {
  return createWhole<arith::MulIOp>(x, y);
}
Whole operator&(WholeOperand x, WholeOperand y) {
  return createWhole<arith::AndIOp>(x, y);
}
Whole operator|(WholeOperand x, WholeOperand y) {
  return createWhole<arith::OrIOp>(x, y);
}
Whole operator^(WholeOperand x, WholeOperand y) {
  return createWhole<arith::XOrIOp>(x, y);
}
Whole operator<<(WholeOperand x, WholeOperand count) {
  return createWhole<arith::ShLIOp>(x, count);
}
Whole operator>>(WholeOperand x, WholeOperand count) {
  return createWhole<arith::ShRUIOp>(x, count);
}
Truth operator==(WholeOperand x, WholeOperand y) {
  return compare(arith::CmpIPredicate::eq, x, y);
}
Truth operator!=(WholeOperand x, WholeOperand y) {
  return compare(arith::CmpIPredicate::ne, x, y);
}
Truth operator<(WholeOperand x, WholeOperand y) {
  return compare(arith::CmpIPredicate::slt, x, y);
}
Whole select(Truth when, Whole yes, WholeOperand no) {
  const Arithmetic &a = *when.a;
  return {&a, arith::SelectOp::create(a.b, a.loc, when.value, yes.value,
                                      a.whole(no).value)};
}

Truth operator&(Truth x, Truth y) {
  return {x.a, arith::AndIOp::create(x.a->b, x.a->loc, x.value, y.value)};
}
Truth operator|(Truth x, Truth y) {
  return {x.a, arith::OrIOp::create(x.a->b, x.a->loc, x.value, y.value)};
}
Truth operator^(Truth x, Truth y) {
  return {x.a, arith::XOrIOp::create(x.a->b, x.a->loc, x.value, y.value)};
}
Truth operator~(Truth x) {
  const Arithmetic &a = *x.a;
  TypedAttr all = a.b.getBoolAttr(true);
  if (auto vector = dyn_cast<VectorType>(x.value.getType()))
    all = DenseElementsAttr::get(vector, true);
  Value mask = arith::ConstantOp::create(a.b, a.loc, all);
  return {&a, arith::XOrIOp::create(a.b, a.loc, x.value, mask)};
}

Whole bitsOf(Real x) {
  const Arithmetic &a = *x.a;
  return {&a,
          arith::BitcastOp::create(a.b, a.loc, a.shaped(a.integer), x.value)};
}
Real fromBits(Whole bits) {
  const Arithmetic &a = *bits.a;
  return {&a, arith::BitcastOp::create(a.b, a.loc, a.type, bits.value)};
}
Real toReal(Whole x) {
  const Arithmetic &a = *x.a;
  return {&a, arith::SIToFPOp::create(a.b, a.loc, a.type, x.value)};
}

/// The fraction's last bit has the value 1 in numbers of [2^f, 2^(f + 1)).
Real fromSmall(Whole x) {
  const Arithmetic &a = *x.a;
  Real unit = a.real(a.pick(0x1p23, 0x1p52));
  return fromBits(x | bitsOf(unit)) - unit;
}

static Real horner(Real v, ArrayRef<double> table) {
  Real sum = v.a->real(table.back());
  for (double coefficient : llvm::reverse(table.drop_back()))
    sum = fma(sum, v, coefficient);
  return sum;
}

/// Blocks of consecutive terms, not of even and odd ones: in an alternating
/// series these would cancel.
Real polynomial(Real v, Polynomial coefficients) {
  ArrayRef<double> table =
      v.a->width() == 32 ? coefficients.single : coefficients.wide;
  constexpr size_t block = 8;
  if (table.size() < 12)
    return horner(v, table);
  Real square = v * v, fourth = square * square, power = fourth * fourth;
  size_t first = (table.size() - 1) / block * block;
  Real sum = horner(v, table.drop_front(first));
  while (first > 0) {
    first -= block;
    sum = fma(sum, power, horner(v, table.slice(first, block)));
  }
  return sum;
}

Real powerOfTwo(Whole n) {
  return fromBits((n + n.a->bias()) << n.a->fraction());
}

/// In two steps, of which only the second, by a constant, can round. (That is
/// so for x near 1.)
Real scale(Real x, Whole n, Truth isNegative) {
  const Arithmetic &a = *x.a;
  int64_t step = (a.bias() + 1) / 2;
  Whole bias = select(isNegative, a.whole(a.bias() + step), a.bias() - step);
  Real power = fromBits((n + bias) << a.fraction());
  double factor = a.pick(0x1p64, 0x1p512);
  return x * power * select(isNegative, 1 / factor, a.real(factor));
}

Real scale(Real x, Whole n) { return scale(x, n, n < 0); }

Rounded roundedProduct(Real x, RealOperand y) {
  const Arithmetic &a = *x.a;
  Real constant = a.real(a.roundingConstant());
  Real shifted = fma(x, y, constant);
  return {shifted - constant, bitsOf(shifted) - bitsOf(constant)};
}

DoubleWord twoSum(RealOperand x, RealOperand y) {
  Real sum = x + y;
  Real part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}
DoubleWord fastTwoSum(RealOperand x, RealOperand y) {
  Real sum = x + y;
  return {sum, y - (sum - x)};
}
DoubleWord twoProduct(RealOperand x, RealOperand y) {
  Real product = x * y;
  return {product, fma(x, y, -product)};
}

} // namespace tilewright::math
