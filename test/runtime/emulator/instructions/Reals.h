// Floating-point arithmetic as IEEE 754 defines it: f32 and f64 by the host's
// hardware in each rounding mode, smaller formats by exact numbers that are
// rounded once.
#ifndef TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_REALS_H
#define TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_REALS_H

#include "test/runtime/emulator/instructions/Values.h"

#include <string>

namespace instructions {

enum class Mode : uint8_t { nearestEven, towardZero, down, up, nearestAway };

/// `rn`, `rz`, `rm`, `rp`, `rna`, also with an i behind; empty: nearest.
Mode modeOf(const std::string &name);

/// significand * 2^exponent, and with `sticky` less than one unit of the
/// significand more; or no number.
struct Real {
  enum Class : uint8_t { finite, infinite, nan };
  Class kind = finite;
  bool negative = false;
  bool sticky = false;
  Bits significand = 0;
  int exponent = 0;

  [[nodiscard]] bool isZero() const {
    return kind == finite && significand == 0 && !sticky;
  }
};

/// A format by its fields.
struct Format {
  int exponentBits = 0, fractionBits = 0;
  /// The exponents' upper end is infinity and NaN.
  bool isIeee = true;
  /// Bits of the largest finite number and of NaN, without the sign; of those
  /// that are not IEEE's.
  Bits largest = 0, notANumber = 0;
};
inline constexpr Format f16Format = {5, 10}, bf16Format = {8, 7},
                        f32Format = {8, 23}, f64Format = {11, 52},
                        tf32Format = {8, 10}, e5m2Format = {5, 2},
                        e4m3Format = {4, 3, false, 0x7E, 0x7F},
                        e3m2Format = {3, 2, false, 0x1F, 0x1F},
                        e2m3Format = {2, 3, false, 0x1F, 0x1F},
                        e2m1Format = {2, 1, false, 0x7, 0x7};

Bits largestOf(const Format &format);
Bits infinityOf(const Format &format);

Real real(Bits bits, const Format &format);
Real real(Half value);
Real real(BFloat value);
Real real(float value);
Real real(double value);
Real realInteger(Int128 value);

/// The bits of the nearest number in the mode. Beyond the largest: infinity,
/// or the largest where the mode leads back to it; in a format without
/// infinity the largest.
Bits rounded(const Real &value, const Format &format, Mode mode);
/// The integer.
Int128 integral(const Real &value, Mode mode);

/// Of numbers of at most 24 bits.
Real sum(const Real &a, const Real &b, Mode mode = Mode::nearestEven);
Real product(const Real &a, const Real &b);

//===--- By the host ------------------------------------------------------===//

float add(Mode mode, float a, float b);
float sub(Mode mode, float a, float b);
float mul(Mode mode, float a, float b);
float div(Mode mode, float a, float b);
float fma(Mode mode, float a, float b, float c);
float sqrt(Mode mode, float a);
double add(Mode mode, double a, double b);
double sub(Mode mode, double a, double b);
double mul(Mode mode, double a, double b);
double div(Mode mode, double a, double b);
double fma(Mode mode, double a, double b, double c);
double sqrt(Mode mode, double a);

//===--- Modifiers --------------------------------------------------------===//

/// .ftz: subnormals become zeros of their sign.
float flushed(float value);
Half flushed(Half value);
/// .sat: to [0, 1]; NaN to 0.
float saturated(float value);
double saturated(double value);
Half saturated(Half value);
BFloat saturated(BFloat value);

/// Exactly.
double valueOf(Half value);
double valueOf(BFloat value);

bool isNan(Half value);
bool isNan(BFloat value);
bool isNan(float value);
bool isNan(double value);

/// The least or the greatest (PTX section 9.7.4.7): -0 is less than +0; NaN is
/// ignored unless `keeps`.
Half extremum(Half a, Half b, bool least, bool keeps);
BFloat extremum(BFloat a, BFloat b, bool least, bool keeps);

} // namespace instructions

#endif // TILEWRIGHT_TEST_EMULATOR_INSTRUCTIONS_REALS_H
