"""Bounds of rounding errors, from which the tolerances of references follow.

The references are computed in f64 from the inputs that the kernel reads; their
own error (2^-53 each step) is far below every bound here and is covered by
`gamma`'s reserve of one step.
"""

import numpy as np

# Half the distance of 1 and its successor: a rounding to nearest errs by at
# most UNIT * |result| (normal results), and the smallest subnormal.
UNIT = {"f16": 2.0 ** -11, "bf16": 2.0 ** -8, "f32": 2.0 ** -24,
        "f64": 2.0 ** -53, "f8E4M3FN": 2.0 ** -4, "f8E5M2": 2.0 ** -3}
TINY = {"f16": 2.0 ** -24, "bf16": 2.0 ** -133, "f32": 2.0 ** -149,
        "f64": 2.0 ** -1074, "f8E4M3FN": 2.0 ** -9, "f8E5M2": 2.0 ** -16}


def gamma(steps, dtype="f32"):
    """Relative error of `steps` roundings: n u / (1 - n u), with one step of
    reserve (Higham, Accuracy and Stability, lemma 3.1)."""
    error = (steps + 1) * UNIT[dtype]
    return error / (1 - error)


def rounding(values, dtype):
    """Of one rounding of `values` to `dtype`."""
    return UNIT[dtype] * np.abs(values) + TINY[dtype]


def ulps(values, count, dtype="f32"):
    """`count` units in the last place of `dtype` at `values`."""
    return 2 * count * rounding(values, dtype)


def sum_error(values, axis=None, dtype="f32"):
    """Of a sum in any order along `axis`."""
    values = np.asarray(values)
    steps = values.size if axis is None else values.shape[axis]
    return gamma(steps, dtype) * np.abs(values).sum(axis)


def dot_error(a, b, dtype="f32"):
    """Of a @ b with products and sums in `dtype`, fused or not, any order."""
    return gamma(2 * a.shape[-1], dtype) * (np.abs(a) @ np.abs(b)) \
        + a.shape[-1] * TINY[dtype]


# Tensor cores add the products of a block of K_b on a grid 2^(e - F), e the
# exponent of the greatest, each term truncated, and truncate the sum to
# `keep` fraction bits: at most (K_b + 1) 2^-F + 2^-keep of the greatest term
# and the result, both of which are <= |c| + |a| @ |b|. The coarsest of the
# targets sm_80 to sm_90a: (K_b, F, keep).
_TENSOR = {"f16": (8, 24, 23), "bf16": (8, 24, 23), "tf32": (4, 24, 23),
           "f8": (16, 13, 13), "f8 wgmma": (32, 13, 13)}


def tensor_error(a, b, kind, c=None, out="f32"):
    """Of c + a @ b on tensor cores, accumulated in f32 or f16 (`out`)."""
    block, grid, keep = _TENSOR[kind]
    blocks = -(-a.shape[-1] // block)
    last = 2.0 ** -keep if out == "f32" else UNIT["f16"]
    step = (block + 1) * 2.0 ** -grid + last
    terms = np.abs(a) @ np.abs(b) + (0 if c is None else np.abs(c))
    return ((1 + step) ** blocks - 1) * terms + blocks * TINY[out]
