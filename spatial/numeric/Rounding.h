// Lanes and the types that their results are rounded to, without branches, so
// that loops over them become vectors.
#ifndef TILEWRIGHT_SPATIAL_NUMERIC_ROUNDING_H
#define TILEWRIGHT_SPATIAL_NUMERIC_ROUNDING_H

#include "spatial/numeric/Numeric.h"
#include <bit>

namespace tilewright::spatial {

constexpr Lane quietNan = 0x7fc00000;

inline float floatOf(Lane lane) { return std::bit_cast<float>(lane); }
inline int32_t intOf(Lane lane) { return static_cast<int32_t>(lane); }
inline Lane laneOf(float x) { return std::bit_cast<Lane>(x); }
inline Lane laneOf(int32_t x) { return static_cast<Lane>(x); }

/// One NaN for all: hosts differ in those that they make.
inline Lane withOneNan(Lane bits) {
  return (bits & 0x7fffffff) > 0x7f800000 ? quietNan : bits;
}

/// The f32 that equals the nearest f16.
inline Lane roundedToHalf(Lane bits) {
  Lane sign = bits & 0x80000000, size = bits & 0x7fffffff;
  // Below 2^-14 f16 has the multiples of 2^-24, as 0.5 to 1 has them in f32.
  Lane small = laneOf((floatOf(size) + 0.5F) - 0.5F);
  Lane normal = (size + 0xfff + (size >> 13 & 1)) & ~Lane(0x1fff);
  normal = normal > 0x477fe000 ? 0x7f800000 : normal;
  Lane rounded = size < 0x38800000 ? small : normal;
  return size > 0x7f800000 ? quietNan : sign | rounded;
}

/// The f32 that equals the nearest bf16.
inline Lane roundedToBrain(Lane bits) {
  Lane rounded = (bits + 0x7fff + (bits >> 16 & 1)) & ~Lane(0xffff);
  return (bits & 0x7fffffff) > 0x7f800000 ? quietNan : rounded;
}

inline Lane saturated(Lane lane, int32_t least, int32_t most) {
  int32_t x = intOf(lane);
  x = x < least ? least : x;
  return laneOf(x > most ? most : x);
}

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_NUMERIC_ROUNDING_H
