// Reductions as operators of their own. `axes` are sorted and unique. Results
// have the input's element type; what is summed is summed in f32 at least.
#pragma once

#include "graph/build/Generic.h"

namespace tilewright::build {

/// What is reduced: before(x) is added up, then `after` is applied. Null is the
/// element itself.
struct SumForm {
  UnaryFn before = nullptr, after = nullptr;
};

extern const SumForm plainSum, absoluteSum, squareSum, squareSumRoot,
    sumLogarithm;

FailureOr<Tensor> sumAlong(GraphBuilder &b, const Tensor &x,
                           ArrayRef<int64_t> axes, bool keepDims,
                           const SumForm &form);
/// The form of each element, not reduced.
FailureOr<Tensor> applyForm(GraphBuilder &b, const Tensor &x,
                            const SumForm &form);
FailureOr<Tensor> meanAlong(GraphBuilder &b, const Tensor &x,
                            ArrayRef<int64_t> axes, bool keepDims);
FailureOr<Tensor> productAlong(GraphBuilder &b, const Tensor &x,
                               ArrayRef<int64_t> axes, bool keepDims);
/// The greatest or least element; NaN if one is NaN. Of booleans, whether any
/// or all are true.
FailureOr<Tensor> extremeAlong(GraphBuilder &b, const Tensor &x,
                               ArrayRef<int64_t> axes, bool keepDims,
                               bool isMax);
/// (sum of |x|^p)^(1/p) of floats; of p = 0, how many are not zero, and of
/// infinities the greatest and the least |x|.
FailureOr<Tensor> vectorNorm(GraphBuilder &b, const Tensor &x,
                             ArrayRef<int64_t> axes, bool keepDims, double p);
/// log(sum of exp(x)) without overflow; of integers, rounded to zero. Not of
/// booleans.
FailureOr<Tensor> logSumExpAlong(GraphBuilder &b, const Tensor &x,
                                 ArrayRef<int64_t> axes, bool keepDims);

struct ExtremeIndexOptions {
  bool isMax = true;
  bool keepDims = true;
  /// The last one of equal elements instead of the first.
  bool takesLast = false;
};

/// Where along the axis the extreme element is, as i64; NaN is extreme.
FailureOr<Tensor> extremeIndex(GraphBuilder &b, const Tensor &x, int64_t axis,
                               const ExtremeIndexOptions &how);

} // namespace tilewright::build
