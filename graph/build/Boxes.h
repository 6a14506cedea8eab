// Boxes around objects of an image.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

struct SuppressionOptions {
  /// The most boxes of a class; null: none.
  Expr mostPerClass;
  /// Of one float each; a null overlap is 0, and without a least score all
  /// boxes count.
  Tensor greatestOverlap, leastScore;
  /// Whether a box is its center, width and height, not two corners.
  bool hasCenters = false;
};

/// Of boxes [batch, n, 4] with scores [batch, classes, n], those that no box of
/// a greater score suppresses: the ones whose intersection with it is more than
/// the greatest overlap of their union. Rows (batch, class, box) of i64, by
/// batch, class and score from the greatest on; equal scores keep their order.
FailureOr<Tensor> suppressNonMaxima(GraphBuilder &b, const Tensor &boxes,
                                    const Tensor &scores,
                                    const SuppressionOptions &options);

} // namespace tilewright::build
