"""One result an element: arithmetic, conversions and functions."""

import numpy as np

from harness import bounds, numbers
from harness.case import (Launch, Scalar, ADA, HOPPER, changed, cuda, f32,
                          given, i32, output, packed)
from harness.compare import exact, near
from harness.numbers import directed, normal, wrap

SPECIAL = [0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 65504.0, -65504.0,
           6e-8, -6e-8, 6.1e-5, 2.0 ** -24, 1.5, 0.1, 2.0, -2.5]


@cuda("elementwise/add.cu")
def vector_add(random):
    a, b = normal(random, 1000), normal(random, 1000)
    return Launch(grid=8, block=128, arguments=[
        given(a), given(b), output("c", 1000, "f32"), i32(1000)],
        expected={"c": exact(a + b)})


@cuda("elementwise/add.cu")
def saxpy(random):
    x, y, a = normal(random, 5000), normal(random, 5000), np.float32(2.7)
    # NumPy 1 would multiply a scalar of f64 and an array of f32 in f32.
    value = np.float64(a) * x.astype(np.float64) + y
    # One rounding fused, two if not; the product's is of |a x|.
    bound = bounds.rounding(value, "f32") + bounds.rounding(a * x, "f32")
    return Launch(grid=3, block=256, arguments=[
        f32(a), given(x), changed("y", y), i32(5000)],
        expected={"y": near(value, bound)})


@cuda("elementwise/add.cu")
def strided_copy(random):
    x = random.standard_normal(1001)
    return Launch(grid=2, block=96, arguments=[
        given(x), output("y", 143, "f64"), Scalar("i64", 1001),
        Scalar("i64", 7)],
        expected={"y": exact(x[::7])})


@cuda("elementwise/add.cu")
def affine(random):
    x = normal(random, (200, 4))
    scale, shift = np.float32([1, 2, -3, 0.5]), np.float32([0, 1, 2, -1])
    value = np.minimum(x * np.float64(scale) + shift, 2)
    bound = 2 * bounds.rounding(np.abs(x * scale) + np.abs(shift), "f32")
    return Launch(grid=4, block=64, arguments=[
        given(x), output("y", (200, 4), "f32"),
        packed("4f4fh14x", *scale, *shift, 2), i32(200)],
        expected={"y": near(value, bound)})


@cuda("elementwise/add.cu")
def places(random):
    grid, block = (2, 3, 2), (8, 4, 3)
    w, h, d = (g * b for g, b in zip(grid, block))
    z, y, x = np.indices((d, h, w))
    thread = (z % 3 * 4 + y % 4) * 8 + x % 8
    value = x | y << 8 | z << 16 | thread % 32 << 24
    return Launch(grid, [output("out", (d, h, w), "u32")],
                  {"out": exact(wrap(value, "u32"))}, block)


def _pairs(random, dtype):
    """Two arrays of pairs: each special value with each, then normal ones."""
    a = np.repeat(SPECIAL, len(SPECIAL))
    b = np.tile(SPECIAL, len(SPECIAL))
    a = np.concatenate([a, random.standard_normal(256)])
    b = np.concatenate([b, random.standard_normal(256)])
    return numbers.pack(a, dtype), numbers.pack(b, dtype)


def _ieee_min(x, y):
    """NaN loses; -0 < +0."""
    smaller = (x < y) | ((x == y) & np.signbit(x)) | np.isnan(y)
    return np.where(smaller, x, y)


def _ieee_max(x, y):
    return -_ieee_min(-x, -y)


@cuda("elementwise/half.cu")
def half2_math(random):
    a, b = _pairs(random, "f16")
    x, y = a.astype(np.float64), b.astype(np.float64)
    nan = np.isnan(x) | np.isnan(y)
    total = np.nan_to_num(x + y, nan=0, posinf=np.inf, neginf=-np.inf)
    relu = x * y + x
    rows = [x * y + 1.5, np.clip(total, 0, 1), _ieee_min(x, y),
            np.where(nan, np.nan, _ieee_max(x, y)), x > y, np.abs(x) * -y,
            np.where(relu < 0, 0, relu),
            (x - y).reshape(-1, 2)[:, ::-1].reshape(-1)]
    pairs = a.size // 2
    return Launch(-(-pairs // 64), [
        given(a), given(b), output("out", (8, a.size), "f16"), i32(pairs)],
        {"out": exact(np.array(rows).astype(np.float16))}, 64)


@cuda("elementwise/half.cu")
def bf162_math(random):
    a, b = _pairs(random, "bf16")
    x, y = numbers.unpack(a, "bf16"), numbers.unpack(b, "bf16")
    mixed = np.stack([y[0::2], x[1::2]], -1).reshape(-1)
    rows = [x * y + y, x + y, _ieee_min(x, y), _ieee_max(x, y), x * y, mixed]
    pairs = a.size // 2
    return Launch(-(-pairs // 64), [
        given(a, "bf16"), given(b, "bf16"),
        output("out", (6, a.size), "bf16"), i32(pairs)],
        {"out": exact(numbers.to_bf16(np.array(rows)))}, 64)


@cuda("elementwise/half.cu")
def half_functions(random):
    x = np.abs(normal(random, 500, "f16")) + np.float16(0.01)
    v = x.astype(np.float64)
    rows = np.array([np.sqrt(v), 1 / v, np.exp2(v), np.log2(v), 3 / v,
                     np.rint(v)])
    # The header computes in f32 (or by ex2.approx.f16: 2^-9.9) and rounds.
    bound = bounds.ulps(rows, 1, "f16")
    bound[2] = rows[2] * 2.0 ** -9.9 + bounds.rounding(rows[2], "f16")
    bound[5] = 0
    return Launch(4, [given(x), output("out", (6, 500), "f16"), i32(500)],
                  {"out": near(rows, bound)}, 128)


@cuda("elementwise/half.cu")
def narrow(random):
    ties = np.float32([1 + 2.0 ** -11, 1 + 3 * 2.0 ** -11, 65519.9, 65520,
                       70000, -70000, 1 + 2.0 ** -8, 1 + 3 * 2.0 ** -8, 3e38,
                       3.4e38, 1e-40, 5.9e-8, 2.9e-8, -2.9e-8])
    x = np.concatenate([np.float32(SPECIAL), ties, normal(random, 470)])
    v = x.astype(np.float64)
    half = np.array([v.astype(np.float16)] +
                    [directed(v, "f16", m) for m in ("zero", "down", "up")])
    cut = np.where(np.isnan(v), 0x7fff, x.view(np.uint32) >> 16)
    return Launch(4, [
        given(x), output("h", (4, 500), "f16"), output("b", (2, 500), "bf16"),
        i32(500)],
        {"h": exact(half),
         "b": exact(np.array([numbers.to_bf16(v), cut.astype(np.uint16)]))},
        128)


@cuda("elementwise/convert.cu", targets=(ADA, HOPPER))
def float_to_f8(random):
    edges = np.concatenate([numbers.F8_VALUES[d] for d in numbers.F8_VALUES])
    middles = (edges[1:] + edges[:-1]) / 2
    x = np.concatenate([SPECIAL, edges, middles, [448.1, 464, 465, 61440, 1e9],
                        random.standard_normal(500) * 20]).astype(np.float32)
    x = x[~np.isnan(x)]  # The sign of a NaN's code is not specified.
    x = x[:x.size // 2 * 2]
    expected = {name: exact(numbers.to_f8(x, dtype)) for name, dtype in
                (("e4m3", "f8E4M3FN"), ("e5m2", "f8E5M2"))}
    return Launch(-(-x.size // 128), [
        given(x), output("e4m3", x.size, "f8E4M3FN"),
        output("e5m2", x.size, "f8E5M2"), i32(x.size // 2)], expected, 64)


@cuda("elementwise/convert.cu", targets=(ADA, HOPPER))
def f8_to_half(random):
    x = np.arange(256, dtype=np.uint8)
    values = {name: exact(numbers.F8_VALUES[dtype].astype(np.float16))
              for name, dtype in (("e4m3", "f8E4M3FN"), ("e5m2", "f8E5M2"))}
    return Launch(1, [given(x), output("e4m3", 256, "f16"),
                      output("e5m2", 256, "f16")], values, 128)


def _to_integer(values, dtype, rounding):
    """PTX §9.7.9.21: clamps; NaN is 0, or 2^(width-1) for 64 bits."""
    info = np.iinfo(numbers.STORAGE[dtype])

    def one(value):
        if np.isnan(value):
            return 1 << 63 if info.bits == 64 else 0
        if np.isinf(value):
            return info.max if value > 0 else info.min
        return min(max(int(rounding(value)), info.min), info.max)
    return wrap([one(value) for value in values.astype(np.float64)], dtype)


@cuda("elementwise/convert.cu")
def float_to_int(random):
    large = np.float32([2.0 ** 31, -2.0 ** 31, 2.0 ** 31 - 128, 2.0 ** 32,
                        2.0 ** 63, -2.0 ** 63, 2.0 ** 64, 0.5, 1.5, 2.5,
                        -0.5, 255.5, 256.5, -1e10, 1e30])
    x = np.concatenate([np.float32(SPECIAL), large, normal(random, 300) * 1e4])
    v = x.astype(np.float32)
    byte = _to_integer(v, "u32", np.rint) & np.uint32(255)
    rows = {
        "s": [_to_integer(v, "i32", r) for r in
              (np.rint, np.trunc, np.floor, np.ceil)],
        "u": [_to_integer(v, "u32", np.trunc), byte],
        "l": [_to_integer(v, "i64", np.rint),
              _to_integer(v, "u64", np.trunc).view(np.int64)]}
    return Launch(-(-v.size // 64), [
        given(v), output("s", (4, v.size), "i32"),
        output("u", (2, v.size), "u32"), output("l", (2, v.size), "i64"),
        i32(v.size)], {k: exact(np.array(r)) for k, r in rows.items()}, 64)


def _from_integer(values, dtype, mode):
    """Each exact integer to the format, by comparison of integers."""
    storage, rounded = numbers.STORAGE[dtype], []
    for value in values:
        near_value = storage(value)
        found = int(near_value)
        if mode == "zero" and abs(found) > abs(value):
            near_value = np.nextafter(near_value, storage(0))
        elif mode == "down" and found > value:
            near_value = np.nextafter(near_value, storage(-np.inf))
        elif mode == "up" and found < value:
            near_value = np.nextafter(near_value, storage(np.inf))
        rounded.append(near_value)
    return np.array(rounded, storage)


@cuda("elementwise/convert.cu")
def int_to_float(random):
    x = random.integers(-2 ** 63, 2 ** 63 - 1, 400)
    x[:200] >>= random.integers(0, 60, 200)
    x[200:206] = [0, 1, -1, 2 ** 63 - 1, -2 ** 63, 2 ** 24 + 1]
    signed = [int(v) for v in x]
    unsigned = [v % 2 ** 64 for v in signed]
    low = [int(v) for v in x.astype(np.int32)]
    third = x.astype(np.float64) / 3.0
    f = [_from_integer(signed, "f32", "near"),
         _from_integer(signed, "f32", "zero"),
         _from_integer(unsigned, "f32", "down"),
         _from_integer(low, "f32", "up"), directed(third, "f32", "down")]
    d = [_from_integer(signed, "f64", "zero"),
         (x & 0xffffffff).astype(np.float64)]
    return Launch(7, [
        given(x), output("f", (5, 400), "f32"), output("d", (2, 400), "f64"),
        i32(400)], {"f": exact(np.array(f)), "d": exact(np.array(d))}, 64)


@cuda("elementwise/math.cu", entry="directed")
def directed_rounding(random):
    a = normal(random, 600) * np.float32(2) ** random.integers(-9, 9, 600)
    b = normal(random, 600) * np.float32(2) ** random.integers(-9, 9, 600)
    a, b = a.astype(np.float32), b.astype(np.float32)
    x, y = a.astype(np.float64), b.astype(np.float64)
    rows = [directed(x + y, "f32", "zero"), directed(x + y, "f32", "up"),
            directed(x * y, "f32", "down"), x * y, x * y + 1,
            directed(x / y, "f32", "up"),
            directed(np.sqrt(np.abs(x)), "f32", "zero"),
            directed(1 / y, "f32", "down")]
    rows = np.array([np.float64(row).astype(np.float32) for row in rows])
    return Launch(5, [given(a), given(b), output("out", (8, 600), "f32"),
                      i32(600)], {"out": exact(rows)}, 128)


def _rows(values, errors, dtype):
    """Rows of values, and of bounds of `errors` units in the last place (0:
    correctly rounded) on top of the reference's own half."""
    values = np.array(values)
    bound = [bounds.ulps(row, error + 0.5, dtype)
             for row, error in zip(values, errors)]
    return near(values, np.array(bound, np.float64))


@cuda("elementwise/math.cu")
def functions(random):
    x = np.concatenate([np.float32([0, 1, -1, np.inf, -np.inf, np.nan, 1e-40,
                                    80, -80, 1e-6]),
                        normal(random, 490) * np.float32(3)])
    v, f = x.astype(np.longdouble), np.float32
    a = np.abs(v)
    # sin is of f32's v * 1e5; the remainder's fraction is an f32 too.
    far, hundred = (x * f(1e5)).astype(np.longdouble), x * f(100)
    erf = np.vectorize(__import__("math").erf)(x.astype(np.float64))
    rows = [np.exp(v), np.log(a), np.sin(far), np.cos(v), np.tanh(v), erf,
            a ** np.longdouble(f(1.7)), 1 / np.sqrt(a),
            np.arctan2(v, np.longdouble(0.5)), np.cbrt(v), np.log1p(a),
            np.fmod(hundred.astype(np.float64), np.float64(f(0.7)))]
    # CUDA C++ Programming Guide, mathematical functions: maximal ulp errors.
    errors = [1, 1, 2, 2, 2, 2, 4, 2, 3, 1, 1, 0]
    return Launch(8, [given(x), output("out", (12, 500), "f32"), i32(500)],
                  {"out": _rows(rows, errors, "f32")}, 64)


@cuda("elementwise/math.cu", options=["-use_fast_math"],
      entry="fast_functions")
def fast_math(random):
    return _fast(random)


@cuda("elementwise/math.cu")
def fast_functions(random):
    return _fast(random)


def _fast(random):
    """Bounds of PTX §9.7.3's .approx functions; with fast math, division and
    square root are such too."""
    x = normal(random, 500) * np.float32(1.5)
    x = np.where(np.abs(x) < 0.01, np.float32(0.5), x)
    v = x.astype(np.float64)
    a = np.abs(v)
    values = np.array([np.exp(v), np.log2(a), np.sin(v), np.cos(v), 1 / v,
                       np.tanh(v), np.sqrt(a), v / 3])
    bound = bounds.ulps(values, 3, "f32")
    # exp is ex2.approx of x * log2(e), which errs by two roundings.
    bound[0] += values[0] * 2 * bounds.UNIT["f32"] * a
    bound[1] += 2.0 ** -22 * np.maximum(np.abs(values[1]), 1)
    bound[2:4] += 2.0 ** -20.5
    bound[5] += np.abs(values[5]) * 2.0 ** -11
    bound[6] += np.abs(values[6]) * 2.0 ** -23
    return Launch(8, [given(x), output("out", (8, 500), "f32"), i32(500)],
                  {"out": near(values, bound)}, 64)


@cuda("elementwise/math.cu")
def double_functions(random):
    x = np.concatenate([[1.0, -1.0, 1e-300, 700.0, -700.0, np.inf, 0.0, 1e5],
                        random.standard_normal(392) * 5])
    v = x.astype(np.longdouble)
    a = np.abs(v)
    rows = [np.exp(v), np.log(a), np.sin(v), np.sqrt(a), 1 / v, v * v - 1,
            a ** np.longdouble(0.3), np.rint(x * 10.0), 1 / np.sqrt(a)]
    return Launch(5, [given(x), output("out", (9, 400), "f64"), i32(400)],
                  {"out": _rows(rows, [1, 1, 2, 0, 0, 0, 2, 0, 1], "f64")}, 80)


def _truncated(x, y):
    """C's quotient and remainder of Python integers."""
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return quotient, x - quotient * y


def _signed(value, bits):
    value &= (1 << bits) - 1
    return value - (value >> (bits - 1) << bits)


@cuda("elementwise/integer.cu")
def divide(random):
    a = random.integers(-2 ** 62, 2 ** 62, 300)
    b = random.integers(-2 ** 62, 2 ** 62, 300) >> random.integers(0, 60, 300)
    b[b == 0] = 3
    rows = [[] for _ in range(7)]
    for x, y in zip(map(int, a), map(int, b)):
        q, r = _truncated(x, y)
        x32, y32 = _signed(x, 32), _signed(y | 1, 32)
        x16, y16 = _signed(x, 16), _signed(y | 1, 16)
        mixed = _truncated(x, 7)[0] + _truncated(x32, 1000)[1] + x % 256 // 10
        for row, value in zip(rows, (
                q, r, x % 2 ** 64 // (y % 2 ** 64), _truncated(x32, y32)[0],
                x % 2 ** 32 % ((y | 1) % 2 ** 32),
                _signed(_truncated(x16, y16)[0], 16), mixed)):
            row.append(value)
    return Launch(3, [given(a), given(b), output("out", (7, 300), "i64"),
                      i32(300)], {"out": exact(wrap(rows, "i64"))}, 100)


@cuda("elementwise/integer.cu")
def widths(random):
    a = random.integers(-2 ** 31, 2 ** 31, 300).astype(np.int32)
    b = random.integers(-2 ** 31, 2 ** 31, 300).astype(np.int32)
    a[:3], b[:3] = [2 ** 31 - 1, -2 ** 31, 7], [1, -1, -9]
    x, y = a.astype(np.int64), b.astype(np.int64)
    i8, u8, i16, i32s, u32 = np.int8, np.uint8, np.int16, np.int32, np.uint32
    ux, uy = a.astype(u32).astype(np.uint64), b.astype(u32).astype(np.uint64)
    low24 = lambda v: (v << 40) >> 40
    rows = [(x + y).astype(i8), (x * y).astype(u8),
            (x - y).astype(i16).astype(np.int64) * y.astype(i16),
            np.minimum(np.maximum(x, -1000), y), (x * y) >> 32,
            (ux * uy >> np.uint64(32)).astype(np.int64)
            ^ (low24(x) * low24(y)).astype(u32).astype(np.int64),
            (x >> (y & 31)) + (ux >> (uy & np.uint64(31))).astype(np.int64),
            np.clip(x + y, -2 ** 31, 2 ** 31 - 1)]
    rows = np.array([np.asarray(row).astype(np.int64) for row in rows])
    return Launch(3, [given(a), given(b), output("out", (8, 300), "i32"),
                      i32(300)], {"out": exact(rows.astype(i32s))}, 100)
