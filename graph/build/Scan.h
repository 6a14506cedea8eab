// What elements have up to each one along an axis.
#pragma once

#include "graph/build/Sort.h"

namespace tilewright::build {

struct CumulateOptions {
  /// A product instead of a sum.
  bool multiplies = false;
  /// Without the element itself.
  bool exclusive = false;
  /// From the end.
  bool reverse = false;
};

/// The sums of all elements up to each one along an axis.
FailureOr<Tensor> cumulate(GraphBuilder &b, const Tensor &x, int64_t axis,
                           const CumulateOptions &how);

/// The greatest (or least) of all elements up to each one along an axis, and
/// the last index that it has. A NaN is kept from its first element on.
FailureOr<Ordered> cumulativeExtreme(GraphBuilder &b, const Tensor &x,
                                     int64_t axis, bool isMaximum);
/// log(sum of exp(x)) of all elements of floats up to each one along an axis,
/// without an overflow of the exponentials.
FailureOr<Tensor> logCumulativeSumExp(GraphBuilder &b, const Tensor &x,
                                      int64_t axis);

} // namespace tilewright::build
