"""Small graphs of faults, by the item of the issue that named the class. Each
is ONNX's text form; sizes of symbols are given for each run. Values are random
by the name, expected outputs are ONNX Runtime's."""

import dataclasses
import typing

import numpy as np


@dataclasses.dataclass
class Entry:
    name: str
    item: int
    text: str
    sizes: list = None   # [{symbol: size}], a run for each.
    data: dict = dataclasses.field(default_factory=dict)
    opset: int = 17
    domain: tuple = None
    rejected: bool = False  # Whether it must be.
    by_run: bool = False  # The model is run, not a package.
    expected: typing.Callable = None  # Replaces ONNX Runtime.


N134 = [{"N": 1}, {"N": 3}, {"N": 4}]


def unit(name, text, **more):
    return Entry(name, 2, text, **more)


UNIT = [
    unit(f"{op}-unit-axis", f"(float[2, 1, 3] x) => (float[2, 3] y) "
         f"{{ y = {op}<axes = [1], keepdims = 0>(x) }}", domain=(.5, 3))
    for op in ("ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceProd",
               "ReduceSumSquare", "ReduceLogSumExp", "ReduceLogSum",
               "ReduceMean")
] + [
    unit("ReduceSum-unit-axis", "(float[2, 1, 3] x) => "
         "(float[2, 3] y) <int64[1] a = {1}> "
         "{ y = ReduceSum<keepdims = 0>(x, a) }"),
    unit("ReduceMax-unit-at-run-time", "(float[2, N] x) => (float[2] y) "
         "{ y = ReduceMax<axes = [1], keepdims = 0>(x) }", sizes=N134),
    unit("ArgMax-unit-axis", "(float[3, 1] x) => (int64[3] y) "
         "{ y = ArgMax<axis = 1, keepdims = 0>(x) }"),
    unit("CumSum-unit-axis", "(float[3, 1] x) => (float[3, 1] y) "
         "<int64 a = {1}> { y = CumSum(x, a) }"),
    unit("CumSum-exclusive-unit-axis", "(float[3, 1] x) => (float[3, 1] y) "
         "<int64 a = {1}> { y = CumSum<exclusive = 1>(x, a) }"),
    unit("Softmax-unit-axis", "(float[3, 1] x) => (float[3, 1] y) "
         "{ y = Softmax(x) }"),
    unit("LogSoftmax-unit-axis", "(float[3, 1] x) => (float[3, 1] y) "
         "{ y = LogSoftmax(x) }"),
    unit("MatMul-k1", "(float[3, 1] a, float[1, 4] b) => (float[3, 4] y) "
         "{ y = MatMul(a, b) }"),
    unit("MatMul-all-1", "(float[1, 1] a, float[1, 1] b) => (float[1, 1] y) "
         "{ y = MatMul(a, b) }"),
    unit("Gemm-k1", "(float[3, 1] a, float[1, 4] b, float[4] c) => "
         "(float[3, 4] y) { y = Gemm(a, b, c) }"),
    unit("MatMulInteger-k1", "(uint8[3, 1] a, int8[1, 4] b) => "
         "(int32[3, 4] y) { y = MatMulInteger(a, b) }"),
    unit("QLinearMatMul-k1", "(uint8[3, 1] a, uint8[1, 4] b) => "
         "(uint8[3, 4] y) <float s = {0.5}, uint8 z = {3}> "
         "{ y = QLinearMatMul(a, s, z, b, s, z, s, z) }"),
    unit("Conv-1x1-one-channel", "(float[2, 1, 4, 4] x, float[3, 1, 1, 1] w) "
         "=> (float[2, 3, 4, 4] y) { y = Conv(x, w) }"),
    unit("ConvTranspose-1x1-one-channel", "(float[2, 1, 4, 4] x, "
         "float[1, 3, 1, 1] w) => (float[2, 3, 4, 4] y) "
         "{ y = ConvTranspose(x, w) }"),
    unit("QLinearConv-1x1-one-channel", "(uint8[2, 1, 4, 4] x) => "
         "(uint8[2, 3, 4, 4] y) <float s = {0.5}, uint8 z = {3}, "
         "uint8[3, 1, 1, 1] w = {1, 2, 9}> "
         "{ y = QLinearConv(x, s, z, w, s, z, s, z) }"),
    unit("Einsum-transpose", "(float[3, 4] x) => (float[4, 3] y) "
         "{ y = Einsum<equation = \"ij->ji\">(x) }"),
    unit("Einsum-diagonal", "(float[3, 3] x) => (float[3] y) "
         "{ y = Einsum<equation = \"ii->i\">(x) }"),
    unit("MaxPool-1x1", "(float[1, 2, 4, 4] x) => (float[1, 2, 4, 4] y) "
         "{ y = MaxPool<kernel_shape = [1, 1]>(x) }"),
    unit("AveragePool-1x1-stride", "(float[1, 2, 4, 4] x) => "
         "(float[1, 2, 2, 2] y) { y = AveragePool<kernel_shape = [1, 1], "
         "strides = [2, 2]>(x) }"),
    unit("LRN-size-1", "(float[1, 3, 4, 4] x) => (float[1, 3, 4, 4] y) "
         "{ y = LRN<size = 1>(x) }"),
    unit("ScatterND-one-update", "(float[4, 3] x, float[1, 3] u) => "
         "(float[4, 3] y) <int64[1, 1] i = {2}> { y = ScatterND(x, i, u) }"),
    unit("ScatterElements-one-update", "(float[4] x, float[1] u) => "
         "(float[4] y) <int64[1] i = {2}> { y = ScatterElements(x, i, u) }"),
    unit("LayerNormalization-unit", "(float[3, 1] x, float[1] s) => "
         "(float[3, 1] y) { y = LayerNormalization(x, s) }"),
    unit("InstanceNormalization-unit", "(float[2, 3, 1, 1] x, float[3] s, "
         "float[3] b) => (float[2, 3, 1, 1] y) "
         "{ y = InstanceNormalization(x, s, b) }"),
    unit("GlobalAveragePool-unit", "(float[2, 3, 1, 1] x) => "
         "(float[2, 3, 1, 1] y) { y = GlobalAveragePool(x) }"),
    unit("LpNormalization-unit", "(float[3, 1] x) => (float[3, 1] y) "
         "{ y = LpNormalization<axis = 1>(x) }", domain=(.5, 3)),
    unit("LSTM-width-1", "(float[1, 1, 1] x, float[1, 4, 1] w, "
         "float[1, 4, 1] r) => (float[1, 1, 1, 1] y) "
         "{ y = LSTM<hidden_size = 1>(x, w, r) }"),
    unit("GRU-width-1", "(float[1, 1, 1] x, float[1, 3, 1] w, "
         "float[1, 3, 1] r) => (float[1, 1, 1, 1] y) "
         "{ y = GRU<hidden_size = 1>(x, w, r) }"),
    unit("RNN-width-1", "(float[1, 1, 1] x, float[1, 1, 1] w, "
         "float[1, 1, 1] r) => (float[1, 1, 1, 1] y) "
         "{ y = RNN<hidden_size = 1>(x, w, r) }"),
    unit("Col2Im-1x1", "(float[1, 2, 9] x) => (float[1, 2, 3, 3] y) "
         "<int64[2] i = {3, 3}, int64[2] b = {1, 1}> { y = Col2Im(x, i, b) }",
         opset=18),
    unit("DFT-length-1", "(float[2, 1, 2] x) => (float[2, 1, 2] y) "
         "{ y = DFT<axis = 1>(x) }"),
    unit("Loss-one-class", "(float[3, 1] x, int64[3] t) => (float y) "
         "{ y = SoftmaxCrossEntropyLoss(x, t) }", data={"t": [0, 0, 0]}),
    unit("Attention-one-key", "(float[1, 1, 2, 4] q, float[1, 1, 1, 4] k, "
         "float[1, 1, 1, 4] v) => (float[1, 1, 2, 4] y) "
         "{ y = Attention(q, k, v) }", opset=23),
    unit("Trilu-after-unit-reduction", "(float[3, 1, 3] x) => "
         "(float[3, 3] y) { a = ReduceMax<axes = [1], keepdims = 0>(x) "
         "y = Trilu(a) }"),
]


def fold(name, text, **more):
    return Entry(name, 3, text, **more)


FOLD = [
    fold("fold-Einsum-outer", "(float[2] x) => (float[2, 3] y, float[2] z) "
         "<float[2] a = {2, 3}, float[3] b = {4, 5, 6}> "
         "{ y = Einsum<equation = \"i,j->ij\">(a, b) z = Neg(x) }"),
    fold("fold-Einsum-elementwise", "(float[2] x) => (float[2] y, float[2] z) "
         "<float[2] a = {2, 3}, float[2] b = {4, 5}> "
         "{ y = Einsum<equation = \"i,i->i\">(a, b) z = Neg(x) }"),
    fold("fold-Einsum-transpose", "(float[2] x) => (float[3, 2] y, float[2] z)"
         " <float[2, 3] a = {1, 2, 3, 4, 5, 6}> "
         "{ y = Einsum<equation = \"ij->ji\">(a) z = Neg(x) }"),
    fold("fold-Einsum-diagonal", "(float[2] x) => (float[2] y, float[2] z) "
         "<float[2, 2] a = {1, 2, 3, 4}> "
         "{ y = Einsum<equation = \"ii->i\">(a) z = Neg(x) }"),
] + [
    fold(f"fold-{op}-scalar", f"(float[2] x) => (float y, float[2] z) "
         f"<float a = {{2}}> {{ y = {op}<keepdims = 0>(a) z = Neg(x) }}")
    for op in ("ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceL1",
               "ReduceL2", "ReduceProd", "ReduceSumSquare", "ReduceLogSum",
               "ReduceLogSumExp")
] + [
    fold(f"fold-{op}-matrix", f"(float[2] x) => (float[2] y, float[2] z) "
         f"<float[2, 3] a = {{1, 5, 2, 6, 3, 4}}> "
         f"{{ y = {op}<axes = [1], keepdims = 0>(a) z = Neg(x) }}")
    for op in ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2",
               "ReduceLogSumExp")
] + [
    fold("fold-DynamicQuantizeLinear", "(float[2] x) => "
         "(uint8 y, float s, uint8 p, float[2] z) <float a = {-9}> "
         "{ y, s, p = DynamicQuantizeLinear(a) z = Neg(x) }"),
    fold("fold-ReduceMax-bytes", "(float[2] x) => (uint8 y, float[2] z) "
         "<uint8 a = {53}> { y = ReduceMax<keepdims = 0>(a) z = Neg(x) }"),
    fold("fold-MatMul", "(float[2] x) => (float[2, 2] y, float[2] z) "
         "<float[2, 1] a = {2, 3}, float[1, 2] b = {4, 5}> "
         "{ y = MatMul(a, b) z = Neg(x) }"),
    fold("fold-CumSum", "(float[2] x) => (float[3] y, float[2] z) "
         "<float[3] a = {2, 3, 4}, int64 i = {0}> "
         "{ y = CumSum(a, i) z = Neg(x) }"),
    fold("fold-Slice-reversed", "(float[2, 2] x) => (float[2, 2] y) "
         "<float[2, 2] a = {1, 2, 3, 4}, int64[1] s = {-1}, int64[1] e = "
         "{-99}, int64[1] d = {0}> { b = Slice(a, s, e, d, s) "
         "y = Add(b, x) }"),
    fold("fold-ArgMax", "(float[2] x) => (int64[2] y, float[2] z) "
         "<float[2, 3] a = {1, 5, 2, 6, 3, 4}> "
         "{ y = ArgMax<axis = 1, keepdims = 0>(a) z = Neg(x) }"),
]

NHW = [{"N": 1, "H": 2, "W": 5}, {"N": 2, "H": 5, "W": 3}]
RESIZE = [
    Entry(f"Resize-symbolic-sizes-{mode}", 4,
          f"(float[1, 1, H, W] x, float[1, 1, P, Q] t) => "
          f"(float[1, 1, P, Q] y) {{ s = Shape(t) "
          f"y = Resize<mode = \"{mode}\">(x, , , s) }}",
          sizes=[{"H": 2, "W": 3, "P": 4, "Q": 5},
                 {"H": 3, "W": 3, "P": 3, "Q": 6}])
    for mode in ("nearest", "linear", "cubic")
] + [
    Entry(f"Resize-symbolic-input-{way}", 4,
          f"(float[1, 1, H, W] x) => (float[1, 1, 4, 7] y) "
          f"<int64[4] s = {{1, 1, 4, 7}}> {{ y = Resize<mode = \"linear\", "
          f"coordinate_transformation_mode = \"{way}\">(x, , , s) }}",
          sizes=[{"H": 2, "W": 3}, {"H": 4, "W": 8}])
    for way in ("half_pixel", "asymmetric", "align_corners",
                "pytorch_half_pixel")
] + [
    Entry("Resize-doubled-sizes", 4,
          "(float[N, 2, H, W] x) => (float[N, 2, P, Q] y) "
          "<int64[1] zero = {0}, int64[1] two = {2}, int64[1] four = {4}> "
          "{ s = Shape(x) a = Slice(s, zero, two) b = Slice(s, two, four) "
          "c = Mul(b, two) d = Concat<axis = 0>(a, c) "
          "y = Resize<mode = \"nearest\">(x, , , d) }",
          sizes=NHW),
]

SLICES = {"last-three": (-3, 2**31 - 1), "from-before": (-5, -1),
          "but-last": (0, -1), "first-five": (0, 5), "int64-max":
          (0, 2**63 - 1), "billion": (1, 10**9), "past-start": (9, 12),
          "before-everything": (-9, -8), "empty": (2, 1)}
SLICE = [
    Entry(f"Slice-{name}", 5, f"(float[N, 2] x) => (float[M, 2] y) "
          f"<int64[1] s = {{{start}}}, int64[1] e = {{{end}}}> "
          f"{{ y = Slice(x, s, e) }}",
          sizes=[{"N": n} for n in (0, 1, 3, 4, 7)])
    for name, (start, end) in SLICES.items()
] + [
    Entry(f"Slice-backwards-{name}", 5, f"(float[N, 2] x) => (float[M, 2] y) "
          f"<int64[1] s = {{{start}}}, int64[1] e = {{{end}}}, "
          f"int64[1] a = {{0}}, int64[1] d = {{{step}}}> "
          f"{{ y = Slice(x, s, e, a, d) }}",
          sizes=[{"N": n} for n in (1, 3, 4, 7)])
    for name, (start, end, step) in {
        "all": (-1, -2**63, -1), "from-2": (2, -99, -1),
        "by-2": (-1, -9, -2), "from-before": (-3, -7, -2),
        "to-1": (99, 1, -1)}.items()
] + [
    Entry("Slice-steps", 5, "(float[N, 2] x) => (float[M, 2] y) "
          "<int64[1] s = {-5}, int64[1] e = {99}, int64[1] a = {0}, "
          "int64[1] d = {3}> { y = Slice(x, s, e, a, d) }",
          sizes=[{"N": n} for n in (1, 4, 5, 9)]),
    Entry("Slice-by-another-size", 5, "(float[N, 2] x, float[M] t) => "
          "(float[K, 2] y) <int64[1] s = {0}> { e = Shape(t) "
          "y = Slice(x, s, e) }",
          sizes=[{"N": 3, "M": 2}, {"N": 3, "M": 5}, {"N": 1, "M": 1}]),
]


def differ(name, text, good, bad, **more):
    """A graph right at sizes `good`, rejected at sizes `bad`."""
    return [Entry(name, 6, text, sizes=good, **more),
            Entry(name + "-differ", 6, text, sizes=bad, rejected=True, **more)]


SIZES = [entry for pair in [
    differ("Einsum-batch", "(float[B, 2, 3] a, float[C, 3, 2] b) => "
           "(float[D, 2, 2] y) { y = Einsum<equation = "
           "\"bij,bjk->bik\">(a, b) }", [{"B": 3, "C": 3}],
           [{"B": 2, "C": 3}, {"B": 3, "C": 4}]),
    differ("Einsum-inner", "(float[2, K] a, float[L, 2] b) => "
           "(float[2, 2] y) { y = Einsum<equation = \"ij,jk->ik\">(a, b) }",
           [{"K": 3, "L": 3}], [{"K": 2, "L": 3}, {"K": 3, "L": 2}]),
    differ("GridSample-batch", "(float[B, 1, 3, 3] x, float[C, 2, 2, 2] g) "
           "=> (float[B, 1, 2, 2] y) { y = GridSample(x, g) }",
           [{"B": 2, "C": 2}], [{"B": 1, "C": 2}, {"B": 2, "C": 1}],
           domain=(-.75, .75)),
    differ("ReverseSequence-lengths", "(float[4, B] x, int64[C] n) => "
           "(float[4, B] y) { y = ReverseSequence(x, n) }",
           [{"B": 3, "C": 3}], [{"B": 3, "C": 2}, {"B": 3, "C": 1}],
           domain=(1, 4)),
    differ("GatherND-batch", "(float[B, 3] x, int64[C, 1] i) => (float[B] y) "
           "{ y = GatherND<batch_dims = 1>(x, i) }", [{"B": 2, "C": 2}],
           [{"B": 3, "C": 2}, {"B": 1, "C": 2}], domain=(0, 2)),
    differ("GatherElements-larger", "(float[B, 3] x, int64[C, 2] i) => "
           "(float[C, 2] y) { y = GatherElements<axis = 1>(x, i) }",
           [{"B": 2, "C": 2}, {"B": 3, "C": 2}], [{"B": 1, "C": 2}],
           domain=(0, 2)),
    differ("ScatterElements-updates", "(float[3, 3] x, int64[B, 2] i, "
           "float[C, 2] u) => (float[3, 3] y) "
           "{ y = ScatterElements<axis = 1, reduction = \"add\">(x, i, u) }",
           [{"B": 2, "C": 2}, {"B": 1, "C": 1}],
           [{"B": 2, "C": 1}, {"B": 1, "C": 2}], domain=(0, 2)),
    differ("ScatterND-updates", "(float[3, D] x, int64[2, 1] i, float[2, E] u)"
           " => (float[3, D] y) { y = ScatterND(x, i, u) }",
           [{"D": 2, "E": 2}], [{"D": 2, "E": 1}, {"D": 2, "E": 3}],
           data={"i": [[0], [2]]}),
    differ("MatMul-inner", "(float[2, K] a, float[L, 2] b) => (float[2, 2] y) "
           "{ y = MatMul(a, b) }", [{"K": 3, "L": 3}],
           [{"K": 1, "L": 3}, {"K": 3, "L": 1}, {"K": 2, "L": 3}]),
    differ("Concat-other-axis", "(float[2, K] a, float[2, L] b) => "
           "(float[4, K] y) { y = Concat<axis = 0>(a, b) }",
           [{"K": 3, "L": 3}], [{"K": 1, "L": 3}, {"K": 3, "L": 1}]),
    differ("Split-uneven", "(float[N] x) => (float[2] y, "
           "float[3] z) <int64[2] s = {2, 3}> { y, z = Split(x, s) }",
           [{"N": 5}], [{"N": 4}, {"N": 6}]),
    differ("Loss-batch", "(float[B, 3] x, int64[C] t) => (float y) "
           "{ y = NegativeLogLikelihoodLoss(x, t) }", [{"B": 2, "C": 2}],
           [{"B": 1, "C": 2}, {"B": 2, "C": 1}], domain=(0, 2)),
    differ("TensorScatter-batch", "(float[B, 1, 4, 2] x, float[C, 1, 2, 2] u) "
           "=> (float[B, 1, 4, 2] y) { y = TensorScatter(x, u) }",
           [{"B": 2, "C": 2}], [{"B": 2, "C": 1}, {"B": 1, "C": 2}],
           opset=24),
    differ("Reshape-elements", "(float[N, 2] x) => (float[3, 2] y) "
           "<int64[2] s = {3, 2}> { y = Reshape(x, s) }", [{"N": 3}],
           [{"N": 2}, {"N": 4}]),
] for entry in pair] + [
    Entry("Einsum-unequal-static", 6, "(float[2, 3] a, float[4, 2] b) => "
          "(float[2, 2] y) { y = Einsum<equation = \"ij,jk->ik\">(a, b) }",
          rejected=True),
    Entry("Einsum-unknown-letter", 6, "(float[2, 3] a) => (float[3] y) "
          "{ y = Einsum<equation = \"ij->k\">(a) }", rejected=True),
    Entry("Einsum-three-ways", 6, "(float[2, 3] a, float[3, 2] b) => "
          "(float[2, 4] y) { y = Einsum<equation = \"ij,jk->il\">(a, b) }",
          rejected=True),
    Entry("Einsum-broadcast-1", 6, "(float[B, 2, 3] a, float[C, 3, 2] b) => "
          "(float[D, 2, 2] y) { y = Einsum<equation = "
          "\"bij,bjk->bik\">(a, b) }", sizes=[{"B": 1, "C": 3},
                                            {"B": 3, "C": 1}]),
]

MORE = [
    Entry("QuantizeLinear-scales-of-1", 7, "(float[2, N] x, float[N] s, "
          "uint8[N] z) => (uint8[2, N] y) "
          "{ y = QuantizeLinear<axis = 1>(x, s, z) }", sizes=N134,
          domain=(1, 4)),
    Entry("DequantizeLinear-scales-of-1", 7, "(uint8[2, N] x, float[N] s) => "
          "(float[2, N] y) { y = DequantizeLinear<axis = 1>(x, s) }",
          sizes=N134, domain=(1, 4)),
    Entry("QuantizeLinear-one-scale", 7, "(float[2, M] x, float[N] s, "
          "uint8[N] z) => (uint8[2, M] y) "
          "{ y = QuantizeLinear<axis = 1>(x, s, z) }",
          sizes=[{"M": 3, "N": 1}, {"M": 3, "N": 3}], domain=(1, 4)),
    Entry("DequantizeLinear-one-scale", 7, "(uint8[2, M] x, float[N] s) => "
          "(float[2, M] y) { y = DequantizeLinear<axis = 1>(x, s) }",
          sizes=[{"M": 3, "N": 1}, {"M": 3, "N": 3}], domain=(1, 4)),
    Entry("DFT-shorter", 7, "(float[2, 6, 1] x) => (float[2, 4, 2] y) "
          "<int64 n = {4}> { y = DFT<axis = 1>(x, n) }",
          expected=lambda feed: [np.stack([(f := np.fft.fft(
              feed["x"][:, :, 0], 4)).real, f.imag], -1).astype(np.float32)]),
    Entry("DFT-longer", 7, "(float[2, 3, 1] x) => (float[2, 5, 2] y) "
          "<int64 n = {5}> { y = DFT<axis = 1>(x, n) }",
          expected=lambda feed: [np.stack([(f := np.fft.fft(
              feed["x"][:, :, 0], 5)).real, f.imag], -1).astype(np.float32)]),
    Entry("AveragePool-same-ceil-counted", 7, "(float[1, 1, 5, 5] x) => "
          "(float[1, 1, 3, 3] y) { y = AveragePool<kernel_shape = [2, 3], "
          "strides = [2, 2], auto_pad = \"SAME_UPPER\", ceil_mode = 1, "
          "count_include_pad = 1>(x) }", opset=19),
    Entry("Pow-negative-zero", 7, "(float[4] x) => (float[4] y) "
          "<float e = {-0.5}> { y = Pow(x, e) }",
          data={"x": [-0., 0., -np.inf, np.inf]}),
    Entry("Pow-half", 7, "(float[4] x) => (float[4] y) <float e = {0.5}> "
          "{ y = Pow(x, e) }", data={"x": [-0., 0., -np.inf, np.inf]}),
    Entry("ConvTranspose-infinite-weight", 7, "(float[1, 1, 3] x) => "
          "(float[1, 1, 6] y) <float[1, 1, 2] w = {inf, 2}> "
          "{ y = ConvTranspose<strides = [2]>(x, w) }", domain=(1, 4)),
    Entry("ConvTranspose-infinite-weight-3", 7, "(float[1, 1, 3] x, "
          "float[1, 1, 3] w) => (float[1, 1, 7] y) "
          "{ y = ConvTranspose<strides = [2]>(x, w) }",
          data={"w": [[[np.inf, 2, 1]]]}, domain=(1, 4)),
    Entry("Resize-10-nearest", 7, "(float[1, 1, 3, 4] x) => "
          "(float[1, 1, 4, 6] y) <float[8] r = {0, 0, 0, 0, 1, 1, 1, 1}, "
          "float[4] s = {1, 1, 1.5, 1.5}> "
          "{ y = Resize(x, s) }", opset=10),
    Entry("Resize-10-nearest-smaller", 7, "(float[1, 1, 4, 6] x) => "
          "(float[1, 1, 3, 4] y) <float[4] s = {1, 1, 0.75, 0.75}> "
          "{ y = Resize(x, s) }", opset=10),
    Entry("Resize-tf-half-pixel-for-nn", 7, "(float[1, 1, 3, 4] x) => "
          "(float[1, 1, 4, 6] y) <float[8] r = {0, 0, 0, 0, 1, 1, 1, 1}, "
          "float[4] s = {1, 1, 1.5, 1.5}> "
          "{ y = Resize<coordinate_transformation_mode = "
          "\"tf_half_pixel_for_nn\">(x, r, s) }", opset=11),
]

BROADCAST = [
    Entry(f"{op}-1-against-n", 8, f"(float[N, K] a, float[M, K] b) => "
          f"(float[P, K] y) {{ y = {op}(a, b) }}",
          sizes=[{"N": 1, "M": 3, "K": 2}, {"N": 3, "M": 1, "K": 2},
                 {"N": 3, "M": 3, "K": 1}, {"N": 1, "M": 1, "K": 2}],
          domain=(1, 4))
    for op in ("Add", "Mul", "Pow", "Max", "Sum")
] + [
    Entry("Add-neither-1", 8, "(float[N] a, float[M] b) => (float[P] y) "
          "{ y = Add(a, b) }", sizes=[{"N": 2, "M": 3}], rejected=True),
    Entry("Where-1-against-n", 8, "(bool[C] c, float[N] a, float[M] b) => "
          "(float[P] y) { y = Where(c, a, b) }",
          sizes=[{"C": 1, "N": 3, "M": 1}, {"C": 3, "N": 1, "M": 3},
                 {"C": 2, "N": 1, "M": 1}]),
    Entry("Equal-1-against-n", 8, "(int64[N] a, int64[M] b) => (bool[P] y) "
          "{ y = Equal(a, b) }", sizes=[{"N": 1, "M": 3}, {"N": 3, "M": 1}]),
    Entry("Expand-1-against-n", 8, "(float[N] a, float[M] b) => (float[P] y) "
          "{ s = Shape(b) y = Expand(a, s) }",
          sizes=[{"N": 1, "M": 3}, {"N": 3, "M": 1}, {"N": 3, "M": 3}]),
    Entry("MatMul-batch-1-against-n", 8, "(float[N, 2, 3] a, float[M, 3, 2] b)"
          " => (float[P, 2, 2] y) { y = MatMul(a, b) }",
          sizes=[{"N": 1, "M": 3}, {"N": 3, "M": 1}, {"N": 2, "M": 2}]),
    Entry("Add-softmax-1-against-n", 8, "(float[N, 4] a, float[M, 4] b) => "
          "(float[P, 4] y) { c = Add(a, b) d = Softmax(c) y = Mul(d, a) }",
          sizes=[{"N": 1, "M": 3}, {"N": 3, "M": 1}]),
    Entry("Conv-same-stride", 8, "(float[1, 2, H, W] x, float[2, 2, 3, 3] w) "
          "=> (float[1, 2, P, Q] y) { y = Conv<strides = [2, 2], "
          "auto_pad = \"SAME_UPPER\">(x, w) }", sizes=NHW),
    Entry("Conv-same-lower-stride", 8, "(float[1, 1, H, W] x, "
          "float[1, 1, 2, 3] w) => (float[1, 1, P, Q] y) { y = Conv<strides = "
          "[3, 2], auto_pad = \"SAME_LOWER\">(x, w) }", sizes=NHW),
    Entry("MaxPool-same-stride", 8, "(float[1, 2, H, W] x) => "
          "(float[1, 2, P, Q] y) { y = MaxPool<kernel_shape = [3, 2], "
          "strides = [2, 2], auto_pad = \"SAME_UPPER\">(x) }", sizes=NHW),
    Entry("MaxPool-ceil", 8, "(float[1, 2, H, W] x) => (float[1, 2, P, Q] y) "
          "{ y = MaxPool<kernel_shape = [2, 2], strides = [2, 2], "
          "ceil_mode = 1>(x) }", sizes=NHW + [{"H": 3, "W": 4}]),
    Entry("AveragePool-ceil-padded", 8, "(float[1, 2, H, W] x) => "
          "(float[1, 2, P, Q] y) { y = AveragePool<kernel_shape = [3, 3], "
          "strides = [2, 2], pads = [1, 1, 1, 1], ceil_mode = 1, "
          "count_include_pad = 1>(x) }", opset=19,
          sizes=NHW + [{"H": 4, "W": 6}]),
    Entry("Conv-symbolic-weights", 8, "(float[1, 2, 5, 5] x, float[M, 2, K, K]"
          " w) => (float[1, M, P, P] y) { y = Conv(x, w) }",
          sizes=[{"M": 1, "K": 1}, {"M": 3, "K": 2}]),
    Entry("TopK-values", 8, "(float[3, 8] x) => (float[3, 3] v, "
          "int64[3, 3] i) <int64[1] k = {3}> { v, i = TopK(x, k) }"),
    Entry("TopK-smallest", 8, "(float[8, 3] x) => (float[2, 3] v, "
          "int64[2, 3] i) <int64[1] k = {2}> "
          "{ v, i = TopK<axis = 0, largest = 0>(x, k) }"),
    Entry("Slice-of-Gather", 8, "(float[3, 5, 4] x, int64[3] i) => "
          "(float[3, 1, 2] y) <int64[2] s = {0, 3}, int64[2] e = {1, -9}, "
          "int64[2] d = {1, 2}, int64[2] t = {1, -2}> "
          "{ g = Gather<axis = 1>(x, i) y = Slice(g, s, e, d, t) }",
          data={"i": [4, 0, 2]}),
    Entry("Slice-of-nothing-backwards", 8, "(float[N, 2] x) => (float[M, 2] y) "
          "<int64[1] s = {-9223372036854775808}, int64[1] e = {-6}, "
          "int64[1] d = {0}, int64[1] t = {-1}> { y = Slice(x, s, e, d, t) }",
          sizes=[{"N": n} for n in (0, 1, 7)]),
    Entry("TopK-symbolic", 8, "(float[N, M] x) => (float[N, 2] v, "
          "int64[N, 2] i) <int64[1] k = {2}> { v, i = TopK(x, k) }",
          sizes=[{"N": 1, "M": 2}, {"N": 3, "M": 7}]),
    Entry("TopK-ties", 8, "(float[6] x) => (float[4] v, int64[4] i) "
          "<int64[1] k = {4}> { v, i = TopK(x, k) }",
          data={"x": [1, 3, 3, 1, 3, 2]}),
    Entry("TopK-too-large", 8, "(float[N] x) => (float[3] v, int64[3] i) "
          "<int64[1] k = {3}> { v, i = TopK(x, k) }", sizes=[{"N": 2}],
          rejected=True),
]

FOUND = [
    # Found by fuzz.py; item 0.
    Entry("ConvTranspose-output-shape-odd", 0, "(float[1, 1, 4] x, "
          "float[1, 1, 3] w) => (float[1, 1, 5] y) "
          "{ y = ConvTranspose<output_shape = [5]>(x, w) }"),
    Entry("ConvTranspose-output-shape-upper", 0, "(float[1, 1, 4] x, "
          "float[1, 1, 3] w) => (float[1, 1, 5] y) { y = ConvTranspose<"
          "output_shape = [5], auto_pad = \"SAME_UPPER\">(x, w) }"),
    Entry("DynamicQuantizeLinear-zeros", 0, "(float[3] x) => (uint8[3] y, "
          "float s, uint8 z) { y, s, z = DynamicQuantizeLinear(x) }",
          data={"x": [0, 0, 0]}),
    Entry("Slice-backwards-and-empty", 0, "(float[2, 3] x) => (float[2, 0] y)"
          " <int64[2] s = {-1, 0}, int64[2] e = {-9, 0}, int64[2] a = {0, 1},"
          " int64[2] d = {-1, 1}> { y = Slice(x, s, e, a, d) }"),
    Entry("Slice-start-at-end", 0, "(float[4] x, float[N] t) => (float[M] y) "
          "<int64[1] s = {4}, int64[1] a = {0}, int64[1] d = {2}> "
          "{ e = Shape(t) y = Slice(x, s, e, a, d) }",
          sizes=[{"N": 2}, {"N": 9}]),
    Entry("LayerNormalization-scale-of-1", 0, "(float[3, N] x, float[M] s, "
          "float[K] b) => (float[3, N] y) { y = LayerNormalization(x, s, b) }",
          sizes=[{"N": 4, "M": 1, "K": 4}, {"N": 4, "M": 4, "K": 4}]),
    Entry("Gemm-bias-1-against-n", 0, "(float[N, 2] a, float[2, 3] b, "
          "float[M, 3] c) => (float[N, 3] y) { y = Gemm(a, b, c) }",
          sizes=[{"N": 3, "M": 1}, {"N": 3, "M": 3}, {"N": 1, "M": 1}]),
    Entry("Where-three-sizes", 0, "(bool[A, 2] c, float[B, 2] x, "
          "float[C, 2] z) => (float[D, 2] y) { y = Where(c, x, z) }",
          sizes=[{"A": a, "B": b, "C": c} for a in (1, 3) for b in (1, 3)
                 for c in (1, 3)]),
    Entry("Shrink-integers", 0, "(int32[9] x) => (int32[9] y) "
          "{ y = Shrink<lambd = 1.5, bias = 1.0>(x) }"),
    Entry("Resize-keep-aspect-symbolic", 0, "(float[1, 1, H, W] x) => "
          "(float[1, 1, P, Q] y) <int64[2] s = {7, 8}> "
          "{ y = Resize<axes = [2, 3], keep_aspect_ratio_policy = "
          "\"not_larger\", mode = \"linear\">(x, , , s) }", opset=18,
          sizes=[{"H": 3, "W": 4}, {"H": 5, "W": 2}]),
    Entry("Resize-antialias-symbolic", 0, "(float[1, 1, H, W] x) => "
          "(float[1, 1, 3, 4] y) <int64[4] s = {1, 1, 3, 4}> "
          "{ y = Resize<antialias = 1, mode = \"linear\">(x, , , s) }",
          opset=18, sizes=[{"H": 7, "W": 8}, {"H": 5, "W": 9}]),
    Entry("Einsum-diagonal-symbols", 0, "(double[A, B, C] x) => "
          "(double[A, D] y) { y = Einsum<equation = \"bii -> bi\">(x) }",
          sizes=[{"A": 3, "B": 4, "C": 4}, {"A": 2, "B": 1, "C": 1}]),
    Entry("InstanceNormalization-symbols", 0, "(float[2, A, 3] x, float[B] s, "
          "float[C] b) => (float[2, A, 3] y) "
          "{ y = InstanceNormalization(x, s, b) }",
          sizes=[{"A": 3, "B": 3, "C": 3}, {"A": 1, "B": 1, "C": 1}]),
    Entry("InstanceNormalization-symbols-differ", 0, "(float[2, A, 3] x, "
          "float[B] s, float[3] b) => (float[2, A, 3] y) "
          "{ y = InstanceNormalization(x, s, b) }",
          sizes=[{"A": 3, "B": 2}, {"A": 2, "B": 3}], rejected=True),
    Entry("empty-output-elementwise", 0, "(float[N, 0] a, float[M, 0] b, "
          "float[N, 2] c) => (float[P, 0] y, float[N, 2] z) "
          "{ y = Add(a, b) z = Neg(c) }",
          sizes=[{"N": 3, "M": 3}, {"N": 1, "M": 3}]),
    Entry("Add-0-against-1", 0, "(float[N, 2] a, float[M, 2] b) => "
          "(float[P, 2] y) { y = Add(a, b) }",
          sizes=[{"N": 0, "M": 1}, {"N": 1, "M": 0}, {"N": 0, "M": 0}]),
    Entry("MatMulInteger-zero-point-symbols", 0, "(int8[1, A, 2] a, "
          "uint8[2, B] b, int8[C] p, uint8[D] q) => (int32[1, A, B] y) "
          "{ y = MatMulInteger(a, b, p, q) }",
          sizes=[{"A": 1, "B": 1, "C": 1, "D": 1},
                 {"A": 3, "B": 4, "C": 1, "D": 4}]),
    Entry("Pad-reflect", 0, "(float[2, N] x) => (float[2, M] y) "
          "<int64[4] p = {0, 1, 0, 2}> { y = Pad<mode = \"reflect\">(x, p) }",
          sizes=[{"N": 3}, {"N": 5}]),
    # ONNX Runtime rejects it; onnx's reference and NumPy reflect again.
    Entry("Pad-reflect-again", 0, "(float[2, N] x) => (float[2, M] y) "
          "<int64[4] p = {0, 1, 0, 2}> { y = Pad<mode = \"reflect\">(x, p) }",
          sizes=[{"N": 1}, {"N": 2}], expected=lambda feed: [
              np.pad(feed["x"], ((0, 0), (1, 2)), "reflect")]),
    Entry("Pad-edge-of-nothing", 0, "(float[2, N] x) => (float[2, M] y) "
          "<int64[4] p = {0, 1, 0, 2}> { y = Pad<mode = \"edge\">(x, p) }",
          sizes=[{"N": 0}], rejected=True),
    Entry("empty-output-alone", 0, "(float[N, 0] a) => (float[N, 0] y) "
          "{ y = Neg(a) }", sizes=[{"N": 3}, {"N": 1}]),
    Entry("empty-output-static", 0, "(float[2, 0] a) => (float[2, 0] y) "
          "{ y = Neg(a) }"),
    Entry("empty-output-pool", 0, "(float[0, 2, H, 3] a) => "
          "(float[0, 2, 1, 1] y) { y = GlobalMaxPool(a) }",
          sizes=[{"H": 3}, {"H": 1}]),
    Entry("empty-output-split", 0, "(float[N, 2] a) => (float[N, 2] y, "
          "float[N, 0] z) <int64[2] s = {2, 0}> "
          "{ y, z = Split<axis = 1>(a, s) }", sizes=[{"N": 3}, {"N": 1}]),
    Entry("empty-output-slice", 0, "(float[6, N] a) => (float[M, N] y) "
          "<int64[1] s = {-4}, int64[1] e = {-5}> { y = Slice(a, s, e) }",
          sizes=[{"N": 3}, {"N": 1}]),
    Entry("empty-in-the-middle", 0, "(float[N, 0] a, float[N, 2] b) => "
          "(float[N, 2] y) { c = Neg(a) y = Concat<axis = 1>(c, b) }",
          sizes=[{"N": 3}, {"N": 1}]),
    Entry("empty-reduced", 0, "(float[N, 0] a) => (float[N] y) "
          "<int64[1] i = {1}> { y = ReduceSum<keepdims = 0>(a, i) }",
          sizes=[{"N": 3}, {"N": 1}]),
    Entry("empty-contracted", 0, "(float[N, 0] a, float[0, 4] b) => "
          "(float[N, 4] y) { y = MatMul(a, b) }", sizes=[{"N": 3}, {"N": 1}]),
    Entry("QuantizeLinear-zero-point-misfit", 0, "(float[3] x, float[3] s, "
          "uint8[1] z) => (uint8[3] y) "
          "{ y = QuantizeLinear<axis = 0>(x, s, z) }", rejected=True),
    Entry("DequantizeLinear-block-misfit", 0, "(uint8[N, 4] x, float[M, 2] s)"
          " => (float[N, 4] y) { y = DequantizeLinear<axis = 1, "
          "block_size = 2>(x, s) }", opset=21, sizes=[{"N": 3, "M": 2}],
          rejected=True),
]

CASES = FOUND + UNIT + FOLD + RESIZE + SLICE + SIZES + MORE + BROADCAST
