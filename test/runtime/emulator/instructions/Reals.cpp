#include "test/runtime/emulator/instructions/Reals.h"

#include <algorithm>
#include <cfenv>
#include <cmath>

namespace instructions {

Mode modeOf(const std::string &name) {
  if (name == "rna")
    return Mode::nearestAway;
  switch (name.size() > 1 ? name[1] : 'n') {
  case 'z':
    return Mode::towardZero;
  case 'm':
    return Mode::down;
  case 'p':
    return Mode::up;
  default:
    return Mode::nearestEven;
  }
}

//===--- Exact numbers ----------------------------------------------------===//

static int biasOf(const Format &format) {
  return (1 << (format.exponentBits - 1)) - 1;
}
Bits infinityOf(const Format &format) {
  return lowBits(unsigned(format.exponentBits)) << format.fractionBits;
}
Bits largestOf(const Format &format) {
  return format.isIeee ? infinityOf(format) - 1 : format.largest;
}

Real real(Bits bits, const Format &format) {
  Real value;
  unsigned width = unsigned(format.exponentBits + format.fractionBits);
  value.negative = bits >> width & 1;
  Bits magnitude = bits & lowBits(width);
  Bits fraction = magnitude & lowBits(unsigned(format.fractionBits));
  int exponent = int(magnitude >> format.fractionBits);
  if (format.isIeee && magnitude >= infinityOf(format)) {
    value.kind = fraction ? Real::nan : Real::infinite;
    return value;
  }
  if (!format.isIeee && magnitude > format.largest) {
    value.kind = Real::nan;
    return value;
  }
  value.significand =
      exponent ? fraction | Bits{1} << format.fractionBits : fraction;
  value.exponent = std::max(exponent, 1) - biasOf(format) - format.fractionBits;
  return value;
}
Real real(Half value) { return real(value.bits, f16Format); }
Real real(BFloat value) { return real(value.bits, bf16Format); }
Real real(float value) { return real(toBits(value), f32Format); }
Real real(double value) { return real(toBits(value), f64Format); }
Real realInteger(Int128 value) {
  Real result;
  result.negative = value < 0;
  result.significand = value < 0 ? Bits(-value) : Bits(value);
  return result;
}

static int bitLength(Bits value) {
  int length = 0;
  for (; value; value >>= 1)
    ++length;
  return length;
}

/// Whether the magnitude is rounded up to the next unit: `half`: the first
/// discarded bit; `rest`: any bit after it.
static bool roundsUp(bool negative, bool odd, bool half, bool rest, Mode mode) {
  switch (mode) {
  case Mode::nearestEven:
    return half && (rest || odd);
  case Mode::nearestAway:
    return half;
  case Mode::down:
    return negative && (half || rest);
  case Mode::up:
    return !negative && (half || rest);
  case Mode::towardZero:
    return false;
  }
  return false;
}

/// The magnitude in units of 2^unit, rounded.
static Bits inUnits(const Real &value, int unit, Mode mode) {
  int cut = unit - value.exponent;
  if (cut <= 0)
    return value.significand << -cut;
  if (cut > 127)
    return roundsUp(value.negative, false, false,
                    value.significand || value.sticky, mode);
  Bits kept = value.significand >> cut;
  bool half = value.significand >> (cut - 1) & 1;
  bool rest = (value.significand & lowBits(unsigned(cut - 1))) || value.sticky;
  return kept + roundsUp(value.negative, kept & 1, half, rest, mode);
}

Bits rounded(const Real &value, const Format &format, Mode mode) {
  unsigned width = unsigned(format.exponentBits + format.fractionBits);
  Bits sign = Bits{value.negative} << width;
  if (value.kind == Real::nan)
    return format.isIeee ? lowBits(width) : format.notANumber;
  if (value.kind == Real::infinite)
    return sign | (format.isIeee ? infinityOf(format) : format.largest);
  if (value.isZero())
    return sign;
  int top = bitLength(value.significand) + value.exponent - 1;
  int least = 1 - biasOf(format);
  int unit = std::max(top, least) - format.fractionBits;
  Bits units = inUnits(value, unit, mode);
  // The exponent's field and the fraction are one number: a carry goes over.
  Bits field = Bits(std::max(top, least) - least);
  Bits magnitude = (field << format.fractionBits) + units;
  if (magnitude <= largestOf(format))
    return sign | magnitude;
  bool backs = mode == Mode::towardZero || (mode == Mode::down && !sign) ||
               (mode == Mode::up && sign);
  if (!format.isIeee || backs)
    return sign | largestOf(format);
  return sign | infinityOf(format);
}

Int128 integral(const Real &value, Mode mode) {
  // Beyond what any integer type holds it does not matter how far.
  if (value.kind == Real::infinite ||
      (value.significand &&
       bitLength(value.significand) + value.exponent > 100))
    return value.negative ? -(Int128(1) << 100) : Int128(1) << 100;
  Int128 magnitude = Int128(inUnits(value, 0, mode));
  return value.negative ? -magnitude : magnitude;
}

/// With its highest bit at 100, if it is no zero.
static Real normalized(Real value) {
  if (!value.significand)
    return value;
  int shift = 101 - bitLength(value.significand);
  value.significand <<= shift;
  value.exponent -= shift;
  return value;
}

Real sum(const Real &a, const Real &b, Mode mode) {
  if (a.kind != Real::finite || b.kind != Real::finite) {
    Real result = a.kind != Real::finite ? a : b;
    bool clash = a.kind == b.kind && a.negative != b.negative;
    if (a.kind == Real::nan || b.kind == Real::nan || clash)
      result.kind = Real::nan;
    return result;
  }
  if (a.isZero() && b.isZero()) {
    Real zero = a;
    if (a.negative != b.negative)
      zero.negative = mode == Mode::down;
    return zero;
  }
  if (a.isZero())
    return b;
  if (b.isZero())
    return a;
  Real big = normalized(a), small = normalized(b);
  if (small.exponent > big.exponent)
    std::swap(big, small);
  int shift = std::min(big.exponent - small.exponent, 120);
  bool lost = small.significand & lowBits(unsigned(shift));
  small.significand >>= shift;
  if (big.negative == small.negative) {
    big.significand += small.significand;
    big.sticky = lost;
    return big;
  }
  Int128 difference =
      Int128(big.significand) - Int128(small.significand) - lost;
  big.sticky = lost;
  if (difference < 0) {
    // Nothing is lost where the exponents are so near.
    difference = -difference;
    big.negative = !big.negative;
  }
  big.significand = Bits(difference);
  if (big.isZero())
    big.negative = mode == Mode::down;
  return big;
}

Real product(const Real &a, const Real &b) {
  Real result;
  result.negative = a.negative != b.negative;
  if (a.kind != Real::finite || b.kind != Real::finite) {
    bool isNan =
        a.kind == Real::nan || b.kind == Real::nan || a.isZero() || b.isZero();
    result.kind = isNan ? Real::nan : Real::infinite;
    return result;
  }
  result.significand = a.significand * b.significand;
  result.exponent = a.exponent + b.exponent;
  return result;
}

//===--- By the host ------------------------------------------------------===//

namespace {
/// Rounds in `mode` while it lives. This file is compiled with -frounding-math.
class Rounds {
public:
  explicit Rounds(Mode mode) {
    std::fesetround(mode == Mode::towardZero ? FE_TOWARDZERO
                    : mode == Mode::down     ? FE_DOWNWARD
                    : mode == Mode::up       ? FE_UPWARD
                                             : FE_TONEAREST);
  }
  ~Rounds() { std::fesetround(FE_TONEAREST); }
};
} // namespace

#define BY_HOST(T)                                                             \
  T add(Mode mode, T a, T b) {                                                 \
    Rounds rounds(mode);                                                       \
    volatile T x = a, y = b, result = x + y;                                   \
    return result;                                                             \
  }                                                                            \
  T sub(Mode mode, T a, T b) {                                                 \
    Rounds rounds(mode);                                                       \
    volatile T x = a, y = b, result = x - y;                                   \
    return result;                                                             \
  }                                                                            \
  T mul(Mode mode, T a, T b) {                                                 \
    Rounds rounds(mode);                                                       \
    volatile T x = a, y = b, result = x * y;                                   \
    return result;                                                             \
  }                                                                            \
  T div(Mode mode, T a, T b) {                                                 \
    Rounds rounds(mode);                                                       \
    volatile T x = a, y = b, result = x / y;                                   \
    return result;                                                             \
  }                                                                            \
  T fma(Mode mode, T a, T b, T c) {                                            \
    Rounds rounds(mode);                                                       \
    volatile T x = a, y = b, z = c, result = std::fma(x, y, z);                \
    return result;                                                             \
  }                                                                            \
  T sqrt(Mode mode, T a) {                                                     \
    Rounds rounds(mode);                                                       \
    volatile T x = a, result = std::sqrt(x);                                   \
    return result;                                                             \
  }
BY_HOST(float)
BY_HOST(double)
#undef BY_HOST

//===--- Modifiers --------------------------------------------------------===//

bool isNan(Half value) { return (value.bits & 0x7FFF) > 0x7C00; }
bool isNan(BFloat value) { return (value.bits & 0x7FFF) > 0x7F80; }
bool isNan(float value) { return std::isnan(value); }
bool isNan(double value) { return std::isnan(value); }

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value)
                                                : value;
}
Half flushed(Half value) {
  return (value.bits & 0x7C00) ? value : Half{uint16_t(value.bits & 0x8000)};
}
float saturated(float value) {
  return !(value > 0) ? 0.0f : value > 1 ? 1.0f : value;
}
double saturated(double value) {
  return !(value > 0) ? 0.0 : value > 1 ? 1.0 : value;
}
Half saturated(Half value) {
  if (isNan(value) || value.bits >> 15)
    return {0};
  return {std::min<uint16_t>(value.bits, 0x3C00)};
}
BFloat saturated(BFloat value) {
  if (isNan(value) || value.bits >> 15)
    return {0};
  return {std::min<uint16_t>(value.bits, 0x3F80)};
}

static double valueOf(const Real &exact) {
  double magnitude =
      exact.kind == Real::nan ? double(NAN)
      : exact.kind == Real::infinite
          ? double(INFINITY)
          : std::ldexp(double(uint64_t(exact.significand)), exact.exponent);
  return exact.negative ? -magnitude : magnitude;
}
double valueOf(Half value) { return valueOf(real(value)); }
double valueOf(BFloat value) { return valueOf(real(value)); }

/// An order of all but NaN: -0 before +0.
static int rankOf(uint16_t bits) {
  int magnitude = bits & 0x7FFF;
  return bits >> 15 ? -magnitude - 1 : magnitude;
}
template <class T> static T extremumOf(T a, T b, bool least, bool keeps) {
  if (isNan(a) || isNan(b))
    return keeps || isNan(a) == isNan(b) ? T{0x7FFF} : isNan(a) ? b : a;
  return (rankOf(a.bits) < rankOf(b.bits)) == least ? a : b;
}
Half extremum(Half a, Half b, bool least, bool keeps) {
  return extremumOf(a, b, least, keeps);
}
BFloat extremum(BFloat a, BFloat b, bool least, bool keeps) {
  return extremumOf(a, b, least, keeps);
}

} // namespace instructions
