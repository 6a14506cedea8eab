// The hot loops of products, compiled for several instruction sets. What
// crosses the border is plain data, so that no inline function does.
#ifndef TILEWRIGHT_SPATIAL_NUMERIC_MULTIPLYKERNELS_H
#define TILEWRIGHT_SPATIAL_NUMERIC_MULTIPLYKERNELS_H

#include "support/HostIsa.h"
#include <cstdint>

namespace tilewright::spatial {

/// result[c] = sum over k < depth of x[k] weights[k][first + c], c < columns,
/// from zero, k ascending. Lanes are those of Numeric.h.
struct ProductSum {
  const uint32_t *x;
  const uint32_t *const *weights;
  int64_t depth, first, columns;
  uint32_t *result;
};

struct MultiplyKernels {
  /// Of f32 whose products are exact in f32: they may be rounded first.
  void (*exactProducts)(const ProductSum &);
  /// Each step is one fma.
  void (*fused)(const ProductSum &);
  /// Wrapping.
  void (*integers)(const ProductSum &);
};

/// The copy for `isa`; null where this build has none or this machine cannot
/// run it. All give the same bits, but for those of a NaN.
[[nodiscard]] const MultiplyKernels *multiplyKernels(HostIsa isa);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_NUMERIC_MULTIPLYKERNELS_H
