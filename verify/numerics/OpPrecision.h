// What an op may lose: a precision of its products, or a narrower type.
#pragma once

#include "tilewright/support/Export.h"
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::verify {

/// A precision of products of f32 but for `ieee` (docs/spec.md, tile.dot), or
/// a type in which an op of f32 reads its operands and leaves its results.
enum class OpPrecision : uint8_t { tf32, tf32x3, bf16x3, bf16x6, bf16, f16 };

/// "tf32".
TILEWRIGHT_PRIVATE_API std::string_view opPrecisionName(OpPrecision precision);
/// None for another name.
TILEWRIGHT_PRIVATE_API std::optional<OpPrecision>
findOpPrecision(std::string_view name);
/// Whether it is a type, which all ops of f32 may have, and not only products.
TILEWRIGHT_PRIVATE_API bool isNarrowType(OpPrecision precision);

/// How a matrix unit multiplies f32 of a precision: each operand is cut into
/// parts, some products of them are added.
struct MatrixArithmetic {
  /// A pair of parts each. The greatest come first: so as many sums lose bits
  /// as where a unit adds them chunk by chunk.
  std::vector<std::pair<unsigned, unsigned>> products;
  /// The bits of f32 that a part takes, of what those before left; 0: it is
  /// rounded to the type.
  uint32_t mask = 0;
  /// So many products are added to the accumulator at a time, exactly; then it
  /// is truncated to f32.
  unsigned chunk = 8;
};

const MatrixArithmetic &matrixArithmetic(OpPrecision precision);

} // namespace tilewright::verify
