#include "EdgeValues.h"

#include "KernelText.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <random>

using llvm::APFloat;
using llvm::APInt;

namespace tilewright::kerneltest {

static const llvm::fltSemantics &semanticsOf(const std::string &type) {
  if (type == "f16")
    return APFloat::IEEEhalf();
  if (type == "bf16")
    return APFloat::BFloat();
  if (type == "f32")
    return APFloat::IEEEsingle();
  if (type == "f64")
    return APFloat::IEEEdouble();
  if (type == "f8E4M3FN")
    return APFloat::Float8E4M3FN();
  if (type == "f8E5M2")
    return APFloat::Float8E5M2();
  if (type == "f4E2M1FN")
    return APFloat::Float4E2M1FN();
  return APFloat::Float8E8M0FNU();
}

static uint64_t maskOf(unsigned width) {
  return width == 64 ? ~0ull : (1ull << width) - 1;
}

static double decode(const std::string &type, uint64_t bits) {
  APFloat value(semanticsOf(type), APInt(widthOf(type), bits));
  if (value.isNaN())
    return NAN;
  bool lost = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

/// The pattern of the number of `type` next to `number`. Only for types with
/// 16 bits and more.
static uint64_t encode(const std::string &type, double number) {
  APFloat value(number);
  bool lost = false;
  value.convert(semanticsOf(type), APFloat::rmNearestTiesToEven, &lost);
  return value.bitcastToAPInt().getZExtValue();
}

std::vector<uint64_t> allBits(unsigned width) {
  std::vector<uint64_t> bits(1ull << width);
  std::iota(bits.begin(), bits.end(), 0);
  return bits;
}

/// Numbers of a float type: all, or those at its ends and random ones.
static std::vector<uint64_t> samples(const std::string &type,
                                     std::mt19937_64 &random) {
  unsigned width = widthOf(type);
  if (width <= 8)
    return allBits(width);
  const llvm::fltSemantics &semantics = semanticsOf(type);
  std::vector<uint64_t> bits;
  for (bool isNegative : {false, true})
    for (const APFloat &value :
         {APFloat::getZero(semantics, isNegative),
          APFloat::getInf(semantics, isNegative),
          APFloat::getLargest(semantics, isNegative),
          APFloat::getSmallest(semantics, isNegative),
          APFloat::getSmallestNormalized(semantics, isNegative)})
      bits.push_back(value.bitcastToAPInt().getZExtValue());
  for (int i = 0; i < 40; ++i)
    bits.push_back(random() & maskOf(width));
  // Numbers near 1, and subnormals.
  for (int i = 0; i < 20; ++i) {
    bits.push_back(encode(type, std::ldexp(1 + (random() % 1024) / 1024.0,
                                           int(random() % 24) - 12)));
    bits.push_back(random() & maskOf(width) &
                   (bits[5] | (bits[4] - 1))); // Sign and fraction.
  }
  return bits;
}

static std::vector<uint64_t> integerEdges(const std::string &from,
                                          std::mt19937_64 &random) {
  unsigned width = widthOf(from);
  if (width <= 8)
    return allBits(width);
  std::vector<uint64_t> bits;
  // Powers of two, and numbers that round to a short fraction or are next to
  // one.
  for (unsigned e = 0; e < width; ++e)
    for (unsigned p : {2, 3, 4, 8, 11, 24, 53})
      for (int nudge : {-1, 0, 1})
        if (e >= p)
          for (uint64_t n : {1ull << e, (1ull << e) + (1ull << (e - p)),
                             (1ull << e) + (3ull << (e - p))})
            bits.push_back(n + nudge);
  std::shuffle(bits.begin(), bits.end(), random);
  bits.resize(std::min<size_t>(bits.size(), 300));
  for (uint64_t n : std::initializer_list<uint64_t>{
           0ull, 1ull, 2ull, 3ull, 448ull, 464ull, 465ull, 479ull, 480ull,
           57344ull, 61439ull, 61440ull, 65504ull, 65519ull, 65520ull,
           1ull << (width - 1), maskOf(width - 1)})
    bits.push_back(n);
  for (int i = 0; i < 30; ++i)
    bits.push_back(random() >> (random() % 64));
  for (size_t i = 0, n = bits.size(); i < n; ++i)
    bits.push_back(-bits[i]);
  for (uint64_t &pattern : bits)
    pattern &= maskOf(width);
  return bits;
}

/// Numbers that an integer of `width` bits just holds, or just does not.
static std::vector<double> integerBounds(unsigned width) {
  std::vector<double> numbers;
  for (double bound : {0.0, 1.0, 2.0, 3.0, 6.0, 100.0, std::ldexp(1, width - 1),
                       std::ldexp(1, width)})
    for (double nudge :
         {-1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5})
      for (double sign : {-1, 1})
        numbers.push_back(sign * (bound + nudge));
  return numbers;
}

std::vector<uint64_t> edgeBits(const std::string &from, const std::string &to) {
  std::mt19937_64 random(7);
  unsigned width = widthOf(from);
  if (!isFloat(from))
    return integerEdges(from, random);
  std::vector<uint64_t> bits = samples(from, random);
  if (width <= 8)
    return bits;
  bits.push_back(encode(from, NAN));
  std::vector<double> numbers;
  if (isFloat(to)) {
    for (uint64_t pattern : samples(to, random)) {
      double low = decode(to, pattern);
      double high = decode(to, (pattern + 1) & maskOf(widthOf(to)));
      numbers.push_back(low);
      if (std::isfinite(low) && std::isfinite(high))
        numbers.push_back(low / 2 + high / 2);
    }
    // Half a step above the largest numbers: 6, 448, 57344, 65504.
    for (double n : {7.0, 464.0, 480.0, 61440.0, 65520.0, 3.3961775e38})
      for (double sign : {-1, 1})
        numbers.push_back(sign * n);
  } else {
    numbers = integerBounds(widthOf(to));
  }
  for (double number : numbers) {
    uint64_t pattern = encode(from, number);
    for (int nudge : {-1, 0, 1})
      bits.push_back((pattern + nudge) & maskOf(width));
  }
  return bits;
}

std::vector<uint64_t> inRange(const std::vector<uint64_t> &bits,
                              const std::string &from, unsigned width,
                              bool isUnsigned) {
  double low = isUnsigned ? 0 : -std::ldexp(1, width - 1);
  double end = std::ldexp(1, isUnsigned ? width : width - 1);
  std::vector<uint64_t> kept;
  for (uint64_t pattern : bits) {
    double number = decode(from, pattern);
    if (std::floor(number) >= low && std::ceil(number) < end)
      kept.push_back(pattern);
  }
  return kept;
}

std::vector<uint64_t> withoutZerosAndSignals(std::vector<uint64_t> bits,
                                             const std::string &type) {
  std::erase_if(bits, [&](uint64_t pattern) {
    APFloat value(semanticsOf(type), APInt(widthOf(type), pattern));
    return value.isZero() || value.isSignaling();
  });
  return bits;
}

} // namespace tilewright::kerneltest
