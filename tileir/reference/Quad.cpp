#include "tileir/reference/Quad.h"

#include "llvm/ADT/APInt.h"
#include <algorithm>

using llvm::APFloat;
using llvm::APInt;

namespace tilewright::reference {

/// Bits of the significand, and of the words that MPFR has for it.
static constexpr int kPrecision = 113, kWords = 128;
static_assert(sizeof(mp_limb_t) * 2 * 8 == kWords);
/// The exponent of the least bit of a subnormal number.
static constexpr int kLeastExponent = -16494;

namespace {
/// A number of MPFR with the precision of f128, and the memory that it needs.
class Number {
public:
  Number() { set(MPFR_NAN_KIND, false, 0, APInt(kWords, 0)); }
  explicit Number(const APFloat &x);
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;

  /// Rounded where f128 has less precision: subnormal numbers.
  [[nodiscard]] APFloat toQuad() const;

  mpfr_t value;

private:
  /// The number bits * 2^(exponent - 128); the first bit is set, or the kind is
  /// not a regular number.
  void set(int kind, bool isNegative, mpfr_exp_t exponent, const APInt &bits) {
    words[0] = bits.extractBitsAsZExtValue(64, 0);
    words[1] = bits.extractBitsAsZExtValue(64, 64);
    mpfr_custom_init_set(value, isNegative ? -kind : kind, exponent, kPrecision,
                         words);
  }

  mp_limb_t words[2];
};
} // namespace

Number::Number(const APFloat &x) : Number() {
  assert(&x.getSemantics() == &APFloat::IEEEquad() && "a number of f128");
  const bool isNegative = x.isNegative();
  if (!x.isFiniteNonZero()) {
    const int kind = x.isNaN()    ? MPFR_NAN_KIND
                     : x.isZero() ? MPFR_ZERO_KIND
                                  : MPFR_INF_KIND;
    set(kind, isNegative, 0, APInt(kWords, 0));
    return;
  }
  const APInt bits = x.bitcastToAPInt();
  const int exponent = int(bits.extractBitsAsZExtValue(15, kPrecision - 1));
  APInt significand = bits & APInt::getLowBitsSet(kWords, kPrecision - 1);
  if (exponent > 0)
    significand.setBit(kPrecision - 1);
  const int shift = int(significand.countl_zero());
  set(MPFR_REGULAR_KIND, isNegative,
      kWords - shift + kLeastExponent + std::max(exponent - 1, 0),
      significand << shift);
}

APFloat Number::toQuad() const {
  const llvm::fltSemantics &quad = APFloat::IEEEquad();
  const bool isNegative = mpfr_signbit(value) != 0;
  if (mpfr_nan_p(value))
    return APFloat::getNaN(quad);
  if (mpfr_inf_p(value))
    return APFloat::getInf(quad, isNegative);
  if (mpfr_zero_p(value))
    return APFloat::getZero(quad, isNegative);
  APFloat result(quad);
  result.convertFromAPInt(APInt(kWords, words).lshr(kWords - kPrecision),
                          /*isSigned=*/false, APFloat::rmNearestTiesToEven);
  // All exponents beyond these are as good as others.
  constexpr mpfr_exp_t enough = 40000;
  result = llvm::scalbn(
      result,
      int(std::clamp(mpfr_get_exp(value), -enough, enough) - kPrecision),
      APFloat::rmNearestTiesToEven);
  if (isNegative)
    result.changeSign();
  return result;
}

bool hasQuadFunctions() { return mpfr_exp != nullptr; }

static APFloat unknown() { return APFloat::getNaN(APFloat::IEEEquad()); }

APFloat quadFunction(QuadUnary fn, const APFloat &x) {
  if (!fn)
    return unknown();
  const Number operand(x);
  Number result;
  fn(result.value, operand.value, MPFR_RNDN);
  return result.toQuad();
}

APFloat quadFunction(QuadBinary fn, const APFloat &x, const APFloat &y) {
  if (!fn)
    return unknown();
  const Number first(x), second(y);
  Number result;
  fn(result.value, first.value, second.value, MPFR_RNDN);
  return result.toQuad();
}

APFloat quadPower(const APFloat &x, int64_t exponent) {
  if (!hasQuadFunctions())
    return unknown();
  const Number base(x);
  Number result;
  mpfr_pow_si(result.value, base.value, exponent, MPFR_RNDN);
  return result.toQuad();
}

int quadInverseRoot(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t rounding) {
  if (!hasQuadFunctions())
    return 0;
  const int inexact = mpfr_rec_sqrt(result, x, rounding);
  if (mpfr_zero_p(x))
    mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
  return inexact;
}

} // namespace tilewright::reference
