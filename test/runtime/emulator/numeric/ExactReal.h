// The tests' oracle of rounding: exact sums of integers times powers of two,
// rounded to a format. It shares nothing with the arithmetic that it checks.
#ifndef TILEWRIGHT_TEST_EMULATOR_NUMERIC_EXACTREAL_H
#define TILEWRIGHT_TEST_EMULATOR_NUMERIC_EXACTREAL_H

#include "runtime/emulator/numeric/Formats.h"

#include <array>
#include <cstdint>
#include <functional>

namespace oracle {

using tilewright::emulator::BFloat;
using tilewright::emulator::Half;
using tilewright::emulator::Rounding;
__extension__ typedef __int128 Int128;

/// significand * 2^exponent
struct Dyadic {
  Int128 significand;
  int exponent;
};

/// A finite number.
Dyadic exactly(double value);
/// The product of numbers of at most 64 bits.
Dyadic times(Dyadic a, Dyadic b);
Dyadic minus(Dyadic a);

/// A real number as a fixed-point integer, wide enough for any sum of products
/// of two doubles.
class ExactReal {
public:
  ExactReal &add(Dyadic value);
  /// -1, 0 or 1.
  [[nodiscard]] int sign() const;

private:
  static constexpr int lowest = -2240;       // the exponent of the last bit
  std::array<std::uint32_t, 140> limbs = {}; // two's complement
};

/// A format as its definition has it: sign, exponent, fraction.
struct Format {
  int exponentBits;
  int fractionBits;
  /// The bits of the largest finite number, without the sign.
  std::uint64_t largest;

  [[nodiscard]] std::uint64_t signBit() const {
    return std::uint64_t{1} << (exponentBits + fractionBits);
  }
  /// The value of \p magnitude (bits without the sign); beyond the largest as
  /// if numbers went on.
  [[nodiscard]] Dyadic value(std::uint64_t magnitude) const;
};

inline constexpr Format f64 = {11, 52, 0x7FEFFFFFFFFFFFFF};
inline constexpr Format f32 = {8, 23, 0x7F7FFFFF};
inline constexpr Format tf32 = {8, 10, 0x3FBFF};
inline constexpr Format f16 = {5, 10, 0x7BFF};
inline constexpr Format bf16 = {8, 7, 0x7F7F};
inline constexpr Format e5m2 = {5, 2, 0x7B};
inline constexpr Format e4m3 = {4, 3, 0x7E};
inline constexpr Format e3m2 = {3, 2, 0x1F};
inline constexpr Format e2m3 = {2, 3, 0x1F};
inline constexpr Format e2m1 = {2, 1, 0x7};

template <class T> inline constexpr Format formatOf = {};
template <> inline constexpr Format formatOf<double> = f64;
template <> inline constexpr Format formatOf<float> = f32;
template <> inline constexpr Format formatOf<Half> = f16;
template <> inline constexpr Format formatOf<BFloat> = bf16;

/// The sign of the checked number's magnitude less another number, 0 or more.
using Comparison = std::function<int(Dyadic)>;

/// The bits, without the sign, of a number rounded to \p format, given the
/// comparisons of its magnitude. Beyond the largest number: the code above it
/// (infinity, where there is one) or the largest, as IEEE 754 has it.
std::uint64_t roundedMagnitude(const Comparison &comparison, bool negative,
                               Format format, Rounding mode);

/// The bits of \p value rounded to \p format. An exact zero is positive, in the
/// mode down negative.
std::uint64_t rounded(const ExactReal &value, Format format, Rounding mode);

} // namespace oracle

#endif // TILEWRIGHT_TEST_EMULATOR_NUMERIC_EXACTREAL_H
