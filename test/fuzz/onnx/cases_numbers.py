"""Named cases of floats that become integers or indices, and of exact
coordinates. Expected values are computed here: what ONNX leaves open is defined
by docs/onnx.md."""

import numpy as np

import exact_resize
from cases import Entry

NAN, INF = np.nan, np.inf
SPECIAL = [NAN, INF, -INF, 1e30, -1e30, 3e19, -3e19, 9.3e18, -9.3e18, 5e9,
           -5e9, 2147483648., -2147483648., 70000., -70000., 300.7, -300.7,
           1.9, -1.9, 0.]
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64",
            "uint64")


def integers_of(values, dtype):
    """NaN is 0; the nearest number of 32 bits, or 64 for unsigned types; its
    low bits."""
    info = np.iinfo(dtype)
    unsigned = info.min == 0
    wide = np.iinfo(np.int64 if unsigned or info.bits == 64 else np.int32)
    found = []
    for value in np.asarray(values, np.float64).ravel():
        if np.isnan(value):
            number = 0
        elif np.isinf(value):
            number = wide.max if value > 0 else wide.min
        else:
            number = int(value)
        if info.bits == 64 and unsigned and number > 0:
            number = min(int(value), info.max) if np.isfinite(value) else \
                info.max
        else:
            number = min(max(number, wide.min), wide.max)
        found.append(number % (1 << info.bits))
    unsigned_type = np.dtype(f"uint{info.bits}")
    return np.array(found, unsigned_type).view(dtype).reshape(
        np.shape(values))


def casts(name, kind):
    """A Cast of the same numbers to each type of integers."""
    outputs = ", ".join(f"{to}[{len(SPECIAL)}] y{i}"
                        for i, to in enumerate(INTEGERS))
    nodes = " ".join(f"y{i} = Cast<to = {code}>(x)"
                     for i, code in enumerate((3, 2, 5, 4, 6, 12, 7, 13)))
    return Entry(name, 4, f"({kind}[{len(SPECIAL)}] x) => ({outputs}) "
                 f"{{ {nodes} }}", data={"x": SPECIAL}, opset=21,
                 expected=lambda feed: [integers_of(feed["x"], np.dtype(to))
                                        for to in INTEGERS])


def quantized(feed, dtype, zero):
    info = np.iinfo(dtype)
    x = np.asarray(feed["x"], np.float32)
    return np.clip(np.rint(np.where(np.isnan(x), 0, x)) + zero, info.min,
                   info.max).astype(dtype)


def quantizations():
    kinds = (("int8", -3), ("uint8", 7), ("int16", -9), ("uint16", 11))
    outputs = ", ".join(f"{kind}[{len(SPECIAL)}] y{i}"
                        for i, (kind, _) in enumerate(kinds))
    constants = ", ".join(f"{kind} z{i} = {{{zero}}}"
                          for i, (kind, zero) in enumerate(kinds))
    nodes = " ".join(f"y{i} = QuantizeLinear(x, s, z{i})"
                     for i in range(len(kinds)))
    return Entry("QuantizeLinear-special", 4, f"(float[{len(SPECIAL)}] x) => "
                 f"({outputs}) <float s = {{1}}, {constants}> {{ {nodes} }}",
                 data={"x": SPECIAL}, opset=21, expected=lambda feed: [
                     quantized(feed, np.dtype(kind), zero)
                     for kind, zero in kinds])


GRID = [NAN, INF, -INF, 1e30, -1e30, 3e19, -3e19, 2e9, -2e9, -1., 1., 0.]


def grid_element(value, length):
    """The nearest element of a coordinate, kept at the border."""
    if np.isnan(value):
        return 0
    with np.errstate(over="ignore"):
        place = (np.float32(value) + np.float32(1)) * np.float32(length)
        place = (place - np.float32(1)) * np.float32(.5)
    return int(np.clip(np.rint(place), 0, length - 1))


def grid_sample(name, shape, way="", data="float", sizes=None):
    """Special numbers along each dimension of one image."""
    def expected(feed):
        x = feed["x"]
        columns = [grid_element(v, x.shape[3]) for v in GRID]
        rows = [grid_element(v, x.shape[2]) for v in GRID]
        middle = [grid_element(0., n) for n in x.shape[2:]]
        return [np.stack([x[:, :, middle[0], columns],
                          x[:, :, rows, middle[1]]], 2)]
    grid = [[[[v, 0] for v in GRID], [[0, v] for v in GRID]]]
    return Entry(name, 4, f"({data}[1, 2, {shape}] x, float[1, 2, 12, 2] g) "
                 f"=> ({data}[1, 2, 2, 12] y) {{ y = GridSample<mode = "
                 f"\"nearest\", padding_mode = \"border\"{way}>(x, g) }}",
                 data={"g": grid}, opset=20, sizes=sizes, expected=expected)


def nearest(name, length, other, mode, rounding, element, value):
    """One element of a resized line of its own indices, by a size or by a
    scale."""
    way = f"<coordinate_transformation_mode = \"{mode}\", nearest_mode = " \
          f"\"{rounding}\">"
    if isinstance(other, int):
        constant, inputs = f"int64[1] s = {{{other}}}", "x, , , s"
    else:
        constant, inputs = f"float[1] s = {{{other}}}", "x, , s"
    return Entry(name, 2, f"(float[{length}] x) => (float[1] y) <{constant}, "
                 f"int64[1] i = {{{element}}}> "
                 f"{{ r = Resize{way}({inputs}) y = Gather(r, i) }}",
                 data={"x": np.arange(length)}, opset=19,
                 expected=lambda feed: [np.array([value], np.float32)])


def resize(name, text, attributes, sizes=None, **more):
    """A Resize of x as `text` declares it, with constants and operands."""
    shape, constants, operands = text.split(" | ")
    listed = ", ".join(f"{key} = \"{value}\"" if isinstance(value, str) else
                       f"{key} = {value}" for key, value in attributes.items())
    way = f"<{listed}>" if listed else ""
    return Entry(name, 2, f"({shape} x) => ({more.pop('y', shape)} y) "
                 f"<{constants}> {{ y = Resize{way}({operands}) }}",
                 sizes=sizes, opset=19, **more)


# ONNX Runtime has no cubic weights for bytes.
BYTES = {"mode": "cubic"}
CHECKER = np.indices((1, 1, 4, 4)).sum(0) % 2 * 255

# Where ONNX Runtime's result is another one (ort_faults.py has no rule).
RESIZES = [
    nearest("Resize-20-6", 20, 6, "half_pixel", "round_prefer_ceil", 4, 15),
    nearest("Resize-26-64", 26, 64, "asymmetric", "floor", 32, 13),
    nearest("Resize-7-by-1.5", 7, 1.5, "half_pixel_symmetric", "floor", 3, 2),
    resize("Resize-by-0.7-symbolic", "float[N] | float[1] s = {0.7} | x, , s",
           {}, [{"N": 10}, {"N": 20}, {"N": 9}], y="float[M]"),
    resize("Resize-by-1.3-keeps-2", "float[1, 1, 2] | "
           "float[3] s = {1, 1, 1.3} | x, , s",
           {"mode": "linear"}),
    resize("Resize-align-corners-by-0.75", "float[1, 1, 9, 7] | "
           "float[4] s = {1, 1, 0.75, 1.3} | x, , s",
           {"mode": "linear",
            "coordinate_transformation_mode": "align_corners"},
           y="float[1, 1, 6, 9]"),
    resize("Resize-align-corners-by-0.7-symbolic", "float[N] | "
           "float[1] s = {0.7} | x, , s",
           {"coordinate_transformation_mode": "align_corners"},
           [{"N": 10}, {"N": 33}, {"N": 64}], y="float[M]"),
    resize("Resize-not-larger-one-unchanged", "float[1, 1, 4, 4] | "
           "int64[2] s = {4, 8} | x, , , s",
           {"axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"}),
    resize("Resize-not-smaller-from-the-end", "float[1, 1, 4, 6] | "
           "int64[2] s = {6, 8} | x, , , s",
           {"axes": [-2, -1], "keep_aspect_ratio_policy": "not_smaller",
            "mode": "linear"}, y="float[1, 1, 6, 9]"),
    resize("Resize-antialias-bytes", "uint8[1, 1, 8, 8] | "
           "int64[4] s = {1, 1, 4, 4} | x, , , s",
           {"mode": "linear", "antialias": 1}, y="uint8[1, 1, 4, 4]"),
    resize("Resize-cubic-bytes", "uint8[1, 1, 4, 4] | "
           "int64[4] s = {1, 1, 8, 8} | x, , , s", BYTES,
           y="uint8[1, 1, 8, 8]", data={"x": CHECKER},
           expected=lambda feed: [exact_resize.compute(
               "Resize", BYTES, [feed["x"], None, None,
                                 np.array([1, 1, 8, 8])], 19)]),
    resize("Resize-of-nothing", "float[1, 1, 0, 4] | "
           "int64[4] s = {1, 1, 3, 4} | x, , , s", {}, rejected=True,
           y="float[1, 1, 3, 4]"),
    resize("Resize-of-nothing-symbolic", "float[1, 1, H, 4] | "
           "int64[4] s = {1, 1, 3, 4} | x, , , s", {}, [{"H": 0}],
           rejected=True, y="float[1, 1, 3, 4]"),
    resize("Resize-exclude-outside-symbolic", "float[1, 1, H, W] | "
           "int64[4] s = {1, 1, 5, 9} | x, , , s",
           {"mode": "cubic", "exclude_outside": 1},
           [{"H": 4, "W": 4}, {"H": 7, "W": 3}], y="float[1, 1, 5, 9]"),
]

def far(shape):
    """Numbers of a mean a million times above their spread."""
    count = int(np.prod(shape))
    return (1e6 + np.arange(count) * 7 % 5 % 2 / 16).reshape(shape)


def normalization(name, node, shape, axes, *constants, epsilon=1e-5):
    """The expected values are those of 64 bits."""
    def expected(feed):
        x = feed["x"].astype(np.float64)
        y = x - x.mean(axes, keepdims=True)
        variance = (y * y).mean(axes, keepdims=True)
        return [(y / np.sqrt(variance + epsilon)).astype(np.float32)]
    dims = ", ".join(map(str, shape))
    return Entry(f"{name}-far-from-0", 0, f"(float[{dims}] x) => "
                 f"(float[{dims}] y) <{', '.join(constants)}> "
                 f"{{ y = {node} }}", data={"x": far(shape)}, opset=21,
                 expected=expected)


ONES = "float[2] one = {1, 1}, float[2] zero = {0, 0}"
NORMS = [
    normalization("LayerNormalization", "LayerNormalization(x, one)", (3, 40),
                  1, "float[1] one = {1}"),
    normalization("InstanceNormalization", "InstanceNormalization"
                  "(x, one, zero)", (2, 2, 5, 9), (2, 3), ONES),
    normalization("GroupNormalization", "GroupNormalization<num_groups = 2>"
                  "(x, one, zero)", (2, 2, 5, 9), (2, 3), ONES),
    normalization("MeanVarianceNormalization", "MeanVarianceNormalization(x)",
                  (3, 2, 5, 9), (0, 2, 3), "float[1] one = {1}",
                  epsilon=0),
]

CASES = RESIZES + NORMS + [
    casts("Cast-special-float", "float"),
    casts("Cast-special-double", "double"),
    quantizations(),
    grid_sample("GridSample-special", "5, 7"),
    grid_sample("GridSample-special-double", "5, 7", data="double"),
    grid_sample("GridSample-special-symbolic", "H, W",
                sizes=[{"H": 5, "W": 7}, {"H": 3, "W": 4}]),
    Entry("OneHot-special", 4, "(float[4] x) => (float[4, 3] y) "
          "<int64 d = {3}, float[2] v = {0, 1}> { y = OneHot(x, d, v) }",
          data={"x": [NAN, 1e30, -1e30, -1]}, expected=lambda feed: [
              np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 1]],
                       np.float32)]),
    Entry("HannWindow-of-one", 4, "(int64[1] x) => (int32[1] y, int64[1] z) "
          "<int64 n = {1}> { y = HannWindow<periodic = 0, output_datatype = 6>"
          "(n) z = Neg(x) }", data={"x": [1]}, expected=lambda feed: [
              np.array([0], np.int32), np.array([-1])]),
    Entry("ReduceLogSum-of-zeros", 4, "(int32[2, 3] x) => (int32[2] y) "
          "<int64[1] a = {1}> { y = ReduceLogSum<keepdims = 0>(x, a) }",
          data={"x": [[0, 0, 0], [1, 0, -3]]}, opset=18,
          expected=lambda feed: [np.array([-2**31, 0], np.int32)]),
]
