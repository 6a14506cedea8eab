// Floating-point operands taken apart: what a product's alignment needs.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_OPERANDTILE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_OPERANDTILE_H

#include "runtime/emulator/tensor/Kernels.h"
#include "runtime/emulator/tensor/Lanes.h"

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// The exponent of zeros (and of infinities and NaN, which get value 0): twice
/// it is still far below any exponent, and within 16 bits.
constexpr std::int16_t noExponent = -4096;

/// Elements as exact f32 values, and the exponents of their significands,
/// where a subnormal number has its format's least exponent.
template <int size> struct OperandTile {
  alignas(64) float values[size];
  alignas(64) std::int16_t exponents[size];
};

/// The least and largest exponent of the nonzero elements of a tile.
struct ExponentRange {
  int least = 4096;
  int largest = noExponent;
};

/// Takes `count` elements apart. Returns whether there is an infinity or NaN.
template <class Storage>
inline bool takeApart(const Storage *from, int count,
                      const OperandFormat &format, float *values,
                      std::int16_t *exponents) {
  const int fractionBits = format.fractionBits;
  const int width = fractionBits + format.exponentBits;
  const std::int32_t bias = (1 << (format.exponentBits - 1)) - 1;
  const std::uint32_t magnitudes = (1u << width) - 1;
  const std::uint32_t firstSpecial = format.firstSpecial;
  // The fields, moved to those of an f32, are the value but for this factor.
  const auto factor =
      bitCast<float>(static_cast<std::uint32_t>(254 - bias) << 23);
  std::uint32_t anySpecial = 0;
  for (int i = 0; i < count; ++i) {
    std::uint32_t bits =
        static_cast<std::uint32_t>(from[i]) >> format.droppedBits;
    std::uint32_t magnitude = bits & magnitudes;
    std::uint32_t sign = bits >> width << 31;
    std::uint32_t special = magnitude >= firstSpecial;
    anySpecial |= special;
    magnitude = special ? 0 : magnitude;
    auto field = static_cast<std::int32_t>(magnitude >> fractionBits);
    std::int32_t exponent = (field > 1 ? field : 1) - bias;
    exponents[i] = static_cast<std::int16_t>(magnitude ? exponent : noExponent);
    float value = bitCast<float>(magnitude << (23 - fractionBits)) * factor;
    values[i] = bitCast<float>(bitCast<std::uint32_t>(value) | sign);
  }
  return anySpecial != 0;
}

inline bool takeApart(const void *from, int first, int count,
                      const OperandFormat &format, float *values,
                      std::int16_t *exponents) {
  switch (format.storageBytes) {
  case 1:
    return takeApart(static_cast<const std::uint8_t *>(from) + first, count,
                     format, values, exponents);
  case 2:
    return takeApart(static_cast<const std::uint16_t *>(from) + first, count,
                     format, values, exponents);
  default:
    return takeApart(static_cast<const std::uint32_t *>(from) + first, count,
                     format, values, exponents);
  }
}

inline ExponentRange exponentRange(const std::int16_t *exponents, int count) {
  std::int16_t least = 4096, largest = noExponent;
  for (int i = 0; i < count; ++i) {
    std::int16_t exponent = exponents[i];
    std::int16_t orHigh = exponent == noExponent ? 4096 : exponent;
    least = orHigh < least ? orHigh : least;
    largest = exponent > largest ? exponent : largest;
  }
  return {least, largest};
}

/// Whether element `index` is an infinity or NaN.
inline bool isSpecial(const void *from, int index,
                      const OperandFormat &format) {
  std::uint32_t bits;
  if (format.storageBytes == 1)
    bits = static_cast<const std::uint8_t *>(from)[index];
  else if (format.storageBytes == 2)
    bits = static_cast<const std::uint16_t *>(from)[index];
  else
    bits = static_cast<const std::uint32_t *>(from)[index];
  int width = format.fractionBits + format.exponentBits;
  return (bits >> format.droppedBits & ((1u << width) - 1)) >=
         format.firstSpecial;
}

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_OPERANDTILE_H
