// Sixteen numbers at a time: the compilers' vector types, which become the
// registers of whatever instruction set a file is compiled for.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_LANES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_LANES_H

#include "runtime/emulator/numeric/Isa.h"
#include <cstdint>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

constexpr int laneCount = 16;

template <class T>
using Lanes __attribute__((vector_size(laneCount * sizeof(T)))) = T;

using Float = Lanes<float>;
using Double = Lanes<double>;
using Int16 = Lanes<std::int16_t>;
using Int32 = Lanes<std::int32_t>;
using Int64 = Lanes<std::int64_t>;

/// Each lane as another type; out-of-range values are the caller's to avoid.
template <class To, class From> inline To convert(From value) {
  return __builtin_convertvector(value, To);
}

template <class To, class From> inline To reinterpret(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return (To)value;
}

template <class T> inline T larger(T x, T y) { return x > y ? x : y; }

/// `value` in each lane.
template <class To, class T> inline To broadcast(T value) {
  return To{} + value;
}

/// Sixteen numbers from memory, which need not be aligned.
template <class T> inline T load(const void *from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T> inline void store(void *to, T value) {
  __builtin_memcpy(to, &value, sizeof value);
}

/// 2^exponent, for the exponents of normal numbers.
inline Float floatPower(Int32 exponent) {
  return reinterpret<Float>((exponent + 127) << 23);
}
inline Double doublePower(Int32 exponent) {
  return reinterpret<Double>((convert<Int64>(exponent) + 1023) << 52);
}

/// Whether a comparison's result, of all-ones and zero lanes, has any of the
/// former.
inline bool any(Int32 mask) {
  std::uint64_t words[sizeof mask / 8];
  __builtin_memcpy(words, &mask, sizeof mask);
  std::uint64_t all = 0;
  for (std::uint64_t word : words)
    all |= word;
  return all != 0;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_LANES_H
