// What several groups of operator handlers share.
#pragma once

#include "frontends/onnx/GraphImporter.h"
#include "frontends/onnx/Node.h"
#include "graph/build/Window.h"

namespace tilewright::onnx {

/// The two operands of a binary operator, of one element type unless
/// `mixedTypes`. Before opset 7 the second one is aligned by attribute `axis`.
FailureOr<std::pair<Tensor, Tensor>> binaryOperands(Node &node,
                                                    bool mixedTypes = false);

/// Reads strides, dilations, pads, auto_pad and ceil_mode for an input of shape
/// [N, C, spatial...].
FailureOr<Window> readWindow(Node &node, const Tensor &x,
                             ArrayRef<Expr> kernel);

/// The convolution of operands 0 and 1, plus bias 2 if it is there.
FailureOr<Tensor> convolution(Node &node);

} // namespace tilewright::onnx
