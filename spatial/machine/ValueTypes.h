// The element types of vectors in a schedule.
#ifndef TILEWRIGHT_SPATIAL_MACHINE_VALUETYPES_H
#define TILEWRIGHT_SPATIAL_MACHINE_VALUETYPES_H

#include "spatial/machine/AluOps.h"
#include "tilewright/manifest/DType.h"
#include "tilewright/support/Export.h"
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::spatial {

using runtime::DType;

/// Whether lanes of this type hold an f32.
[[nodiscard]] constexpr bool isFloat(DType type) {
  return type == DType::F32 || type == DType::F16 || type == DType::BF16;
}

/// Binary digits of a float's significand, with the one that is not stored.
[[nodiscard]] constexpr int64_t significantBits(DType type) {
  switch (type) {
  case DType::F16:
    return 11;
  case DType::BF16:
    return 8;
  default:
    return 24;
  }
}

/// The value types of schedules: i1, i8, u8, i32, f16, bf16, f32. By name; i1
/// is DType::Bool.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::optional<DType>
valueTypeFromName(std::string_view name);
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string_view valueTypeName(DType type);

/// The type that an operation on `type` (f32 or i32) computes in its result:
/// i1 of a comparison, the other one of convert. A value of an operation's
/// result must have a type that this one is rounded to: f32 to f32, f16 and
/// bf16; i32 to i32, i8, u8 and i1; i1 to i1 alone.
[[nodiscard]] TILEWRIGHT_PRIVATE_API DType resultType(AluOp op, DType type);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_MACHINE_VALUETYPES_H
