// When an element may stand for another.
#pragma once

#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include <optional>
#include <string_view>

namespace tilewright::verify {

/// What a program after a transformation keeps of the one before
/// (docs/verification.md).
struct Relation {
  enum class Kind : uint8_t { exact, reassociated, near, bounded };
  Kind kind = Kind::exact;
  /// Of `near`: times the magnitude before.
  double distance = 0;

  /// "exact", "reassociated", "near=1e-6", "bounded". Errors: something else.
  TILEWRIGHT_PRIVATE_API static StatusOr<Relation> parse(std::string_view text);
  [[nodiscard]] TILEWRIGHT_PRIVATE_API std::string text() const;
};

/// Whether the bits are the same; any NaN is any other one.
bool isSame(runtime::DType dtype, uint64_t before, uint64_t after);
/// Whether a float is within `distance` times the magnitude of the one before,
/// or of the smallest normal number of the type if that is more; a NaN is near
/// to any NaN, an infinity to itself. Other types: isSame().
bool isNear(runtime::DType dtype, uint64_t before, uint64_t after,
            double distance);

} // namespace tilewright::verify
