// Padding. Negative amounts take elements away.
#pragma once

#include "graph/build/GraphBuilder.h"

namespace tilewright::build {

/// Which elements of the input padding repeats.
enum class PadMode {
  /// The first and last ones.
  Edge,
  /// Those next to the first and last ones, mirrored.
  Reflect,
  /// Those at the other end.
  Wrap
};

/// Padding with one value of the element type of x.
FailureOr<Tensor> padOrCrop(GraphBuilder &b, Tensor x, ArrayRef<Expr> low,
                            ArrayRef<Expr> high, mlir::TypedAttr value);
/// Padding with elements of x, of which each padded dimension has some.
FailureOr<Tensor> padRepeating(GraphBuilder &b, Tensor x, ArrayRef<Expr> low,
                               ArrayRef<Expr> high, PadMode mode);

} // namespace tilewright::build
