"""Random nodes of com.microsoft that ONNX Runtime's quantization and optimizer
make."""

import numpy as np

from domain_spec import Spec, floats, integers

# Scales of 8-bit numbers.
SCALES = [0.004, 0.01, 0.03, 0.07]


def scale(r):
    return np.float32(r.choice(SCALES))


def zero(r, dtype):
    info = np.iinfo(dtype)
    return np.array(r.randint(info.min + 20, info.max - 20), dtype)


def byte(r):
    return r.choice([np.uint8, np.int8])


def quantized_binary(r, op):
    dtype = byte(r)
    shape = (r.randint(1, 3), r.randint(1, 5), r.randint(1, 9))
    other = r.choice([shape, shape[1:], (1, shape[1], 1)])
    constants = {"as": scale(r), "az": zero(r, dtype), "bs": scale(r),
                 "bz": zero(r, dtype), "cs": scale(r), "cz": zero(r, dtype)}
    return Spec(op, ["a", "as", "az", "b", "bs", "bz", "cs", "cz"],
                {"a": integers(r, *shape, dtype=dtype),
                 "b": integers(r, *other, dtype=dtype)}, constants, units=1,
                symbols={"a": {0: "N"}} if other != shape else {})


def QLinearAdd(r):
    return quantized_binary(r, "QLinearAdd")


def QLinearMul(r):
    return quantized_binary(r, "QLinearMul")


def QLinearConcat(r):
    dtype = byte(r)
    axis = r.choice([0, 1, -1])
    feeds, constants, inputs = {}, {"ys": scale(r), "yz": zero(r, dtype)}, []
    for k in range(r.randint(1, 3)):
        shape = [2, 3, 4]
        shape[axis] = r.randint(1, 4)
        feeds[f"x{k}"] = integers(r, *shape, dtype=dtype)
        constants[f"s{k}"], constants[f"z{k}"] = scale(r), zero(r, dtype)
        inputs += [f"x{k}", f"s{k}", f"z{k}"]
    return Spec("QLinearConcat", ["ys", "yz"] + inputs, feeds, constants,
                {"axis": axis}, units=1)


def quantized_unary(r, op, shape, attributes, out=None):
    dtype = byte(r)
    constants = {"xs": scale(r), "xz": zero(r, dtype),
                 "ys": np.float32(out) if out else scale(r),
                 "yz": zero(r, dtype)}
    return Spec(op, ["x", "xs", "xz", "ys", "yz"],
                {"x": integers(r, *shape, dtype=dtype)}, constants, attributes,
                symbols={"x": {0: "N"}}, units=1)


def QLinearSigmoid(r):
    return quantized_unary(r, "QLinearSigmoid", (2, r.randint(1, 20)), {}, 0.01)


def QLinearLeakyRelu(r):
    return quantized_unary(r, "QLinearLeakyRelu", (2, r.randint(1, 20)),
                           {"alpha": r.choice([0.1, 0.25])})


def QLinearSoftmax(r):
    return quantized_unary(r, "QLinearSoftmax", (2, 3, r.randint(1, 9)),
                           {"axis": r.choice([1, 2, -1]),
                            "opset": r.choice([11, 13])}, 1 / 256)


def QLinearAveragePool(r):
    kernel = [r.randint(1, 3), r.randint(1, 3)]
    attributes = {"kernel_shape": kernel, "strides": [r.randint(1, 2)] * 2,
                  "count_include_pad": r.randint(0, 1)}
    last = r.randint(0, 1)
    if last:
        attributes["channels_last"] = 1
    if min(kernel) > 1:
        attributes["pads"] = [1, 0, 1, 1]
    shape = (2, 7, 8, 3) if last else (2, 3, 7, 8)
    return quantized_unary(r, "QLinearAveragePool", shape, attributes)


def QLinearGlobalAveragePool(r):
    last = r.randint(0, 1)
    shape = (2, 5, 6, 3) if last else (2, 3, 5, 6)
    return quantized_unary(r, "QLinearGlobalAveragePool", shape,
                           {"channels_last": last})


def columns(r, n, dtype, per_column):
    """Scale and zero point of a right operand."""
    if not per_column:
        return scale(r), zero(r, dtype)
    return (np.array([scale(r) for _ in range(n)], np.float32),
            np.array([zero(r, dtype) for _ in range(n)], dtype))


def operands(r):
    m, k, n = r.randint(1, 5), r.randint(1, 40), r.randint(1, 20)
    batch = r.choice([(), (2,)])
    return batch + (m, k), (k, n), n


def MatMulIntegerToFloat(r):
    left, right, n = operands(r)
    a, b = r.choice([(np.uint8, np.int8), (np.uint8, np.uint8),
                     (np.int8, np.int8)])
    bs, bz = columns(r, n, b, r.random() < .5)
    inputs = ["a", "b", "as", "bs", "az", "bz"]
    constants = {"b": integers(r, *right, dtype=b), "as": scale(r), "bs": bs,
                 "az": zero(r, a), "bz": bz, "c": floats(r, n)}
    if r.random() < .5:
        inputs.append("c")
    return Spec("MatMulIntegerToFloat", inputs,
                {"a": integers(r, *left, dtype=a)},
                {k: v for k, v in constants.items() if k in inputs},
                symbols={"a": {len(left) - 2: "M"}})


def DynamicQuantizeMatMul(r):
    left, right, n = operands(r)
    b = byte(r)
    bs, bz = columns(r, n, b, r.random() < .5)
    inputs = ["a", "b", "bs"] + r.choice([[], ["bz"], ["bz", "c"], ["", "c"]])
    constants = {"b": integers(r, *right, dtype=b), "bs": bs, "bz": bz,
                 "c": floats(r, n)}
    # A number between two units may become either.
    return Spec("DynamicQuantizeMatMul", inputs, {"a": floats(r, *left)},
                {k: v for k, v in constants.items() if k in inputs},
                symbols={"a": {len(left) - 2: "M"}}, relative=2e-3)


def QGemm(r):
    m, k, n = r.randint(1, 5), r.randint(1, 40), r.randint(1, 20)
    a, b = r.choice([(np.uint8, np.int8), (np.uint8, np.uint8),
                     (np.int8, np.int8)])
    trans_a, trans_b = r.randint(0, 1), r.randint(0, 1)
    bs, bz = columns(r, n, b, r.random() < .5)
    inputs = ["a", "as", "az", "b", "bs", "bz"]
    inputs.append(r.choice(["", "c"]))
    if r.random() < .5:
        inputs += ["ys", "yz"]
    constants = {
        "as": scale(r), "az": zero(r, a), "bs": bs, "bz": bz,
        "b": integers(r, *((n, k) if trans_b else (k, n)), dtype=b),
        "c": np.array(floats(r, *r.choice([(n,), (1, n)]), scale=1000),
                      np.int32),
        "ys": np.float32(1.5), "yz": zero(r, a)}
    return Spec("QGemm", inputs,
                {"a": integers(r, *((k, m) if trans_a else (m, k)), dtype=a)},
                {k: v for k, v in constants.items() if k in inputs},
                {"transA": trans_a, "transB": trans_b,
                 "alpha": r.choice([1.0, 0.5])}, units=1)


def MatMulNBits(r):
    bits, size = r.choice([4, 4, 8]), r.choice([16, 32, 64])
    k, n = r.choice([size, 2 * size, 3 * size, 5 * size - 3]), r.randint(1, 9)
    blocks = -(-k // size)
    inputs = ["a", "b", "s"] + r.choice([[], ["z"]])
    if r.random() < .3:
        inputs += [""] * (5 - len(inputs)) + ["c"]
    constants = {"b": integers(r, n, blocks, size * bits // 8),
                 "s": np.abs(floats(r, n, blocks, scale=.1)),
                 "z": integers(r, n, -(-blocks * bits // 8)),
                 "c": floats(r, n)}
    return Spec("MatMulNBits", inputs, {"a": floats(r, 2, 3, k)},
                {key: v for key, v in constants.items() if key in inputs},
                {"K": k, "N": n, "bits": bits, "block_size": size},
                symbols={"a": {1: "M"}}, relative=1e-4)


def FusedMatMul(r):
    rank = r.choice([2, 3, 4])
    m, k, n = r.randint(1, 5), r.randint(1, 6), r.randint(1, 7)
    batch = (2, 3)[:rank - 2]
    attributes = {"alpha": r.choice([1.0, 0.125]), "transA": r.randint(0, 1),
                  "transB": r.randint(0, 1)}
    a = (k, m) if attributes["transA"] else (m, k)
    b = (n, k) if attributes["transB"] else (k, n)
    return Spec("FusedMatMul", ["a", "b"],
                {"a": floats(r, *batch, *a), "b": floats(r, *batch, *b)}, {},
                attributes)


def gelu(r, op, biased):
    n = r.randint(1, 17)
    inputs = ["x", "b"] if biased else ["x"]
    attributes = {"alpha": r.choice([1.0, 1.702])} if op == "QuickGelu" else {}
    return Spec(op, inputs, {"x": floats(r, 2, 3, n, scale=2)},
                {"b": floats(r, n)} if biased else {}, attributes,
                symbols={"x": {0: "N"}}, relative=1e-4)


def Gelu(r):
    return gelu(r, "Gelu", False)


def BiasGelu(r):
    return gelu(r, "BiasGelu", True)


def FastGelu(r):
    return gelu(r, "FastGelu", r.random() < .5)


def QuickGelu(r):
    return gelu(r, "QuickGelu", False)


def SkipLayerNormalization(r):
    n = r.randint(2, 17)
    shape = (2, 3, n)
    inputs = ["x", "k", "g"] + r.choice([[], ["b"], ["b", "c"], ["", "c"]])
    return Spec("SkipLayerNormalization", inputs,
                {"x": floats(r, *shape),
                 "k": floats(r, *r.choice([shape, shape[1:]]))},
                {key: floats(r, n) for key in inputs[2:] if key},
                {"epsilon": 1e-5}, ["y", "", "", "s"], relative=1e-4)


def SkipSimplifiedLayerNormalization(r):
    n = r.randint(2, 17)
    inputs = ["x", "k", "g"] + r.choice([[], ["c"]])
    return Spec("SkipSimplifiedLayerNormalization", inputs,
                {"x": floats(r, 2, 3, n), "k": floats(r, 2, 3, n)},
                {key: floats(r, n) for key in inputs[2:]},
                {"epsilon": 1e-5}, ["y", "", "", "s"], relative=1e-4)


def SimplifiedLayerNormalization(r):
    n = r.randint(2, 17)
    return Spec("SimplifiedLayerNormalization", ["x", "g"],
                {"x": floats(r, 2, 3, n)}, {"g": floats(r, n)},
                {"epsilon": 1e-5, "axis": -1}, domain="", relative=1e-4)


def FusedConv(r):
    group = r.choice([1, 2])
    name, given = r.choice([("Relu", []), ("Sigmoid", []), ("Tanh", []),
                            ("LeakyRelu", [0.25]), ("Clip", [-0.5, 1.5]),
                            ("HardSigmoid", [0.3, 0.4])])
    attributes = {"activation": name, "group": group, "pads": [1, 1, 0, 1],
                  "kernel_shape": [3, 2]}
    if given:
        attributes["activation_params"] = given
    inputs = ["x", "w"] + r.choice([[], ["b"]])
    return Spec("FusedConv", inputs, {"x": floats(r, 2, 4, 6, 7)},
                {key: value for key, value in {
                    "w": floats(r, 6, 4 // group, 3, 2),
                    "b": floats(r, 6)}.items() if key in inputs},
                attributes, relative=1e-4)


def DynamicQuantizeLSTM(r):
    directions, hidden, size = r.choice([1, 2]), r.choice([4, 8]), 5
    dtype = byte(r)
    per_column = r.random() < .5
    shape = (directions, 4 * hidden) if per_column else (directions,)
    inputs = ["x", "w", "r", r.choice(["", "b"]), "", r.choice(["", "h"]), "",
              "", "ws", "wz", "rs", "rz"]
    constants = {"w": integers(r, directions, size, 4 * hidden, dtype=dtype),
                 "r": integers(r, directions, hidden, 4 * hidden, dtype=dtype),
                 "b": floats(r, directions, 8 * hidden),
                 "h": floats(r, directions, 2, hidden, scale=.3)}
    for name in "wr":
        constants[name + "s"] = np.full(shape, .01, np.float32)
        constants[name + "z"] = np.full(
            shape, 0 if dtype == np.int8 else 128, dtype)
    return Spec("DynamicQuantizeLSTM", inputs, {"x": floats(r, 4, 2, size)},
                {k: v for k, v in constants.items() if k in inputs},
                {"hidden_size": hidden, "direction":
                 "bidirectional" if directions == 2 else "forward"},
                ["y", "yh", "yc"], relative=2e-2)


def QAttention(r):
    heads, size, batch, length = r.choice([1, 2]), 4, 2, r.randint(2, 5)
    hidden, width = heads * size, 6
    wdtype = byte(r)
    wz = zero(r, wdtype)
    mask = r.choice([None, np.array([length, length - 1], np.int32),
                     np.array([[1] * length, [1] * (length - 1) + [0]],
                              np.int32)])
    inputs = ["x", "w", "b", "xs", "ws", "m" if mask is not None else "", "xz",
              "wz"]
    constants = {"w": integers(r, width, 3 * hidden, dtype=wdtype),
                 # Scores far below the 10,000 that a mask takes off.
                 "b": floats(r, 3 * hidden), "xs": np.float32(.004),
                 "ws": np.float32(.004),
                 "xz": zero(r, np.uint8), "wz": wz}
    if mask is not None:
        constants["m"] = mask
    return Spec("QAttention", inputs, {"x": integers(r, batch, length, width)},
                constants, {"num_heads": heads,
                            "unidirectional": r.randint(0, 1)}, relative=1e-4)


GENERATORS = [QLinearAdd, QLinearMul, QLinearConcat, QLinearSigmoid,
              QLinearLeakyRelu, QLinearSoftmax, QLinearAveragePool,
              QLinearGlobalAveragePool, MatMulIntegerToFloat,
              DynamicQuantizeMatMul, QGemm, QAttention, MatMulNBits,
              FusedMatMul, Gelu, BiasGelu, FastGelu, QuickGelu,
              SkipLayerNormalization, SkipSimplifiedLayerNormalization,
              SimplifiedLayerNormalization, FusedConv, DynamicQuantizeLSTM]
