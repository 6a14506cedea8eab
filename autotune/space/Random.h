// Random numbers that are the same on every machine.
#ifndef TILEWRIGHT_AUTOTUNE_SPACE_RANDOM_H
#define TILEWRIGHT_AUTOTUNE_SPACE_RANDOM_H

#include <cstdint>

namespace tilewright::autotune {

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014). The standard library's distributions differ between
/// implementations; searches must not.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// From 0 to `count` - 1; `count` is not 0. The bias is below count / 2^64.
  uint64_t below(uint64_t count) {
    return uint64_t((static_cast<unsigned __int128>(next()) * count) >> 64);
  }
  /// From 0 to 1, without 1.
  double unit() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t state;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_SPACE_RANDOM_H
