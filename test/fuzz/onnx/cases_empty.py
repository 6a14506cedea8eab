"""Sizes of 0 that indices are divided by, or moved within. On the interpreter
these also say that no poison is used."""

from cases import Entry

UPDATES = [{"N": 0}, {"N": 2}]
BOTH = [{"N": n, "M": m} for n, m in ((0, 0), (0, 3), (2, 0), (2, 3))]


def empty(name, text, **more):
    return Entry(f"empty-{name}", 7, text, **more)


SCATTER = [
    empty("ScatterND", "(float[3, 2] x, int64[N, 1] i, float[N, 2] u) => "
          "(float[3, 2] y) { y = ScatterND(x, i, u) }", sizes=UPDATES,
          domain=(0, 2)),
    empty("ScatterND-two-dimensions-of-updates", "(float[3] x, "
          "int64[N, M, 1] i, float[N, M] u) => (float[3] y) "
          "{ y = ScatterND(x, i, u) }", sizes=BOTH, domain=(0, 2)),
    empty("ScatterND-static", "(float[3] x, int64[2, 0, 1] i, "
          "float[2, 0] u) => (float[3] y) { y = ScatterND(x, i, u) }",
          domain=(0, 2)),
    empty("ScatterND-read-further", "(float[3] x, int64[N, M, 1] i, "
          "float[N, M] u) => (float[3] y) { a = ScatterND(x, i, u) "
          "b = Neg(a) y = Add(b, x) }", sizes=BOTH, domain=(0, 2)),
    empty("ScatterND-narrow-indices-of-rows", "(float16[3, 2] x, "
          "int64[N, 2, 2] i, float16[N, 2] u) => (float16[3, 2] y) "
          "{ y = ScatterND(x, i, u) }", sizes=UPDATES, domain=(0, 1)),
] + [
    empty(f"{op}-{reduction}-{kind}", f"({kind}[3, 4] x, int64[N, M] i, "
          f"{kind}[N, M] u) => ({kind}[3, 4] y) {{ y = {op}<axis = 1, "
          f"reduction = \"{reduction}\">(x, i, u) }}", sizes=BOTH,
          domain=(0, 2), opset=18)
    for op in ("ScatterElements",)
    for kind, reduction in (("float", "none"), ("float", "add"),
                            ("float", "mul"), ("int32", "max"),
                            ("float16", "none"))
] + [
    empty(f"ScatterND-{reduction}", f"(float[3, 4] x, int64[N, M, 1] i, "
          f"float[N, M, 4] u) => (float[3, 4] y) {{ y = ScatterND<reduction = "
          f"\"{reduction}\">(x, i, u) }}", sizes=BOTH, domain=(0, 2), opset=18)
    for reduction in ("add", "mul", "min")
]

GATHER = [
    empty("Gather-nothing", "(float[3, M] x, int64[N] i) => (float[N, M] y) "
          "{ y = Gather(x, i) }", sizes=BOTH, domain=(0, 2)),
    empty("GatherElements-nothing", "(float[3, 3] x, int64[N, M] i) => "
          "(float[N, M] y) { y = GatherElements(x, i) }", sizes=BOTH,
          domain=(0, 2)),
    empty("GatherND-nothing", "(float[3, M] x, int64[N, 1] i) => "
          "(float[N, M] y) { y = GatherND(x, i) }", sizes=BOTH, domain=(0, 2)),
    empty("Tile-of-nothing", "(float[N, M] x) => (float[P, Q] y) "
          "<int64[2] r = {2, 3}> { y = Tile(x, r) }", sizes=BOTH),
    empty("Tile-no-times", "(float[N, M] x) => (float[P, Q] y) "
          "<int64[2] r = {0, 3}> { y = Tile(x, r) }", sizes=BOTH),
    empty("Reshape-of-nothing", "(float[N, M, 2] x) => (float[P, Q] y) "
          "{ a = Transpose<perm = [1, 0, 2]>(x) s = Shape(a) "
          "b = Neg(a) c = Flatten<axis = 2>(b) y = Exp(c) }", sizes=BOTH),
    empty("Concat-with-nothing", "(float[N, 2] x, float[M, 2] z) => "
          "(float[P, 2] y) { a = Concat<axis = 0>(x, z) y = Neg(a) }",
          sizes=BOTH),
    empty("Slice-of-nothing", "(float[N, 2] x) => (float[P, 2] y) "
          "<int64[1] s = {-1}, int64[1] e = {-9}, int64[1] a = {0}, "
          "int64[1] d = {-2}> { y = Slice(x, s, e, a, d) }", sizes=UPDATES),
    empty("OneHot-nothing", "(int64[N] x) => (float[N, 3] y) "
          "<int64 d = {3}, float[2] v = {0, 1}> { y = OneHot(x, d, v) }",
          sizes=UPDATES, domain=(0, 2)),
    empty("ReverseSequence-nothing", "(float[M, N] x, int64[N] n) => "
          "(float[M, N] y) { y = ReverseSequence(x, n) }",
          sizes=[{"N": 0, "M": 3}, {"N": 2, "M": 3}], domain=(1, 3)),
    empty("CumSum-of-nothing", "(float[N, M] x) => (float[N, M] y) "
          "<int64 a = {1}> { y = CumSum<reverse = 1>(x, a) }", sizes=BOTH),
    empty("Pad-of-nothing", "(float[N, 2] x) => (float[P, 2] y) "
          "<int64[4] p = {1, 0, 2, 0}> { y = Pad(x, p) }", sizes=UPDATES),
    empty("Where-nothing", "(bool[N, 1] c, float[N, M] x) => (float[N, M] y) "
          "{ z = Neg(x) y = Where(c, x, z) }", sizes=BOTH),
    empty("DepthToSpace-nothing", "(float[N, 4, M, 2] x) => "
          "(float[N, 1, P, 4] y) { y = DepthToSpace<blocksize = 2>(x) }",
          sizes=BOTH),
    empty("sum-read-by-nothing", "(float[1, 3, 1] x, float[0] z) => "
          "(float[1, 1, 0] y, float[1, 1, 1] w) <int64[3] a = {0, 1, 2}> "
          "{ s = ReduceSum(x, a) y = Sub(z, s) w = Neg(s) }"),
    empty("rows-of-nothing-static", "(float[3, 0] x) => (float[3, 0] y, "
          "float[3, 1] z) { y = Softmax(x) z = ReduceSumSquare<axes = [1]>(x) "
          "}"),
    empty("product-of-parts-of-nothing", "(float[1, 0, 2] a, float[1, 0, 2] b"
          ", float[2, 0, 2] x) => (float[2, 0, 2] y, float[1, 2] z) "
          "<int64[1] s = {1}> { c = Concat<axis = 0>(a, b) y = Mul(x, c) "
          "z = ReduceSum<keepdims = 0>(a, s) }"),
    empty("product-with-an-empty-part", "(float[2, 2] a, float[0, 2] b, "
          "float[2, 2] x) => (float[2, 2] y) "
          "{ c = Concat<axis = 0>(a, b) d = Neg(c) y = Mul(x, d) }"),
    empty("softmax-of-nothing", "(float[N, M] x) => (float[N, M] y) "
          "{ y = Softmax(x) }", sizes=BOTH),
]

CASES = SCATTER + GATHER
