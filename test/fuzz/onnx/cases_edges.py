"""Small graphs with numbers at the ends of 64 bits, of powers, of loops without
iterations, and of what ONNX leaves open (docs/onnx.md)."""

import numpy as np

from cases import Entry

TOP, LOW = 2**63 - 1, -2**63
N013 = [{"N": 0}, {"N": 1}, {"N": 3}]
I64 = np.int64


def slices(dims, start, end, step, expected, sizes=None):
    """A Slice of dimension 0, on static and on dynamic sizes."""
    return Entry(
        f"Slice-{start}-{end}-{step}-{dims}", 5,
        f"(float[{dims}, 2] x) => (float[M, 2] y) <int64[1] s = {{{start}}}, "
        f"int64[1] e = {{{end}}}, int64[1] a = {{0}}, int64[1] t = {{{step}}}> "
        "{ y = Slice(x, s, e, a, t) }", sizes=sizes,
        expected=lambda feed: [feed["x"][expected]])


# No step at the ends reaches a second element.
SLICES = [
    slices(dims, start, end, step, slice(start, end, sign),
           N013 if dims == "N" else None)
    for step, sign in ((TOP, TOP), (TOP - 1, TOP - 1), (-TOP, -TOP),
                       (1 - TOP, 1 - TOP), (LOW, -TOP), (2**46, 2**46))
    for dims in (3, "N")
    for start, end in (((0, TOP), (1, 3)) if step > 0 else
                       ((TOP, LOW + 1), (-1, -3)))
] + [
    Entry("Slice-of-a-shape-with-a-great-step", 5,
          "(float[N, 4, 5] x) => (float[M, P] y) <int64[1] s = {1}, "
          "int64[1] e = {9223372036854775807}, int64[1] a = {0}, int64[1] t = "
          "{9223372036854775807}, int64[1] w = {-1}> { d = Shape(x) "
          "c = Slice(d, s, e, a, t) r = Concat<axis = 0>(c, w) "
          "y = Reshape(x, r) }", sizes=[{"N": 2}, {"N": 3}],
          expected=lambda feed: [feed["x"].reshape(4, -1)]),
]


def diagonal(k, upper, dims, sizes=None):
    """NumPy wraps, too: a diagonal beyond the corners keeps all or nothing."""
    keeps_all = (k < 0) == bool(upper)
    return Entry(
        f"Trilu-{k}-{upper}-{dims}", 5,
        f"(float[{dims}, 3] x) => (float[{dims}, 3] y) <int64 k = {{{k}}}> "
        f"{{ y = Trilu<upper = {upper}>(x, k) }}", sizes=sizes,
        expected=lambda feed: [feed["x"] if keeps_all else 0 * feed["x"]])


TRILU = [diagonal(k, upper, dims, N013 if dims == "N" else None)
         for k in (TOP, TOP - 1, LOW, LOW + 1, 2**33, -2**33)
         for upper in (0, 1) for dims in (3, "N")]


def ranges(start, limit, delta, kind="int64"):
    dtype = np.dtype(kind)

    def expected(feed):
        count = max(0, -((limit - start) // -delta))
        return [np.array([start + i * delta for i in range(count)], dtype)]
    return Entry(
        f"Range-{kind}-{start}-{limit}-{delta}", 5,
        f"() => ({kind}[M] y) <{kind} s = {{{start}}}, {kind} l = {{{limit}}}, "
        f"{kind} d = {{{delta}}}> {{ y = Range(s, l, d) }}", expected=expected)


RANGES = [
    ranges(*ends) for ends in (
        (LOW, TOP, 2**62), (TOP, LOW, -2**62), (TOP - 3, TOP, 1),
        (LOW + 3, LOW, -1), (LOW, TOP, TOP), (TOP, LOW, LOW), (0, 5, TOP),
        (5, 0, LOW), (5, 0, TOP), (LOW, TOP, 2**52), (TOP, LOW, -2**52))
] + [ranges(-2**31, 2**31 - 1, 2**30, "int32"),
     ranges(2**31 - 1, -2**31, -2**20, "int32"),
     Entry("Range-to-a-size-by-a-great-step", 5,
           "(float[N, 2] x) => (int64[M] y) <int64 i = {0}, int64 s = {0}, "
           "int64 d = {9223372036854775807}> { a = Shape(x) l = Gather(a, i) "
           "y = Range(s, l, d) }", sizes=N013,
           expected=lambda feed: [np.zeros(min(1, len(feed["x"])), I64)])]

# What decides a shape is not made up.
DIVISORS = [
    Entry(f"{op}-of-a-shape-by-0", 5,
          f"(float[N, 4] x) => (float[M, P] y) <int64[2] z = {{0, 1}}> "
          f"{{ d = Shape(x) r = {op}(d, z) y = Reshape(x, r) }}",
          sizes=[{"N": 3}], rejected=True)
    for op in ("Div", "Mod")
] + [
    Entry(f"{op}-of-constants-by-0", 5,
          f"(float[3, 4] x) => (float[M, P] y) <int64[2] d = {{3, 4}}, "
          f"int64[2] z = {{0, 1}}> {{ r = {op}(d, z) y = Reshape(x, r) }}",
          rejected=True)
    for op in ("Div", "Mod")
] + [
    Entry(f"{op}-of-a-shape-by-a-size-of-0{'-by-run' if by_run else ''}", 5,
          "(float[N, 4] x, float[E] e) => (float[M, P] y) "
          f"{{ d = Shape(x) n = Shape(e) r = {op}(d, n) y = Reshape(x, r) }}",
          sizes=[{"N": 3, "E": 0}], rejected=True, by_run=by_run)
    for op in ("Div", "Mod") for by_run in (False, True)
] + [
    Entry("Div-of-nothing-by-0", 5,
          "(float[3] x) => (float[M] y, int64[0] q) <int64[0] d = {}, "
          "int64[1] z = {0}> { q = Div(d, z) y = Neg(x) }",
          expected=lambda feed: [-feed["x"], np.zeros(0, I64)]),
]

POSITIONS = [
    Entry(f"Gather-at-{at}-of-{dims}", 5,
          f"(float[{dims}, 2] x) => (float[2] y) <int64 i = {{{at}}}> "
          "{ y = Gather(x, i) }", sizes=[{"N": 3}] if dims == "N" else None,
          rejected=True)
    for at in (TOP, LOW, 2**62) for dims in (3, "N")
] + [
    Entry(f"EyeLike-{k}", 5, f"(float[N, 3] x) => (float[N, 3] y) "
          f"{{ y = EyeLike<k = {k}>(x) }}", sizes=N013,
          expected=lambda feed: [0 * feed["x"]])
    for k in (TOP, LOW + 1)
] + [
    Entry("OneHot-at-the-ends", 5, "(int64[4] i) => (float[4, 3] y) "
          "<int64 d = {3}, float[2] v = {0, 1}> { y = OneHot(i, d, v) }",
          data={"i": [TOP, LOW, -1, 2]},
          expected=lambda feed: [np.array(
              [[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 1]], np.float32)]),
]

# Sizes that no tensor has are an error, not a crash, and not without end.
SIZES = [
    Entry(f"{name}-of-a-size-at-the-end", 5, text, rejected=True,
          sizes=[{"N": 3}], opset=18)
    for name, text in (
        ("Expand", "(float[N, 2] x) => (int64[A, B] y) <int64[2] s = "
         "{2, 9223372036854775807}, int64[1] i = {0}> { d = Shape(x) "
         "e = Gather(d, i) y = Expand(e, s) }"),
        ("Expand-negative", "(float[N, 2] x) => (int64[A] y) <int64[1] s = "
         "{-5}, int64[1] i = {0}> { d = Shape(x) e = Gather(d, i) "
         "y = Expand(e, s) }"),
        ("ConstantOfShape", "(float[N] x) => (float[A, B] y) <int64[2] s = "
         "{9223372036854775807, 2}> { y = ConstantOfShape(s) }"),
        ("Tile", "(float[N, 2] x) => (float[A, B] y) <int64[2] r = "
         "{9223372036854775807, 3}> { y = Tile(x, r) }"),
        ("Pad", "(float[N, 2] x) => (float[A, B] y) <int64[4] p = "
         "{9223372036854775807, 0, 9223372036854775807, 0}> "
         "{ y = Pad(x, p) }"),
        ("Pad-low", "(float[N, 2] x) => (float[A, B] y) <int64[4] p = "
         "{-9223372036854775807, 0, 0, 0}> { y = Pad(x, p) }"),
        ("Reshape", "(float[N, 2] x) => (float[A, B] y) <int64[2] s = "
         "{9223372036854775807, 9223372036854775807}> { y = Reshape(x, s) }"),
        ("Split", "(float[N, 2] x) => (float[A, B] y, float[C, D] z) "
         "<int64[2] s = {9223372036854775807, 9223372036854775807}> "
         "{ y, z = Split<axis = 0>(x, s) }"),
        ("CenterCropPad", "(float[N, 2] x) => (float[A, B] y) <int64[2] s = "
         "{9223372036854775807, 2}> { y = CenterCropPad(x, s) }"),
        ("MaxPool", "(float[1, 1, N] x) => (float[1, 1, A] y) { y = MaxPool"
         "<kernel_shape = [2], pads = [9223372036854775807, "
         "9223372036854775807]>(x) }"),
        ("Col2Im", "(float[1, 4, N] x) => (float[1, 1, A, B] y) <int64[2] i = "
         "{2, 2}, int64[2] k = {2, 2}> { y = Col2Im<dilations = "
         "[9223372036854775807, 9223372036854775807]>(x, i, k) }"),
        ("Pow", "(float[N, 2] x) => (float[A, B] y) <int64[1] e = {67108864}> "
         "{ d = Shape(x) r = Pow(d, e) y = Reshape(x, r) }"),
        ("Conv", "(float[1, 1, N] x, float[1, 1, 2] w) => (float[1, 1, A] y) "
         "{ y = Conv<dilations = [9223372036854775807]>(x, w) }"),
    )
]


def power(name, base, exponent, expected, data):
    """x^y of inputs, then y as a constant."""
    x, y = data
    dtypes = {"float": np.float32, "float16": np.float16, "double": float}
    dtype = np.dtype(dtypes.get(base, base))
    yield Entry(f"Pow-{name}", 6, f"({base}[{len(x)}] x, {exponent}[{len(y)}] y)"
                f" => ({base}[{len(x)}] z) {{ z = Pow(x, y) }}",
                data={"x": x, "y": y},
                expected=lambda feed: [np.array(expected, dtype)])
    if base != "float16":
        yield Entry(f"Pow-{name}-constant", 6,
                    f"({base}[{len(x)}] x) => ({base}[{len(x)}] z) <{exponent}"
                    f"[{len(y)}] y = {{{', '.join(map(str, y))}}}> "
                    "{ z = Pow(x, y) }", data={"x": x},
                    expected=lambda feed: [np.array(expected, dtype)])


def modular(x, y, bits):
    """Integers' powers modulo 2^bits, as signed numbers."""
    value = pow(x, y, 2**bits)
    return value - 2**bits if value >= 2**(bits - 1) else value


ODD, EVEN = 2**24 + 1, 2**24 + 2
ENDS = ([-1, -1, 1, -1, -1, -2], [TOP, TOP - 1, TOP, LOW, LOW + 1, 3],
        [-1, 1, 1, 1, -1, -8])
LONG = ([3, 3, -3, 2, 1, -1, 2, 5, -1, 0],
        [2**31 + 1, 2**40 + 3, 2**33 + 1, 2**31, -2**40, -2**40 - 1, 63,
         TOP, TOP, 0])
POWERS = [
    entry for parts in (
        ("f32-i32", "float", "int32", [-1, 1, -1, 1, 1024, .25],
         ([-1, -1, -1, 1, 2, -2], [ODD, EVEN, -ODD, ODD, 10, -2])),
        ("f32-u32", "float", "uint32", [-1, 1, -8],
         ([-1, -1, -2], [2**32 - 1, 2**32 - 2, 3])),
        ("f32-i64", "float", "int64", ENDS[2], ENDS[:2]),
        ("f64-i64", "double", "int64", ENDS[2], ENDS[:2]),
        ("f64-u64", "double", "uint64", [-1, 1, -8],
         ([-1, -1, -2], [2**64 - 1, 2**64 - 2, 3])),
        ("f16-i32", "float16", "int32", [-1, 1, -8],
         ([-1, -1, -2], [ODD, EVEN, 3])),
        ("f16-i64", "float16", "int64", ENDS[2], ENDS[:2]),
        ("f32-f64", "float", "double", [-1, 1, np.sqrt(np.float32(2)), np.inf],
         ([-1, -1, 2, 2], [ODD, EVEN, .5, 1e300])),
        ("i64-i64", "int64", "int64",
         [modular(x, y, 64) if y >= 0 else x**(y % 2)
          for x, y in zip(*LONG)], LONG),
        ("i32-i64", "int32", "int64",
         [modular(x, y, 32) if y >= 0 else x**(y % 2)
          for x, y in zip(*LONG)], LONG),
        ("i64-u32", "int64", "uint32", [modular(3, 2**32 - 1, 64), -1, 0],
         ([3, -1, 2], [2**32 - 1, 2**32 - 1, 2**31])),
        ("i32-i32", "int32", "int32", [0, 0, 1, -1, 1, 243],
         ([2**31 - 1, 1 - 2**31, -1, -1, 1, 3], [-1, -1, -2, -3, -5, 5])),
        ("i64-i32", "int64", "int32", [0, 0, 3**31],
         ([TOP, -TOP, 3], [-1, -2, 31])),
    ) for entry in power(*parts)
] + [
    Entry("Pow-of-a-float-near-1", 6, "(double[2] x, int64[2] y) => "
          "(double[2] z) { z = Pow(x, y) }",
          data={"x": [1 + 2.**-52, 1 - 2.**-53],
                "y": [2**61 + 2**51 + 1023, 2**62 + 2**52 + 1023]},
          expected=lambda feed: [np.array(
              [np.exp(np.longdouble(int(y)) * np.log1p(np.longdouble(d)))
               for y, d in zip(feed["y"], (2.**-52, -2.**-53))], float)]),
]
OPERANDS = [
    Entry("Mod-of-great-integers", 6, "(int64[4] x, int64[4] y) => "
          "(int64[4] z) { z = Mod(x, y) }",
          data={"x": [TOP, LOW, LOW, 2**53 + 1], "y": [2, 3, -1, 2]},
          expected=lambda feed: [np.array([1, 1, 0, 1])]),
    Entry("Mod-fmod-of-great-integers", 6, "(int64[4] x, int64[4] y) => "
          "(int64[4] z) { z = Mod<fmod = 1>(x, y) }",
          data={"x": [TOP, LOW, LOW, 2**53 + 1], "y": [2, 3, -7, -2]},
          expected=lambda feed: [np.array([1, -2, -1, 1])]),
    Entry("BitShift-by-great-counts", 6, "(uint64[3] x, uint64[3] y) => "
          "(uint64[3] z) { z = BitShift<direction = \"RIGHT\">(x, y) }",
          data={"x": [2**64 - 1] * 3, "y": [63, 64, 2**64 - 1]},
          expected=lambda feed: [np.array([1, 0, 0], np.uint64)]),
    Entry("Clip-of-great-integers", 6, "(int64[4] x) => (int64[4] z) "
          "<int64 a = {-9007199254740993}, int64 b = {9007199254740993}> "
          "{ z = Clip(x, a, b) }",
          data={"x": [TOP, LOW, 2**53 + 1, -2**53 - 2]}),
    Entry("PRelu-of-great-integers", 6, "(int64[3] x, int64[3] s) => "
          "(int64[3] z) { z = PRelu(x, s) }",
          data={"x": [TOP, LOW + 1, -2**53 - 1], "s": [3, -1, 1]},
          expected=lambda feed: [np.array([TOP, TOP, -2**53 - 1])]),
    Entry("compared-great-integers", 6, "(int64[3] x, int64[3] y) => "
          "(bool[3] a, bool[3] b, bool[3] c) { a = Less(x, y) "
          "b = Greater(x, y) c = Equal(x, y) }",
          data={"x": [2**53, TOP, LOW], "y": [2**53 + 1, TOP - 1, LOW]}),
    Entry("compared-great-unsigned-constant", 6, "(float[N] x) => (bool[1] y) "
          "<uint64[1] c = {9223372036854775813}> { d = Shape(x) "
          "u = Cast<to = 13>(d) y = Less(u, c) }", sizes=[{"N": 3}],
          expected=lambda feed: [np.array([True])]),
]

BODY = ("body = b (int64 i, bool c, float[K] s) => (bool d, float[K] t, "
        "float[K, 2] u) <int64[2] z = {0, 1}, int64[1] o = {1}> "
        "{ d = Identity(c) t = Neg(s) v = Unsqueeze(t, o) "
        "u = Concat<axis = 1>(v, v) }")
SCAN = ("body = b (float[K] s, float[K] v) => (float[K] t, float[K] u, "
        "float[1, K] w) <int64[1] z = {0}> { t = Add(s, v) u = Neg(t) "
        "w = Unsqueeze(t, z) }")


def scan(name, axes, sizes, shape, result, more=""):
    return Entry(
        f"Scan-of-nothing-{name}", 8,
        f"(float[K] s, float[{shape}] x) => (float[K] t, float[A, B] u, "
        "float[C, D, E] w) { t, u, w = Scan<num_scan_inputs = 1, "
        f"scan_input_axes = [{axes}]{more}, {SCAN}>(s, x) }}", sizes=sizes,
        expected=lambda feed: [feed["s"]] + [
            np.zeros([len(feed["s"]) if d == "K" else d for d in dims],
                     np.float32) for dims in result])


NONE = [
    Entry("Loop-of-no-iterations", 8, "(float[K] s) => (float[K] t, "
          "float[A, B, C] u) <int64 n = {0}, bool c = {1}> "
          f"{{ t, u = Loop<{BODY}>(n, c, s) }}", sizes=[{"K": 3}, {"K": 0}],
          expected=lambda feed: [feed["s"], np.zeros(
              (0, len(feed["s"]), 2), np.float32)]),
    Entry("Loop-whose-condition-is-false", 8, "(float[4] s) => (float[4] t, "
          "float[A, B, C] u) <int64 n = {5}, bool c = {0}> "
          f"{{ t, u = Loop<{BODY}>(n, c, s) }}",
          expected=lambda feed: [feed["s"], np.zeros((0, 4, 2), np.float32)]),
    Entry("Loop-of-a-negative-count", 8, "(float[4] s) => (float[4] t, "
          "float[A, B, C] u) <int64 n = {-9223372036854775807}, bool c = {1}> "
          f"{{ t, u = Loop<{BODY}>(n, c, s) }}",
          expected=lambda feed: [feed["s"], np.zeros((0, 4, 2), np.float32)]),
    Entry("Loop-of-no-iterations-that-is-read", 8, "(float[3] s) => "
          "(float[2] y) <int64 n = {0}, bool c = {1}, int64[2] a = {0, 1}> "
          f"{{ t, u = Loop<{BODY}>(n, c, s) "
          "y = ReduceSum<keepdims = 0>(u, a) }",
          expected=lambda feed: [np.zeros(2, np.float32)]),
    Entry("Loop-of-no-iterations-of-integers", 8, "(int64[2] s) => "
          "(int64[2] t, int64[A] u, bool[B] w) <int64 n = {0}, bool c = {1}> "
          "{ t, u, w = Loop<body = b (int64 i, bool c, int64[2] s) => "
          "(bool d, int64[2] v, int64 j, bool e) { d = Identity(c) "
          "v = Add(s, s) j = Identity(i) e = Not(c) }>(n, c, s) }",
          expected=lambda feed: [feed["s"], np.zeros(0, I64),
                                 np.zeros(0, bool)]),
    scan("static", "0", [{"K": 3}, {"K": 1}], "0, K",
         [[0, "K"], [0, 1, "K"]]),
    scan("inner", "1", [{"K": 3}, {"K": 0}], "K, 0",
         [["K", 0], [1, "K", 0]], ", scan_output_axes = [1, -1]"),
    scan("backwards", "0", [{"K": 3}], "0, K", [[0, "K"], [1, 0, "K"]],
         ", scan_output_axes = [0, 1], scan_input_directions = [1], "
         "scan_output_directions = [1, 1]"),
]


def lengths(name, values, expected=None, kind="data", time=3):
    given = ", int32[2] n" if kind == "data" else ""
    constant = "" if kind == "data" else \
        f"<int32[2] n = {{{', '.join(map(str, values))}}}> "
    return Entry(
        f"{name}-{kind}", 9, f"(float[{time}, 2, 2] x, float[1, 2, 2] w, "
        f"float[1, 2, 2] r, float[1, 2, 2] h{given}) => "
        f"(float[{time}, 1, 2, 2] y, float[1, 2, 2] z) {constant}"
        "{ y, z = RNN<hidden_size = 2>(x, w, r, , n, h) }",
        data={"n": values} if kind == "data" else {},
        sizes=[{"T": 2}] if time == "T" else None,
        rejected=expected is None, expected=expected)


def recurrence(used):
    def expected(feed):
        x, w, r, h = (feed[name] for name in "xwrh")
        state, outputs = h[0].copy(), np.zeros((len(x), 1, 2, 2), np.float32)
        state[np.array(used) == 0] = 0
        for t in range(len(x)):
            for n in range(2):
                if t < used[n]:
                    state[n] = np.tanh(x[t, n] @ w[0].T + state[n] @ r[0].T)
                    outputs[t, 0, n] = state[n]
        return [outputs, state[None]]
    return expected


def reversals(name, values, used, kind="data", size=4):
    given = ", int64[3] n" if kind == "data" else ""
    constant = "" if kind == "data" else \
        f"<int64[3] n = {{{', '.join(map(str, values))}}}> "

    def expected(feed):
        y = feed["x"].copy()
        for i, n in enumerate(used):
            y[:n, i] = y[:n, i][::-1]
        return [y]
    return Entry(
        f"ReverseSequence-{name}-{kind}", 9, f"(float[{size}, 3] x{given}) => "
        f"(float[{size}, 3] y) {constant}{{ y = ReverseSequence(x, n) }}",
        data={"n": values} if kind == "data" else {},
        sizes=[{"T": 2}] if size == "T" else None,
        rejected=used is None, expected=expected if used else None)


OPEN = [
    lengths("RNN-lengths", [0, 3], recurrence([0, 3])),
    lengths("RNN-lengths", [0, 2], recurrence([0, 2]), "constant"),
    lengths("RNN-lengths-beyond", [-2, 7], recurrence([0, 3])),
    lengths("RNN-lengths-beyond", [1, 4], None, "constant"),
    lengths("RNN-lengths-negative", [1, -1], None, "constant"),
    reversals("lengths", [0, 4, 1], [0, 4, 1]),
    reversals("lengths-beyond", [7, -1, 3], [4, 0, 3]),
    reversals("lengths-at-the-ends", [TOP, LOW, 2**62], [4, 0, 4]),
    reversals("lengths-beyond", [4, 5, 1], None, "constant"),
    reversals("lengths-negative", [4, -1, 1], None, "constant"),
    reversals("lengths-beyond-at-run-time", [1, 3, 1], None, "constant", "T"),
    reversals("lengths-within-at-run-time", [1, 2, 0], [1, 2, 0], "constant",
              "T"),
    # ONNX Runtime rejects it; onnx's reference and NumPy reflect again.
    Entry("Pad-reflect-often", 9, "(float[N] x) => (float[M] y) "
          "<int64[2] p = {7, 9}> { y = Pad<mode = \"reflect\">(x, p) }",
          sizes=[{"N": 1}, {"N": 2}, {"N": 4}],
          expected=lambda feed: [np.pad(feed["x"], (7, 9), "reflect")]),
    Entry("ReduceSum-axes-from-both-ends", 9, "(float[2, 3, 4] x) => "
          "(float[4] y) <int64[2] a = {0, -2}> "
          "{ y = ReduceSum<keepdims = 0>(x, a) }"),
    Entry("ReduceSum-an-axis-twice", 9, "(float[2, 3] x) => (float[3] y) "
          "<int64[2] a = {0, -2}> { y = ReduceSum<keepdims = 0>(x, a) }"),
]


def log_sum_exp(kind, values, expected):
    return Entry(
        f"ReduceLogSumExp-{kind}-{values[0][0]}", 9,
        f"({kind}[{len(values)}, {len(values[0])}] x) => "
        f"({kind}[{len(values)}] y) <int64[1] a = {{1}}> "
        "{ y = ReduceLogSumExp<keepdims = 0>(x, a) }", opset=18,
        data={"x": values},
        expected=lambda feed: [np.array(expected, feed["x"].dtype)])


OPEN += [
    log_sum_exp("int32", [[1, 2, 3], [-7, -8, -9], [-1, -1, -1]], [3, -6, 0]),
    log_sum_exp("int32", [[2**31 - 1, -2**31], [-2**31, -2**31]],
                [2**31 - 1, -2**31 + 1]),
    log_sum_exp("int64", [[TOP - 1, TOP - 1, LOW], [2**53 + 1, 2**53, 0]],
                [TOP - 1, 2**53 + 1]),
    log_sum_exp("uint32", [[2**32 - 2, 2**32 - 2], [0, 0], [0, 1]],
                [2**32 - 2, 0, 1]),
    log_sum_exp("uint64", [[2**64 - 2, 0], [2**63, 2**63]],
                [2**64 - 2, 2**63]),
]

CASES = (SLICES + TRILU + RANGES + DIVISORS + POSITIONS + SIZES + POWERS +
         OPERANDS + NONE + OPEN)
