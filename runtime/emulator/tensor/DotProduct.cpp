#include "runtime/emulator/tensor/DotProduct.h"
#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>

namespace tilewright::emulator {

using Accumulator = Rule::Accumulator;

namespace {

enum class Class : std::uint8_t { finite, infinite, nan };

/// A number of some format, or a product of two. A finite one is
/// significand * 2^(exponent - fractionBits).
struct Term {
  Class kind = Class::finite;
  bool negative = false;
  std::uint64_t significand = 0;
  int exponent = 0;
  int fractionBits = 0;

  [[nodiscard]] bool isZero() const {
    return kind == Class::finite && significand == 0;
  }
};

/// A block's exact sum: value * 2^exponent if finite.
struct Sum {
  Class kind = Class::finite;
  bool negative = false;
  std::int64_t value = 0;
  int exponent = 0;
};

constexpr std::uint32_t floatNan = 0x7fffffff;
constexpr std::uint32_t floatInfinity = 0x7f800000;

Term decode(ElementType type, std::uint32_t bits) {
  ElementFacts facts = elementFacts(type);
  if (type == ElementType::tf32)
    bits >>= 13;
  std::uint32_t fraction = bits & ((1u << facts.fractionBits) - 1);
  std::uint32_t allOnes = (1u << facts.exponentBits) - 1;
  std::uint32_t field = bits >> facts.fractionBits & allOnes;
  Term term;
  term.negative = bits >> (facts.fractionBits + facts.exponentBits) & 1;
  term.fractionBits = facts.fractionBits;
  if (facts.special == SpecialValues::ieee && field == allOnes)
    term.kind = fraction ? Class::nan : Class::infinite;
  if (facts.special == SpecialValues::nanOnly && field == allOnes &&
      fraction + 1 == 1u << facts.fractionBits)
    term.kind = Class::nan;
  term.significand = field ? fraction | 1u << facts.fractionBits : fraction;
  term.exponent = std::max<int>(field, 1) - facts.bias();
  return term;
}

Term product(const Term &x, const Term &y) {
  Term result;
  result.negative = x.negative != y.negative;
  bool nan = x.kind == Class::nan || y.kind == Class::nan;
  if (nan || x.kind == Class::infinite || y.kind == Class::infinite) {
    result.kind =
        nan || x.isZero() || y.isZero() ? Class::nan : Class::infinite;
    return result;
  }
  result.significand = x.significand * y.significand;
  result.exponent = x.exponent + y.exponent;
  result.fractionBits = x.fractionBits + y.fractionBits;
  return result;
}

/// significand * 2^shift, toward zero.
std::uint64_t shifted(std::uint64_t significand, int shift) {
  if (shift >= 0)
    return significand << shift;
  return shift > -64 ? significand >> -shift : 0;
}

/// Adds up the terms of one block.
class BlockSum {
public:
  explicit BlockSum(const Rule &rule)
      : fractionBits(rule.fractionBits), largest(rule.exponentFloor) {}

  void add(const Term &term) {
    if (term.kind == Class::nan)
      nan = true;
    else if (term.kind == Class::infinite)
      (term.negative ? minusInfinity : plusInfinity) = true;
    if (term.kind != Class::finite || term.significand == 0)
      return;
    terms[count++] = term;
    largest = std::max(largest, term.exponent);
  }

  [[nodiscard]] Sum total() const {
    Sum sum;
    if (nan || (plusInfinity && minusInfinity))
      sum.kind = Class::nan;
    else if (plusInfinity || minusInfinity)
      sum.kind = Class::infinite;
    sum.negative = minusInfinity;
    sum.exponent = largest - fractionBits;
    for (int i = 0; i < count; ++i) {
      const Term &term = terms[i];
      int shift = term.exponent - term.fractionBits - sum.exponent;
      auto magnitude =
          static_cast<std::int64_t>(shifted(term.significand, shift));
      sum.value += term.negative ? -magnitude : magnitude;
    }
    return sum;
  }

private:
  static constexpr int mostTerms = 129;
  int fractionBits;
  int largest;
  int count = 0;
  bool nan = false, plusInfinity = false, minusInfinity = false;
  Term terms[mostTerms];
};

/// Rounds to f32 toward zero, keeping `kept` fraction bits (23 or 13).
std::uint32_t towardZero(const Sum &sum, int kept) {
  std::uint32_t sign =
      (sum.value ? sum.value < 0 : sum.negative) ? 1u << 31 : 0;
  if (sum.kind == Class::nan)
    return floatNan;
  if (sum.kind == Class::infinite)
    return (sum.negative ? 1u << 31 : 0) | floatInfinity;
  auto magnitude = static_cast<std::uint64_t>(std::abs(sum.value));
  int width = std::bit_width(magnitude);
  // Subnormal numbers have the least normal exponent.
  int exponent = std::max(sum.exponent + width - 1, -126);
  auto significand = static_cast<std::uint32_t>(
      shifted(magnitude, sum.exponent - exponent + kept) << (23 - kept));
  if (significand == 0)
    return 0;
  if (exponent > 127)
    return sign | floatInfinity;
  // The leading bit of a normal significand adds 1 to the exponent field.
  return sign |
         ((static_cast<std::uint32_t>(exponent + 126) << 23) + significand);
}

/// Rounds to f16, to nearest even; the result is widened to f32.
std::uint32_t nearestHalf(const Sum &sum) {
  if (sum.kind != Class::finite || sum.value == 0)
    return towardZero(sum, 23);
  auto magnitude = static_cast<std::uint64_t>(std::abs(sum.value));
  int width = std::bit_width(magnitude);
  int exponent = std::max(sum.exponent + width - 1, -14);
  int shift = sum.exponent - exponent + 10;
  std::uint64_t significand = shifted(magnitude, shift);
  if (shift < 0) {
    // Up if more than half a unit is lost, or just half from an odd number.
    std::uint64_t halfUnits = shifted(magnitude, shift + 1);
    if ((halfUnits & 1) &&
        (shifted(halfUnits, -shift - 1) != magnitude || (significand & 1)))
      ++significand;
  }
  double value = std::ldexp(static_cast<double>(significand), exponent - 10);
  if (value > 65504)
    value = INFINITY;
  return std::bit_cast<std::uint32_t>(
      static_cast<float>(sum.value < 0 ? -value : value));
}

/// The f16 bits of an f32 that f16 can hold, a NaN, or an infinity.
std::uint32_t halfBits(std::uint32_t bits) {
  std::uint32_t sign = bits >> 16 & 0x8000;
  std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > floatInfinity)
    return 0x7fff;
  if (magnitude == floatInfinity)
    return sign | 0x7c00;
  float value = std::bit_cast<float>(magnitude);
  if (value >= 0x1p-14f)
    return sign | ((magnitude >> 13) - (112u << 10));
  return sign | static_cast<std::uint32_t>(value * 0x1p24f);
}

/// An f32 as a Sum, to round it again.
Sum widened(std::uint32_t bits) {
  Term term = decode(ElementType::f32, bits);
  auto value = static_cast<std::int64_t>(term.significand);
  return {term.kind, term.negative, term.negative ? -value : value,
          term.exponent - term.fractionBits};
}

std::uint32_t rounded(const Sum &sum, Accumulator accumulator) {
  switch (accumulator) {
  case Accumulator::f32:
    return towardZero(sum, 23);
  case Accumulator::f32With13Bits:
    return towardZero(sum, 13);
  case Accumulator::f16:
    return nearestHalf(sum);
  }
  return floatNan;
}

/// x + y as the ordinary add of the accumulator's type does it (PTX ISA
/// 9.7.3.1, 9.7.4.1); both are f32 bits.
std::uint32_t nearestSum(std::uint32_t x, std::uint32_t y,
                         Accumulator accumulator) {
  float sum = std::bit_cast<float>(x) + std::bit_cast<float>(y);
  if (std::isnan(sum))
    return floatNan;
  auto bits = std::bit_cast<std::uint32_t>(sum);
  if (accumulator != Accumulator::f16 || std::isinf(sum) || sum == 0)
    return bits;
  // The exact sum of two f16 numbers fits a double.
  double exact = double(std::bit_cast<float>(x)) + std::bit_cast<float>(y);
  auto units = static_cast<std::int64_t>(std::ldexp(exact, 24));
  return nearestHalf({Class::finite, units < 0, units, -24});
}

/// The k at `index` in the order of blocks.
int elementAt(int index, int depth, int interleave) {
  if (interleave == 0)
    return index;
  int half = index >= depth / 2;
  int inHalf = index - half * (depth / 2);
  int run = inHalf / interleave * 2 + half;
  return run * interleave + inHalf % interleave;
}

} // namespace

std::uint32_t StridedElements::at(int index) const {
  int bytes = elementFacts(type).storageBytes;
  const char *from =
      static_cast<const char *>(first) + std::ptrdiff_t{index} * stride * bytes;
  if (bytes == 4) {
    std::uint32_t bits;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
  }
  std::uint16_t bits = static_cast<unsigned char>(*from);
  if (bytes == 2)
    std::memcpy(&bits, from, sizeof bits);
  return bits;
}

std::uint32_t dotProduct(const Rule &rule, const StridedElements &a,
                         const StridedElements &b, std::uint32_t c) {
  const MatrixOperation &op = rule.operation;
  // f16 widens to f32 exactly, with a normalised significand.
  std::uint32_t start = c;
  if (op.c == ElementType::f16) {
    Term term = decode(ElementType::f16, c);
    auto value = static_cast<std::int64_t>(term.significand);
    start =
        towardZero({term.kind, term.negative, term.negative ? -value : value,
                    term.exponent - term.fractionBits},
                   23);
    if (term.isZero())
      start = c << 16;
  }
  std::uint32_t accumulator = rule.accumulatorLast ? 0 : start;
  for (int index = 0; index < op.depth;) {
    BlockSum block(rule);
    int end = std::min(index + rule.blockSize, op.depth);
    for (; index < end; ++index) {
      int k = elementAt(index, op.depth, rule.interleave);
      block.add(product(decode(op.a, a.at(k)), decode(op.b, b.at(k))));
    }
    block.add(decode(ElementType::f32, accumulator));
    accumulator = rounded(block.total(), rule.accumulator);
  }
  if (rule.accumulatorLast)
    accumulator = nearestSum(accumulator, start, rule.accumulator);
  if (op.d != ElementType::f16)
    return accumulator;
  if (rule.accumulator != Accumulator::f16)
    accumulator = nearestHalf(widened(accumulator));
  return halfBits(accumulator);
}

std::uint64_t fusedChain(const Rule &rule, const StridedElements &a,
                         const StridedElements &b, std::uint64_t c) {
  int environment = std::fegetround();
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  std::fesetround(modes[static_cast<int>(rule.operation.rounding)]);
  // volatile: the rounding mode is not to be moved past the arithmetic.
  volatile double sum = std::bit_cast<double>(c);
  for (int k = 0; k < rule.operation.depth; ++k) {
    volatile double x = static_cast<const double *>(a.first)[k * a.stride];
    volatile double y = static_cast<const double *>(b.first)[k * b.stride];
    sum = std::fma(x, y, sum);
  }
  std::fesetround(environment);
  double result = sum;
  return std::isnan(result) ? 0x7ff8000000000000
                            : std::bit_cast<std::uint64_t>(result);
}

} // namespace tilewright::emulator
