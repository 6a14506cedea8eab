// Approximate arithmetic by request.
#ifndef TILEWRIGHT_AUTHORING_FASTMATH_H
#define TILEWRIGHT_AUTHORING_FASTMATH_H

#include "tilewright/support/Export.h"

#include <source_location>
#include <string_view>

namespace tilewright::authoring {

/// While this lives, operations on floats that the kernel of this thread gets
/// have these of MLIR's fast-math flags, besides those of an outer FastMath:
///
///   Tile<F32, 2> e = [&] { FastMath approximate; return exp(x - top); }();
///
/// docs/spec.md says what each flag allows, docs/math.md how much an
/// approximation errs. An unknown name is an error of the kernel, "fast_math".
class TILEWRIGHT_API FastMath {
public:
  explicit FastMath(
      std::string_view flags = "contract,arcp,afn",
      std::source_location where = std::source_location::current());
  ~FastMath();
  FastMath(const FastMath &) = delete;
  FastMath &operator=(const FastMath &) = delete;

private:
  /// Those of before.
  unsigned outer = 0;
};

} // namespace tilewright::authoring

#endif // TILEWRIGHT_AUTHORING_FASTMATH_H
