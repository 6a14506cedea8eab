// The types that tensor-core instructions multiply and add.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_ELEMENTTYPE_H
#define TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_ELEMENTTYPE_H

#include "runtime/emulator/numeric/Isa.h"
#include <cstdint>
#include <string_view>

namespace tilewright::emulator {

/// An element type; ElementTypes.inc has its properties.
enum class ElementType : std::uint8_t {
#define TENSOR_ELEMENT(NAME, BITS, BYTES, EXPONENT, FRACTION, SPECIAL) NAME,
#include "runtime/emulator/tensor/ElementTypes.inc"
#undef TENSOR_ELEMENT
};

/// What the largest exponent field of a floating-point format means.
enum class SpecialValues : std::uint8_t {
  /// Finite numbers like the others.
  none,
  /// All bits set is NaN; the rest are finite (e4m3).
  nanOnly,
  /// Infinity and NaN.
  ieee,
};

inline namespace TILEWRIGHT_ISA {

/// The facts of an element type. A floating-point format has one sign bit,
/// `exponentBits` and `fractionBits`; an integer has 0 exponent bits.
struct ElementFacts {
  std::string_view name;
  /// Width of one element in a fragment's register.
  int registerBits;
  /// Bytes of one element of a plain array; for b1, of 32 elements.
  int storageBytes;
  int exponentBits;
  int fractionBits;
  SpecialValues special;

  [[nodiscard]] constexpr bool isFloat() const { return exponentBits != 0; }
  [[nodiscard]] constexpr int bias() const {
    return (1 << (exponentBits - 1)) - 1;
  }
};

/// The facts of `type`.
[[nodiscard]] constexpr ElementFacts elementFacts(ElementType type) {
  constexpr ElementFacts table[] = {
#define TENSOR_ELEMENT(NAME, BITS, BYTES, EXPONENT, FRACTION, SPECIAL)         \
  {#NAME, BITS, BYTES, EXPONENT, FRACTION, SpecialValues::SPECIAL},
#include "runtime/emulator/tensor/ElementTypes.inc"
#undef TENSOR_ELEMENT
  };
  return table[static_cast<int>(type)];
}

} // namespace TILEWRIGHT_ISA

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_TENSOR_ELEMENTTYPE_H
