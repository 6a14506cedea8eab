// The contraction of two tiles, for the ops that are one.
#pragma once

#include "tileir/reference/TileValue.h"

namespace tilewright::reference {

/// How a dot reads its operands; see tile.dot.
struct DotTraits {
  tile::DotPrecision precision = tile::DotPrecision::ieee;
  bool lhsUnsigned = false, rhsUnsigned = false;
};

/// result[.., m, n] = acc[.., m, n] + sum over k of
/// lhs[.., m, k] * rhs[.., k, n], poison where an element of the row, the
/// column or acc is.
TileValue dot(const TileValue &lhs, const TileValue &rhs, const TileValue &acc,
              const DotTraits &traits);

} // namespace tilewright::reference
