"""Matrix products without tensor cores."""

import numpy as np

from harness import bounds
from harness.case import Launch, cuda, changed, given, i32, output
from harness.compare import exact, near
from harness.numbers import normal


def _product(random, m, n, k):
    """(A, B, what near() A B must be)"""
    a, b = normal(random, (m, k)), normal(random, (k, n))
    x, y = a.astype(np.float64), b.astype(np.float64)
    return a, b, near(x @ y, bounds.dot_error(x, y))


@cuda("matmul/matmul.cu")
def matmul_naive(random):
    a, b, expected = _product(random, 33, 41, 29)
    return Launch((3, 5), [given(a), given(b), output("c", (33, 41), "f32"),
                           i32(33), i32(41), i32(29)], {"c": expected},
                  (16, 8))


@cuda("matmul/matmul.cu")
def matmul_tiled(random):
    a, b, expected = _product(random, 40, 50, 37)
    return Launch((4, 3), [given(a), given(b), output("c", (40, 50), "f32"),
                           i32(40), i32(50), i32(37)], {"c": expected},
                  (16, 16))


@cuda("matmul/matmul.cu")
def matmul_blocked(random):
    a, b, expected = _product(random, 128, 128, 40)
    return Launch((2, 2), [given(a), given(b), output("c", (128, 128), "f32"),
                           i32(128), i32(40)], {"c": expected}, 256)


@cuda("matmul/matmul.cu")
def matmul_async(random):
    a, b, expected = _product(random, 64, 96, 64)
    return Launch((3, 2), [given(a), given(b), output("c", (64, 96), "f32"),
                           i32(96), i32(64)], {"c": expected}, 256)


@cuda("matmul/matmul.cu")
def matmul_batched(random):
    a, b = random.standard_normal((2, 5, 8, 8))
    return Launch(5, [given(a), given(b), output("c", (5, 8, 8), "f64")],
                  {"c": near(a @ b, bounds.dot_error(a, b, "f64"))}, 32)


@cuda("matmul/matmul.cu")
def matmul_bytes(random):
    a = random.integers(-128, 128, (9, 40)).astype(np.int8)
    b = random.integers(-128, 128, (64, 40)).astype(np.int8)
    return Launch((2, 9), [given(a), given(b), output("c", (9, 64), "i32"),
                           i32(64), i32(10)],
                  {"c": exact(a.astype(np.int32) @ b.T.astype(np.int32))}, 32)


@cuda("matmul/matmul.cu")
def matmul_split(random):
    a, b, expected = _product(random, 6, 32, 100)
    return Launch((6, 4), [given(a), given(b),
                           changed("c", np.zeros((6, 32), np.float32)),
                           i32(32), i32(100), i32(27)], {"c": expected}, 32)
