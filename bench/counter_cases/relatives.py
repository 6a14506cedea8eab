"""Relatives of the known families, which no pattern of the compiler was made
for. One case each."""

import numpy
import scipy.special

from . import relative_kernels as kernels
from .cases import Family
from .families import of_rows, parse_cases, total

COLUMN = lambda shape: (shape[0], 1)
ROWS = lambda shape: shape[:1]
AXIS = "a = Constant <value_ints = [1]> () "
WIDEN = "f = Cast <to = 1> (x) "


def centered(x, axis=-1):
    x = x.astype(float)
    return x - x.mean(axis, keepdims=True)


def plane_norm(x, w):
    d = centered(x, (1, 2))
    variance = numpy.mean(d**2, (1, 2), keepdims=True)
    return d / numpy.sqrt(variance + 1e-5) * w


def l1_norm(x):
    return x / (total(numpy.abs(x), 1)[:, None] + 1e-6)


def margin(x):
    x = x.astype(float)
    return numpy.maximum(x - x.max(1, keepdims=True) + 1, 0).mean(1)


FAMILIES = {
    "row-range": Family(
        AXIS + "h = ReduceMax <keepdims = 0> (x, a) "
        "l = ReduceMin <keepdims = 0> (x, a) y = Sub(h, l)",
        lambda x: numpy.ptp(x.astype(float), 1),
        *of_rows(kernels.row_range), result=ROWS),
    "clamped-center": Family(
        AXIS + WIDEN + "v = Cast <to = 1> (w) m = ReduceMean(f, a) "
        "d = Sub(f, m) h = Constant <value_float = 1.0> () l = Neg(h) "
        "c = Clip(d, l, h) g = Mul(c, v) y = Cast <to = RESULT> (g)",
        lambda x, w: numpy.clip(centered(x), -1, 1) * w.astype(float),
        *of_rows(kernels.clamped_center), weights=("w",),
        summed=lambda shape: 4),
    "l1-norm": Family(
        AXIS + "p = Abs(x) s = ReduceSum(p, a) "
        "e = Constant <value_float = 1e-6> () t = Add(s, e) y = Div(x, t)",
        l1_norm, *of_rows(kernels.l1_norm)),
    "row-scaled-silu": Family(
        WIDEN + "t = Cast <to = 1> (s) g = Sigmoid(f) h = Mul(f, g) "
        "k = Mul(h, t) y = Cast <to = RESULT> (k)",
        lambda x, s: x * scipy.special.expit(x.astype(float)) * s,
        *of_rows(kernels.row_scaled_silu), inputs={"s": COLUMN}),
    "plane-norm": Family(
        "a = Constant <value_ints = [1, 2]> () m = ReduceMean(x, a) "
        "d = Sub(x, m) q = Mul(d, d) v = ReduceMean(q, a) "
        "e = Constant <value_float = 1e-5> () u = Add(v, e) s = Sqrt(u) "
        "n = Div(d, s) y = Mul(n, w)",
        plane_norm, *of_rows(kernels.plane_norm, axes=2), weights=("w",),
        weight=lambda shape: shape[1:], summed=lambda shape: 4),
    "biased-softmax": Family(
        WIDEN + "c = Cast <to = 1> (b) s = Constant <value_float = 0.125> () "
        "g = Mul(f, s) h = Add(g, c) p = Softmax <axis = -1> (h) "
        "y = Cast <to = RESULT> (p)",
        lambda x, b: scipy.special.softmax(x.astype(float) / 8 + b, -1),
        *of_rows(kernels.biased_softmax), weights=("b",)),
    "squared-distance": Family(
        AXIS + "d = Sub(x, z) q = Mul(d, d) "
        "y = ReduceSum <keepdims = 0> (q, a)",
        lambda x, z: total((x.astype(float) - z)**2, 1),
        *of_rows(kernels.squared_distance), inputs={"z": lambda shape: shape},
        result=ROWS),
    "margin": Family(
        AXIS + WIDEN + "m = ReduceMax(f, a) d = Sub(f, m) "
        "o = Constant <value_float = 1.0> () e = Add(d, o) r = Relu(e) "
        "n = ReduceMean <keepdims = 0> (r, a) y = Cast <to = RESULT> (n)",
        margin, *of_rows(kernels.margin), result=ROWS,
        summed=lambda shape: 4),
    "floor-bias": Family(
        "h = Max(x, r) y = Add(h, b)",
        lambda x, r, b: numpy.maximum(x, r).astype(float) + b,
        *of_rows(kernels.floor_bias), inputs={"r": COLUMN}, weights=("b",)),
    "log-sum-exp": Family(
        AXIS + "m = ReduceMax(x, a) d = Sub(x, m) e = Exp(d) "
        "s = ReduceSum(e, a) l = Log(s) k = Add(l, m) y = Squeeze(k, a)",
        lambda x: scipy.special.logsumexp(x.astype(float), 1),
        *of_rows(kernels.log_sum_exp), result=ROWS),
}

CASES = """
row-range        f16  8192 4096
clamped-center   bf16 8191 1000
l1-norm          f32  8191 1000
row-scaled-silu  f16  8192 1024
plane-norm       f32  8192 8 128
biased-softmax   bf16 8192 4096
squared-distance f32  8192 1024
margin           f16  8191 1000
floor-bias       bf16 8191 1000
log-sum-exp      f32  8192 4096
"""


def related_cases():
    return parse_cases(CASES, FAMILIES)
