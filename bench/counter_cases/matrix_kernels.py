"""Products of matrices in Triton, as kernels.py has the memory-bound kernels. M
and K are tl.constexpr where they are static."""

import triton
import triton.language as tl

from .kernels import below


@triton.jit
def product(x, w, M, N: tl.constexpr, K, XM: tl.constexpr,
            XK: tl.constexpr, WK: tl.constexpr, WN: tl.constexpr,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
            PRECISION: tl.constexpr):
    """(rows, columns, mask, sums) of the program's tile of x @ w, whose elements
    [m, k] and [k, n] are XM m + XK k and WK k + WN n from the start. Sums are
    f32, or those of integers i32, and of f64 f64."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    m, n = below(rows, M, BM), below(columns, N, BN)
    steps = tl.arange(0, BK)
    left = x + rows[:, None] * XM + steps[None, :] * XK
    right = w + steps[:, None] * WK + columns[None, :] * WN
    element: tl.constexpr = x.dtype.element_ty
    total = tl.zeros((BM, BN), element if element == tl.float64 else
                     tl.float32 if element.is_floating() else tl.int32)
    zero: tl.constexpr = 0.0 if element.is_floating() else 0
    for first in range(0, K, BK):
        k = below(first + steps, K, BK)
        total = tl.dot(tl.load(left, m[:, None] & k[None, :], zero),
                       tl.load(right, k[:, None] & n[None, :], zero), total,
                       input_precision=PRECISION, out_dtype=total.dtype)
        left += BK * XK
        right += BK * WK
    return rows[:, None], columns[None, :], m[:, None] & n[None, :], total


@triton.jit
def matmul(y, x, w, M, N: tl.constexpr, K, XM: tl.constexpr,
           XK: tl.constexpr, WK: tl.constexpr, WN: tl.constexpr,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           PRECISION: tl.constexpr):
    """Of each matrix of a batch."""
    batch = tl.program_id(2)
    rows, columns, mask, total = product(
        x + batch * M * K, w + batch * K * N, M, N, K, XM, XK, WK, WN, BM, BN,
        BK, PRECISION)
    tl.store(y + batch * M * N + rows * N + columns, total, mask)


@triton.jit
def matmul_bias_relu(y, x, w, b, M, N: tl.constexpr, K,
                     XM: tl.constexpr, XK: tl.constexpr, WK: tl.constexpr,
                     WN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     BK: tl.constexpr):
    rows, columns, mask, total = product(x, w, M, N, K, XM, XK, WK, WN, BM, BN,
                                         BK, "ieee")
    bias = tl.load(b + columns, below(columns, N, BN)).to(tl.float32)
    tl.store(y + rows * N + columns, tl.maximum(total + bias, 0), mask)
