//===- MatrixProduct.cpp - How tensor cores add products ------------------===//
//
// Measured on devices by Khattak and Mikaitis ("Accurate models of NVIDIA
// tensor cores", 2025) and by MMA-Sim (Xie et al., 2025): products are exact;
// they and the accumulator are shifted to the greatest exponent and truncated,
// added exactly, and the sum is truncated to the result.
//
//===----------------------------------------------------------------------===//
#include "verify/threads/MatrixProduct.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace tilewright::verify::threads {

namespace {
/// (-1)^sign * significand * 2^(exponent - fraction), with the significand's
/// point behind the bits of the fraction.
struct Term {
  bool sign = false;
  uint64_t significand = 0;
  int exponent = 0;
  unsigned fraction = 0;
  bool isNan = false, isInf = false;

  [[nodiscard]] double number() const {
    if (isNan)
      return NAN;
    const double size =
        isInf ? INFINITY
              : std::ldexp(double(significand), exponent - int(fraction));
    return sign ? -size : size;
  }
};
} // namespace

static Term decode(uint32_t bits, FloatLayout format) {
  const uint32_t top = (1U << format.exponent) - 1;
  const uint32_t exponent = bits >> format.fraction & top;
  const uint32_t fraction = bits & ((1U << format.fraction) - 1);
  const int bias = int(top >> 1);
  Term term;
  term.sign = bits >> (format.exponent + format.fraction) & 1;
  term.fraction = format.fraction;
  term.isNan = exponent == top &&
               (format.isFinite ? fraction == (1U << format.fraction) - 1
                                : fraction != 0);
  term.isInf = exponent == top && !format.isFinite && fraction == 0;
  term.significand = fraction | (exponent ? uint64_t(1) << format.fraction : 0);
  term.exponent = (exponent ? int(exponent) : 1) - bias;
  return term;
}

static Term productOf(const Term &a, const Term &b) {
  Term term;
  term.sign = a.sign != b.sign;
  term.significand = a.significand * b.significand;
  term.exponent = a.exponent + b.exponent;
  term.fraction = a.fraction + b.fraction;
  return term;
}

/// sum * 2^scale, truncated to a significand of 1 + `fraction` bits.
static uint32_t truncated(int64_t sum, int scale, unsigned fraction) {
  if (sum == 0)
    return 0;
  const uint32_t sign = sum < 0 ? 1U << 31 : 0;
  uint64_t size = uint64_t(sum < 0 ? -sum : sum);
  const int width = std::bit_width(size);
  int exponent = scale + width - 1;
  // The lowest bit that is kept; subnormal numbers have fewer.
  int lowest = exponent - int(fraction);
  lowest = std::max(lowest, -149);
  const int drop = lowest - scale;
  if (drop >= 64)
    return 0;
  if (drop > 0)
    size = size >> drop << drop;
  const double number = std::ldexp(double(size), scale);
  if (number >= 0x1p128)
    return sign | 0x7f800000;
  return sign | std::bit_cast<uint32_t>(float(number));
}

/// One addition.
static uint32_t addTerms(std::span<const Term> terms,
                         const ProductRules &rules) {
  double exact = 0;
  int greatest = 0;
  bool any = false;
  for (const Term &term : terms) {
    if (!term.significand)
      continue;
    greatest = any ? std::max(greatest, term.exponent) : term.exponent;
    any = true;
  }
  for (const Term &term : terms)
    if (term.isNan || term.isInf)
      exact += term.number();
  if (std::isnan(exact))
    return 0x7fffffff;
  if (std::isinf(exact))
    return std::bit_cast<uint32_t>(float(exact));
  const int scale = greatest - int(rules.alignedBits);
  int64_t sum = 0;
  for (const Term &term : terms) {
    const int shift = term.exponent - int(term.fraction) - scale;
    uint64_t size = 0;
    if (shift >= 0)
      size = term.significand << shift;
    else if (shift > -64)
      size = term.significand >> -shift;
    sum += term.sign ? -int64_t(size) : int64_t(size);
  }
  return truncated(sum, scale, rules.resultBits);
}

ProductRules productRules(unsigned architecture, FloatLayout format) {
  const bool isTf32 = format.fraction == 10 && format.exponent == 8;
  const bool is8Bit = format.exponent + format.fraction == 7;
  if (architecture < 90) {
    if (is8Bit)
      return {.group = 16, .alignedBits = 13, .resultBits = 13};
    return {.group = isTf32 ? 4U : 8U, .alignedBits = 24};
  }
  if (is8Bit && architecture >= 120)
    return {.group = 32};
  if (is8Bit)
    return {.group = 16, .isEmulated = true};
  return {.group = isTf32 ? 8U : 16U};
}

uint32_t addProducts(std::span<const uint32_t> a, FloatLayout formatA,
                     std::span<const uint32_t> b, FloatLayout formatB,
                     uint32_t acc, const ProductRules &rules) {
  constexpr FloatLayout single = {8, 23};
  std::vector<size_t> order;
  for (size_t part : {size_t(0), size_t(1)})
    for (size_t k = 0; k < a.size(); ++k)
      if ((rules.isEmulated ? k / 2 % 2 : 0) == part)
        order.push_back(k);
  uint32_t sum = rules.isEmulated ? 0 : acc;
  for (size_t first = 0; first < order.size(); first += rules.group) {
    std::vector<Term> terms = {decode(sum, single)};
    for (size_t n = first; n < std::min(order.size(), first + rules.group);
         ++n) {
      const Term x = decode(a[order[n]], formatA);
      const Term y = decode(b[order[n]], formatB);
      Term term = productOf(x, y);
      const double number = x.number() * y.number();
      if (x.isNan || x.isInf || y.isNan || y.isInf) {
        term.isNan = std::isnan(number);
        term.isInf = !term.isNan;
        term.significand = 0;
      }
      terms.push_back(term);
    }
    // Infinite terms take no part in the shift.
    for (Term &term : terms)
      if (term.isNan || term.isInf)
        term.significand = 0;
    sum = addTerms(terms, rules);
  }
  if (!rules.isEmulated)
    return sum;
  return std::bit_cast<uint32_t>(std::bit_cast<float>(sum) +
                                 std::bit_cast<float>(acc));
}

} // namespace tilewright::verify::threads
