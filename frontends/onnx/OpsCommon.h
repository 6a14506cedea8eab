// What several groups of operator handlers share.
#pragma once

#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/Node.h"

namespace tilewright::onnx {

/// The two operands of a binary operator, of one element type unless
/// `mixedTypes`. Before opset 7 the second one is aligned by attribute `axis`.
FailureOr<std::pair<Tensor, Tensor>> binaryOperands(Node &node,
                                                    bool mixedTypes = false);

using ExactFn = llvm::function_ref<std::optional<Expr>(Sizes &, Expr, Expr)>;

/// If both operands are known integers, not both constant, and `exact` can
/// compute each element: the known result. Else null.
FailureOr<Tensor> foldBinary(Node &node, const Tensor &a, const Tensor &b,
                             Element out, ExactFn exact);

/// Known integers of a tensor, whole numbers among small float constants too.
std::optional<SmallVector<Expr>> knownIntegers(Sizes &sizes,
                                               const TensorInfo &tensor);

/// A row-major position in `dims`, of each element of a broadcast operand.
SmallVector<int64_t> broadcastPositions(ArrayRef<int64_t> from,
                                        ArrayRef<int64_t> to);

/// Softmax (or its logarithm) along one axis.
FailureOr<Tensor> softmax(GraphBuilder &b, const Tensor &x, int64_t axis,
                          bool logarithm);

/// Mean over axes in f32 at least, dimensions kept.
FailureOr<Tensor> mean(GraphBuilder &b, const Tensor &x,
                       ArrayRef<int64_t> axes);

/// The number of elements in these dimensions as a float scalar in a body.
Value countInBody(GraphBuilder &b, Scalar &s, Expr count, mlir::Type type);

/// a[..., M, K] times b[..., K, N] as ONNX MatMul has it.
FailureOr<Tensor> matmul(GraphBuilder &b, const Tensor &x, const Tensor &y,
                         Element out);

/// Lengths of sequences within a dimension of this size: an error where a
/// constant one is negative or greater, or a check at run time.
LogicalResult expectLengths(Node &node, const Tensor &lengths, Expr size,
                            StringRef what);

/// Swaps the last two dimensions.
FailureOr<Tensor> swapLast(GraphBuilder &b, const Tensor &x);

/// A window operator's geometry over the spatial dimensions.
struct Window {
  SmallVector<Expr> kernel;
  SmallVector<int64_t> strides, dilations;
  SmallVector<Expr> padLow, padHigh;
  /// Sizes of the result.
  SmallVector<Expr> out;
  bool ceilMode = false;

  /// A size of the kernel that is known.
  int64_t taps(size_t i) const { return *constantOf(kernel[i]); }
};

/// Reads strides, dilations, pads, auto_pad and ceil_mode for an input of shape
/// [N, C, spatial...]. Ceil mode adds to `padHigh`.
FailureOr<Window> readWindow(Node &node, const Tensor &x,
                             ArrayRef<Expr> kernel);
/// The sizes as expressions.
SmallVector<Expr> exprsOf(Sizes &sizes, ArrayRef<int64_t> values);

/// Convolution of x[N, C, ...] with w[M, C / group, ...] without bias.
FailureOr<Tensor> convolve(Node &node, const Tensor &x, const Tensor &w,
                           int64_t group, const Window &window, Element out);

/// Adds a bias of shape [C] along dimension 1.
FailureOr<Tensor> addBias(GraphBuilder &b, const Tensor &x, const Tensor &bias);

/// Reads a tensor's element in a body, with a computed index in one dimension:
/// adds the size to negative indices and clamps to the bounds.
Value boundedIndex(GraphBuilder &b, Scalar &s, Value index, Expr size,
                   bool wrapNegative = true);

/// The builtin elements 0, 1, ... of a rank-1 shape: [x0, x1, ...] as a
/// tensor of i64.
Tensor shapeTensor(GraphBuilder &b, ArrayRef<Expr> dims);

/// Evenly spaced integers start, start + step, ...: `count` of them.
FailureOr<Tensor> iota(GraphBuilder &b, Expr count, Element element);

} // namespace tilewright::onnx
