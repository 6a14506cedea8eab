// The types of PTX text.
#ifndef TILEWRIGHT_RUNTIME_EMULATOR_PTX_TYPES_H
#define TILEWRIGHT_RUNTIME_EMULATOR_PTX_TYPES_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::emulator {

/// PTX section 5.2, and the alternate formats of 5.2.3.
enum class Type : uint8_t {
#define TYPE(ENUMERATOR, SPELLING, BITS, CLASS) ENUMERATOR,
#include "runtime/emulator/ptx/Types.inc"
#undef TYPE
};

enum class TypeClass : uint8_t {
  untyped,
  unsignedInteger,
  signedInteger,
  floatingPoint,
  packed,
  predicate,
  alternateFloat,
};

struct TypeInfo {
  std::string_view name;
  unsigned bits;
  TypeClass typeClass;
};

[[nodiscard]] const TypeInfo &typeInfo(Type type);
[[nodiscard]] inline std::string_view typeName(Type type) {
  return typeInfo(type).name;
}
[[nodiscard]] inline unsigned typeBits(Type type) {
  return typeInfo(type).bits;
}
/// The type spelled so, without its dot.
[[nodiscard]] std::optional<Type> typeFromName(std::string_view name);

[[nodiscard]] inline bool isSigned(Type type) {
  return typeInfo(type).typeClass == TypeClass::signedInteger;
}

/// PTX chapter 5.1.
enum class Space : uint8_t { reg, constant, global, local, param, shared };

[[nodiscard]] std::string_view spaceName(Space space);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_RUNTIME_EMULATOR_PTX_TYPES_H
