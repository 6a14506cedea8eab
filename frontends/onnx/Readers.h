// What handlers read of a node: known operands, and axes.
#pragma once

#include "frontends/onnx/Node.h"
#include "graph/build/Dimensions.h"

namespace tilewright::onnx {

// Known operands. `what` is what messages call the operand.

/// An operand with its elements known if they follow from constants and sizes.
FailureOr<Tensor> knownInput(Node &node, int64_t i);
/// Fails because the elements of an operand are not known.
LogicalResult failUnknown(Node &node, int64_t i, StringRef what);
/// Elements of a small integer operand, which must be known at import.
FailureOr<SmallVector<Expr>> contentOf(Node &node, int64_t i, StringRef what);
FailureOr<SmallVector<int64_t>> integersOf(Node &node, int64_t i,
                                           StringRef what);
/// The single element of a known integer operand.
FailureOr<Expr> oneOf(Node &node, int64_t i, StringRef what);
FailureOr<int64_t> oneIntegerOf(Node &node, int64_t i, StringRef what);
/// The elements of an operand of a static number of integers, as sizes. Those
/// that kernels compute are read by the run, which ends with a message if one
/// is less than `least` or more than `greatest` (null: any).
FailureOr<SmallVector<Expr>>
sizesOf(Node &node, int64_t i, StringRef what,
        int64_t least = std::numeric_limits<int64_t>::min(),
        Expr greatest = nullptr);
/// The single element of an integer operand, likewise.
FailureOr<Expr> sizeOf(Node &node, int64_t i, StringRef what,
                       int64_t least = std::numeric_limits<int64_t>::min(),
                       Expr greatest = nullptr);
/// The first element of a constant operand.
FailureOr<double> scalarOf(Node &node, int64_t i, StringRef what);
/// The elements of a constant operand that has no more than `most`.
FailureOr<SmallVector<double>> numbersOf(Node &node, int64_t i, StringRef what,
                                         int64_t most);
/// An attribute or, from opset `since` on, an operand of integers.
FailureOr<std::optional<SmallVector<int64_t>>>
integersOrInput(Node &node, StringRef name, int64_t input, int64_t since);

// Dimensions.

/// Attribute `axis`, made non-negative.
FailureOr<int64_t> axisAttribute(Node &node, int64_t otherwise, int64_t rank);

} // namespace tilewright::onnx
