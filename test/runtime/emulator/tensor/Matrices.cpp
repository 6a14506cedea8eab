#include "Matrices.h"
#include <bit>
#include <cmath>

namespace tilewright::emulator {

std::uint32_t floatOfHalf(std::uint32_t half) {
  int field = half >> 10 & 31, fraction = half & 0x3ff;
  double value = field ? std::ldexp(1024 + fraction, field - 25)
                       : std::ldexp(fraction, -24);
  if (field == 31)
    value = fraction ? NAN : INFINITY;
  return std::bit_cast<std::uint32_t>(
      static_cast<float>(half >> 15 ? -value : value));
}

std::uint32_t elementOfFloat(ElementType type, std::uint32_t floatBits) {
  if (type == ElementType::f32 || type == ElementType::tf32)
    return floatBits;
  if (type == ElementType::bf16)
    return floatBits >> 16;
  ElementFacts facts = elementFacts(type);
  double value = std::fabs(std::bit_cast<float>(floatBits));
  std::uint32_t sign =
      floatBits >> 31 << (facts.exponentBits + facts.fractionBits);
  int least = 1 - facts.bias();
  int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  // In units of the last place; nearbyint rounds to nearest even.
  auto units = static_cast<std::uint32_t>(
      std::nearbyint(std::ldexp(value, facts.fractionBits - exponent)));
  return sign |
         ((static_cast<std::uint32_t>(exponent - least) << facts.fractionBits) +
          units);
}

} // namespace tilewright::emulator
