// The distinct elements or slices of a tensor. How many they are is known only
// when the run has counted them.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

struct Distinct {
  /// Each element or slice once.
  Tensor values;
  /// Where each of them is first, and how often it is there.
  Tensor firsts, counts;
  /// For each element or slice of the input, its number among the values.
  Tensor numbers;
};

/// The distinct elements of x, in row-major order, or its slices along an axis:
/// sorted, slices by their first elements that differ, or in the order in which
/// they are first met. All indices are i64. NaN differs from NaN.
FailureOr<Distinct> unique(GraphBuilder &b, const Tensor &x,
                           std::optional<int64_t> axis, bool isSorted);

} // namespace tilewright::build
