// How exactly the operands of products are multiplied.
#ifndef TILEWRIGHT_MANIFEST_PRECISION_H
#define TILEWRIGHT_MANIFEST_PRECISION_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// What a lowering may do to the operands of a product of tiles. docs/spec.md,
/// tile.dot, says what each permits. All but `fast`, which is for 8-bit floats,
/// are for f32.
enum class Precision : uint8_t { ieee, tf32, tf32x3, bf16x3, bf16x6, fast };

/// "tf32".
[[nodiscard]] TILEWRIGHT_API std::string_view
precisionName(Precision precision);

/// The names of the precisions for products of f32.
[[nodiscard]] TILEWRIGHT_API const std::vector<std::string> &
f32PrecisionNames();

/// A precision for products of f32. Errors: another name; the message lists
/// those that there are.
[[nodiscard]] TILEWRIGHT_API StatusOr<Precision>
parseF32Precision(std::string_view name);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_MANIFEST_PRECISION_H
