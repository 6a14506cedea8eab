// Fast ways for the ops that most bodies are made of: on the host's numbers,
// which IEEE 754 defines bit by bit (but for NaNs, of which any is right). A
// test compares them with the functions of reference::Element.
#include "graph/reference/Body.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <bit>
#include <cmath>

using namespace mlir;

namespace tilewright::graph::reference {

//===--- Formats ----------------------------------------------------------===//

namespace {
/// Formats that the host has: numbers are its own.
template <typename N, typename Bits> struct HostFormat {
  using Number = N;
  static N load(uint64_t bits) {
    return std::bit_cast<N>(static_cast<Bits>(bits));
  }
  static uint64_t store(N number) { return std::bit_cast<Bits>(number); }
};
using F32 = HostFormat<float, uint32_t>;
using F64 = HostFormat<double, uint64_t>;

/// Formats of 16 bits with infinities: numbers are doubles, which have more
/// than twice the bits, so that one operation on them that is rounded again
/// gives what one rounding gives (Figueroa, "When is double rounding
/// innocuous?", 1995).
template <int mantissa> struct HalfFormat {
  using Number = double;
  static constexpr int kExponent = 15 - mantissa;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr uint64_t kMantissa = (uint64_t(1) << mantissa) - 1;
  static constexpr uint64_t kSpecial = (uint64_t(1) << kExponent) - 1;

  static double power(int exponent) {
    return std::bit_cast<double>(uint64_t(exponent + 1023) << 52);
  }
  static double load(uint64_t bits) {
    const uint64_t exponent = bits >> mantissa & kSpecial;
    const uint64_t fraction = bits & kMantissa;
    const uint64_t sign = bits >> 15 << 63;
    if (exponent == 0) {
      double number = double(fraction) * power(1 - kBias - mantissa);
      return sign ? -number : number;
    }
    const uint64_t wide =
        exponent == kSpecial ? 0x7ff : exponent + 1023 - kBias;
    return std::bit_cast<double>(sign | wide << 52 |
                                 fraction << (52 - mantissa));
  }
  static uint64_t store(double number) {
    const uint64_t sign = std::bit_cast<uint64_t>(number) >> 63 << 15;
    const double size = std::fabs(number);
    if (std::isnan(number))
      return sign | kSpecial << mantissa | uint64_t(1) << (mantissa - 1);
    // Doubles from here on have the distance of the subnormal numbers.
    if (size < power(1 - kBias)) {
      const double shift = power(52 + 1 - kBias - mantissa);
      return sign | (std::bit_cast<uint64_t>(size + shift) -
                     std::bit_cast<uint64_t>(shift));
    }
    uint64_t bits = std::bit_cast<uint64_t>(size);
    const uint64_t isOdd = bits >> (52 - mantissa) & 1;
    bits += (uint64_t(1) << (51 - mantissa)) - 1 + isOdd;
    const int exponent = int(bits >> 52) - 1023;
    if (exponent > kBias)
      return sign | kSpecial << mantissa;
    return sign | uint64_t(exponent + kBias) << mantissa |
           (bits >> (52 - mantissa) & kMantissa);
  }
};
using F16 = HalfFormat<10>;
using BF16 = HalfFormat<7>;

/// A function of two floats.
template <typename F,
          typename F::Number (*fn)(typename F::Number, typename F::Number)>
uint64_t onFloats(uint64_t a, uint64_t b) {
  return F::store(fn(F::load(a), F::load(b)));
}
template <typename F, bool (*fn)(typename F::Number, typename F::Number)>
uint64_t compareFloats(uint64_t a, uint64_t b) {
  return fn(F::load(a), F::load(b));
}
/// A float as one of another type, rounded once.
template <typename From, typename To>
uint64_t convertFloat(uint64_t a, uint64_t) {
  return To::store(static_cast<typename To::Number>(From::load(a)));
}
} // namespace

//===--- Floats -----------------------------------------------------------===//

template <typename F> static F addOf(F a, F b) { return a + b; }
template <typename F> static F differenceOf(F a, F b) { return a - b; }
template <typename F> static F productOf(F a, F b) { return a * b; }
template <typename F> static F quotientOf(F a, F b) { return a / b; }
/// NaN spreads, and 0 is greater than -0.
template <typename F> static F maximumOf(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <typename F> static F minimumOf(F a, F b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

/// A number rather than a NaN.
template <typename F> static F maxnumOf(F a, F b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : maximumOf(a, b);
}
template <typename F> static F minnumOf(F a, F b) {
  return std::isnan(a) ? b : std::isnan(b) ? a : minimumOf(a, b);
}

template <typename F> static bool isEqual(F a, F b) { return a == b; }
template <typename F> static bool isGreater(F a, F b) { return a > b; }
template <typename F> static bool isAtLeast(F a, F b) { return a >= b; }
template <typename F> static bool isLess(F a, F b) { return a < b; }
template <typename F> static bool isAtMost(F a, F b) { return a <= b; }
template <typename F> static bool isOther(F a, F b) { return !(a == b); }
template <typename F> static bool isUnordered(F a, F b) {
  return std::isnan(a) || std::isnan(b);
}

template <typename F> static BitsFn floatComparison(arith::CmpFPredicate p) {
  using N = typename F::Number;
  switch (p) {
  case arith::CmpFPredicate::OEQ:
    return compareFloats<F, isEqual<N>>;
  case arith::CmpFPredicate::OGT:
    return compareFloats<F, isGreater<N>>;
  case arith::CmpFPredicate::OGE:
    return compareFloats<F, isAtLeast<N>>;
  case arith::CmpFPredicate::OLT:
    return compareFloats<F, isLess<N>>;
  case arith::CmpFPredicate::OLE:
    return compareFloats<F, isAtMost<N>>;
  case arith::CmpFPredicate::UNE:
    return compareFloats<F, isOther<N>>;
  case arith::CmpFPredicate::UNO:
    return compareFloats<F, isUnordered<N>>;
  default:
    return nullptr;
  }
}

template <typename F> static BitsFn floatFunction(Operation *op) {
  using N = typename F::Number;
  if (isa<arith::AddFOp>(op))
    return onFloats<F, addOf<N>>;
  if (isa<arith::SubFOp>(op))
    return onFloats<F, differenceOf<N>>;
  if (isa<arith::MulFOp>(op))
    return onFloats<F, productOf<N>>;
  if (isa<arith::DivFOp>(op))
    return onFloats<F, quotientOf<N>>;
  if (isa<arith::MaximumFOp>(op))
    return onFloats<F, maximumOf<N>>;
  if (isa<arith::MinimumFOp>(op))
    return onFloats<F, minimumOf<N>>;
  if (isa<arith::MaxNumFOp>(op))
    return onFloats<F, maxnumOf<N>>;
  if (isa<arith::MinNumFOp>(op))
    return onFloats<F, minnumOf<N>>;
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return floatComparison<F>(comparison.getPredicate());
  return nullptr;
}

template <typename From> static BitsFn conversionFrom(Type to) {
  if (to.isF64())
    return convertFloat<From, F64>;
  if (to.isF32())
    return convertFloat<From, F32>;
  if (to.isF16())
    return convertFloat<From, F16>;
  return to.isBF16() ? convertFloat<From, BF16> : nullptr;
}

/// An op on floats of this format.
template <typename F> static BitsFn functionOf(Operation *op) {
  auto narrowing = dyn_cast<arith::TruncFOp>(op);
  if (isa<arith::ExtFOp>(op) || (narrowing && !narrowing.getRoundingmode()))
    return conversionFrom<F>(op->getResult(0).getType());
  return floatFunction<F>(op);
}

//===--- Integers ---------------------------------------------------------===//

template <unsigned width> static uint64_t addInts(uint64_t a, uint64_t b) {
  return (a + b) & llvm::maskTrailingOnes<uint64_t>(width);
}
template <unsigned width> static uint64_t subtractInts(uint64_t a, uint64_t b) {
  return (a - b) & llvm::maskTrailingOnes<uint64_t>(width);
}
template <unsigned width> static uint64_t multiplyInts(uint64_t a, uint64_t b) {
  return (a * b) & llvm::maskTrailingOnes<uint64_t>(width);
}
static uint64_t andBits(uint64_t a, uint64_t b) { return a & b; }
static uint64_t orBits(uint64_t a, uint64_t b) { return a | b; }
static uint64_t xorBits(uint64_t a, uint64_t b) { return a ^ b; }

template <unsigned width, typename Compare>
static uint64_t compareInts(uint64_t a, uint64_t b) {
  return Compare()(llvm::SignExtend64<width>(a), llvm::SignExtend64<width>(b));
}

template <unsigned width> static BitsFn intComparison(arith::CmpIPredicate p) {
  switch (p) {
  case arith::CmpIPredicate::eq:
    return compareInts<width, std::equal_to<>>;
  case arith::CmpIPredicate::ne:
    return compareInts<width, std::not_equal_to<>>;
  case arith::CmpIPredicate::slt:
    return compareInts<width, std::less<>>;
  case arith::CmpIPredicate::sle:
    return compareInts<width, std::less_equal<>>;
  case arith::CmpIPredicate::sgt:
    return compareInts<width, std::greater<>>;
  case arith::CmpIPredicate::sge:
    return compareInts<width, std::greater_equal<>>;
  default:
    return nullptr;
  }
}

/// Without flags: with them a result may be poison.
template <typename Op> static bool wraps(Operation *op) {
  auto arithmetic = dyn_cast<Op>(op);
  return arithmetic &&
         arithmetic.getOverflowFlags() == arith::IntegerOverflowFlags::none;
}

template <unsigned width> static BitsFn intFunction(Operation *op) {
  if (wraps<arith::AddIOp>(op))
    return addInts<width>;
  if (wraps<arith::SubIOp>(op))
    return subtractInts<width>;
  if (wraps<arith::MulIOp>(op))
    return multiplyInts<width>;
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return intComparison<width>(comparison.getPredicate());
  return nullptr;
}

BitsFn bitsFunction(Operation *op) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return nullptr;
  Type type = op->getOperand(0).getType();
  if (type.isF32())
    return functionOf<F32>(op);
  if (type.isF64())
    return functionOf<F64>(op);
  if (type.isF16())
    return functionOf<F16>(op);
  if (type.isBF16())
    return functionOf<BF16>(op);
  if (!type.isIntOrIndex())
    return nullptr;
  if (isa<arith::AndIOp>(op))
    return andBits;
  if (isa<arith::OrIOp>(op))
    return orBits;
  if (isa<arith::XOrIOp>(op))
    return xorBits;
  switch (numerics::widthOf(type)) {
  case 64:
    return intFunction<64>(op);
  case 32:
    return intFunction<32>(op);
  case 16:
    return intFunction<16>(op);
  case 8:
    return intFunction<8>(op);
  default:
    return nullptr;
  }
}

} // namespace tilewright::graph::reference
