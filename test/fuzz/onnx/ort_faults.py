"""Where ONNX Runtime is not an oracle: nodes that are not generated. Each rule
is (operators, what ONNX Runtime does, predicate of the node and its operands'
tensors). onnx's reference evaluator was asked where it computes the node; the
others follow from the specification, or from ONNX Runtime ending its process.
Resize is not here: it is computed exactly (exact_resize.py)."""

import numpy as np


def empty(node, tensors):
    return any(not value.size for t in tensors for value in t.values)


def has_nan(node, tensors):
    return any(value.dtype.kind == "f" and np.isnan(value).any()
               for t in tensors for value in t.values)


def huge(node, tensors):
    return any(value.dtype.kind == "f" and value.size and
               np.abs(value[np.isfinite(value)]).max(initial=0) >
               (1e4 if value.dtype == np.float16 else 1e15)
               for t in tensors for value in t.values)


def larger_window(node, tensors):
    """The window with its dilation is larger than the padded input."""
    kernel = node.attributes["kernel_shape"]
    rank = len(kernel)
    pads = node.attributes.get("pads", [0] * 2 * rank)
    steps = node.attributes.get("dilations", [1] * rank)
    return any(value.shape[2 + i] + pads[i] + pads[rank + i] <
               (kernel[i] - 1) * steps[i] + 1
               for value in tensors[0].values for i in range(rank))


def infinite(node, tensors):
    return any(value.dtype.kind == "f" and not np.isfinite(value).all()
               for t in tensors for value in t.values)


def infinite_but_hidden(node, tensors):
    """Operands of Attention that are not finite, but for -infinity in its
    mask; a mask may not be near the lowest number either."""
    mask = node.inputs[3] if len(node.inputs) > 3 else ""
    others = [t for t in tensors if t.name != mask]
    masks = [np.where(value == -np.inf, 0, value) for t in tensors
             if t.name == mask for value in t.values]
    return infinite(node, others) or any(
        value.dtype.kind == "f" and not (np.abs(value) < 1e4).all()
        for value in masks)


def infinite_weighted(node, tensors):
    return node.attributes.get("mode", "nearest") != "nearest" and \
        infinite(node, tensors)


def kernel_below_stride(node, tensors):
    """auto_pad SAME with a window shorter than its step."""
    if not node.attributes.get("auto_pad", "").startswith("SAME"):
        return False
    kernel = tensors[1].values[0].shape[2:]
    strides = node.attributes.get("strides", [1] * len(kernel))
    return any(k < s for k, s in zip(kernel, strides))


def short_window(node, tensors):
    """auto_pad SAME of pooling with a window shorter than its step."""
    kernel = node.attributes["kernel_shape"]
    strides = node.attributes.get("strides", [1] * len(kernel))
    return node.attributes.get("auto_pad", "").startswith("SAME") and any(
        k < s for k, s in zip(kernel, strides))


def far_end(node, tensors):
    """A step back from an end beyond all sizes."""
    if len(node.inputs) < 5:
        return False
    named = {t.name: t for t in tensors}
    return any(((ends >= 2**31 - 1) & (steps < 0)).any() for ends, steps in
               zip(named[node.inputs[2]].values, named[node.inputs[4]].values))


def one_wide(node, tensors):
    """A size of 1 with align_corners."""
    return node.attributes.get("align_corners") == 1 and any(
        1 in value[2:] for value in tensors[1].values)


def many(node, tensors):
    return any(value.size > 256 for value in tensors[0].values)


def long_transform(node, tensors):
    return any(max(value.shape, default=0) > 64 for value in tensors[0].values)


def window_of_padding(node, tensors):
    """A window, with its dilation, all of whose points are padding."""
    kernel = node.attributes["kernel_shape"]
    rank = len(kernel)
    pads = node.attributes.get("pads", [0] * 2 * rank)
    steps = node.attributes.get("dilations", [1] * rank)
    strides = node.attributes.get("strides", [1] * rank)

    def misses(length, i):
        begins = range(-pads[i], length + pads[rank + i]
                       - (kernel[i] - 1) * steps[i], strides[i])
        return any(all(not 0 <= begin + k * steps[i] < length
                       for k in range(kernel[i])) for begin in begins)
    return any(misses(value.shape[2 + i], i)
               for value in tensors[0].values for i in range(rank))


REDUCTIONS = ("ReduceProd", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceLogSumExp",
              "ReduceLogSum", "ReduceL1", "ReduceL2", "ReduceSumSquare")
RULES = [
    (("ReduceSum",), "no elements: a shape with the axis", empty),
    (REDUCTIONS, "no elements: a 0, or a shape without the axis", empty),
    (("ReduceMax", "ReduceMin", "Max", "Min", "ArgMax", "ArgMin", "TopK",
      "MaxPool", "GlobalMaxPool", "Hardmax", "Clip", "Relu"),
     "NaN is kept or lost by its position", has_nan),
    (("AveragePool", "MaxPool", "LpPool"),
     "a window larger than the input gives one result, not none",
     larger_window),
    (("ReduceProd",), "of many, whether a part of the product overflows depends "
     "on the order", many),
    (("MaxPool",), "over padding alone: the lowest finite number",
     window_of_padding),
    (("DFT",), "long ones: an error of 1e-3 of the greatest element",
     long_transform),
    (("ArgMax", "ArgMin"), "no elements: the axis stays", empty),
    (("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"),
     "the mean of nothing is 0", empty),
    (("Gemm",), "over nothing: C without beta", empty),
    (("MatMul", "MatMulInteger", "QLinearMatMul", "ConvInteger", "QLinearConv"),
     "a sum of nothing is memory that nobody wrote", empty),
    (("LSTM", "GRU", "RNN"), "abort() where the batch or the sequence is empty",
     empty),
    (("LSTM", "GRU", "RNN", "RotaryEmbedding"),
     "NaN becomes a bound of an approximation, or is skipped", infinite),
    (("Attention",), "NaN becomes a bound of an approximation, or is skipped; "
     "a mask of the lowest finite number hides", infinite_but_hidden),
    (("InstanceNormalization", "GroupNormalization", "LayerNormalization",
      "MeanVarianceNormalization", "RMSNormalization", "BatchNormalization"),
     "infinity of one row reaches others, or NaN is an infinity", infinite),
    (("ConvTranspose",), "SAME with a kernel below the stride: n, not n times "
     "the stride", kernel_below_stride),
    (("AveragePool", "MaxPool", "LpPool"),
     "SAME with a window below the stride: negative padding, elements are "
     "left out", short_window),
    (("Resize", "Upsample"),
     "0 times infinity is left out or not by the mode", infinite_weighted),
    (("GridSample",), "0 times infinity is left out or not by the mode; a "
     "position beyond 32 bits reads the first element", infinite),
    (("Slice",), "backwards to INT_MAX: to the first element", far_end),
    (("Clip",), "an absent bound is the greatest finite number", infinite),
    (("Sign",), "the sign of a float16 NaN is 0", has_nan),
    (("Softplus", "Mish", "Shrink"), "overflow inside", huge),
    (("AffineGrid",), "align_corners over one element: -1 at the border, not "
     "0", one_wide),
]


def fault(node, tensors, kind):
    """Why the oracle is not to be trusted with this node, or None."""
    if kind == "sum" and huge(node, tensors):
        return "near overflow, the order of operations decides"
    for operators, text, holds in RULES:
        if node.op in operators and holds(node, tensors):
            return text
    return None
