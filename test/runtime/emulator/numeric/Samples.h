// Operands for the tests: edges of a format, and random numbers, many of them
// close together.
#ifndef TILEWRIGHT_TEST_EMULATOR_NUMERIC_SAMPLES_H
#define TILEWRIGHT_TEST_EMULATOR_NUMERIC_SAMPLES_H

#include "runtime/emulator/numeric/FloatBits.h"

#include "test/runtime/emulator/numeric/ExactReal.h"

#include <random>
#include <vector>

namespace samples {

using namespace tilewright::emulator;
using oracle::Rounding;

inline constexpr Rounding ieeeModes[] = {
    Rounding::nearestEven, Rounding::towardZero, Rounding::down, Rounding::up};

/// \p value, hidden from the compiler: its constant folding may differ from the
/// program's arithmetic.
template <class T> T opaque(T value) {
  volatile T hidden = value;
  return hidden;
}

/// Finite numbers of both signs: zeros, the subnormals' ends, ones and their
/// neighbours, integers with a fraction, the largest.
template <class T> std::vector<T> finiteEdges() {
  using Bits = typename FloatBits<T>::Bits;
  constexpr oracle::Format format = oracle::formatOf<T>;
  Bits one = FloatBits<T>::one, normal = FloatBits<T>::smallestNormal;
  Bits unit = normal; // one in the exponent's field
  auto largest = static_cast<Bits>(format.largest);
  std::vector<Bits> magnitudes = {0, 1, 2, 3, normal, largest};
  for (Bits base : {normal, one, Bits(one + unit), Bits(one - unit),
                    Bits(one + 7 * unit), Bits(normal + 3 * unit)})
    for (int step : {-2, -1, 1, 2})
      magnitudes.push_back(static_cast<Bits>(base + step));
  for (Bits base :
       {one, Bits(one + unit), Bits(one + 3 * unit), Bits(largest - unit + 1)})
    for (int fraction : {0, 1, 2, 3})
      magnitudes.push_back(static_cast<Bits>(base + unit / 4 * fraction));
  magnitudes.push_back(largest - 1);
  std::vector<T> result;
  for (Bits magnitude : magnitudes)
    for (Bits sign : {Bits{0}, FloatBits<T>::sign})
      result.push_back(fromBits<T>(magnitude | sign));
  return result;
}

/// The edges, infinities, a quiet and a signalling NaN of both signs.
template <class T> std::vector<T> allEdges() {
  using Bits = typename FloatBits<T>::Bits;
  std::vector<T> result = finiteEdges<T>();
  Bits infinity = FloatBits<T>::infinity;
  Bits quiet = infinity | FloatBits<T>::smallestNormal >> 1;
  for (Bits magnitude : {infinity, Bits(quiet | 5), Bits(infinity + 1)})
    for (Bits sign : {Bits{0}, FloatBits<T>::sign})
      result.push_back(fromBits<T>(magnitude | sign));
  return result;
}

/// Finite numbers: of any exponent, subnormal, of few bits, near one.
template <class T> class Random {
public:
  explicit Random(std::uint64_t seed) : engine(seed) {}

  T operator()() {
    using Bits = typename FloatBits<T>::Bits;
    constexpr Bits exponents = FloatBits<T>::infinity;
    constexpr int fractionBits = oracle::formatOf<T>.fractionBits;
    for (;;) {
      auto bits = static_cast<Bits>(engine());
      Bits near = FloatBits<T>::one +
                  (Bits(engine() % 16) - 8) * FloatBits<T>::smallestNormal;
      switch (engine() % 5) {
      case 0:
        bits &= ~exponents;
        break;
      case 1:
        bits &= ~(FloatBits<T>::smallestNormal / 16 - 1);
        break;
      case 2:
        bits = (bits & ~exponents) | near;
        break;
      case 3:
        bits = (bits & (FloatBits<T>::sign | Bits(15))) | near;
        break;
      default:
        break;
      }
      static_assert(fractionBits > 4);
      if ((bits & exponents) != exponents)
        return fromBits<T>(bits);
    }
  }

private:
  std::mt19937_64 engine;
};

} // namespace samples

#endif // TILEWRIGHT_TEST_EMULATOR_NUMERIC_SAMPLES_H
