"""Products of matrices in Triton, as kernels.py has the memory-bound kernels. M
and K are tl.constexpr where they are static."""

import triton
import triton.language as tl

from .kernels import below


@triton.jit
def product(x, w, M, N: tl.constexpr, K, XM: tl.constexpr,
            XK: tl.constexpr, WK: tl.constexpr, WN: tl.constexpr,
            BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """(rows, columns, mask, f32 sums) of the program's tile of x @ w, whose
    elements [m, k] and [k, n] are XM m + XK k and WK k + WN n from the start."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    m, n = below(rows, M, BM), below(columns, N, BN)
    steps = tl.arange(0, BK)
    left = x + rows[:, None] * XM + steps[None, :] * XK
    right = w + steps[:, None] * WK + columns[None, :] * WN
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        k = below(first + steps, K, BK)
        total = tl.dot(tl.load(left, m[:, None] & k[None, :], 0),
                       tl.load(right, k[:, None] & n[None, :], 0), total,
                       input_precision="ieee")
        left += BK * XK
        right += BK * WK
    return rows[:, None], columns[None, :], m[:, None] & n[None, :], total


@triton.jit
def matmul(y, x, w, M, N: tl.constexpr, K, XM: tl.constexpr,
           XK: tl.constexpr, WK: tl.constexpr, WN: tl.constexpr,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Of each matrix of a batch."""
    batch = tl.program_id(2)
    rows, columns, mask, total = product(
        x + batch * M * K, w + batch * K * N, M, N, K, XM, XK, WK, WN, BM, BN,
        BK)
    tl.store(y + batch * M * N + rows * N + columns, total, mask)


@triton.jit
def matmul_bias_relu(y, x, w, b, M, N: tl.constexpr, K,
                     XM: tl.constexpr, XK: tl.constexpr, WK: tl.constexpr,
                     WN: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     BK: tl.constexpr):
    rows, columns, mask, total = product(x, w, M, N, K, XM, XK, WK, WN, BM, BN,
                                         BK)
    bias = tl.load(b + columns, below(columns, N, BN)).to(tl.float32)
    tl.store(y + rows * N + columns, tl.maximum(total + bias, 0), mask)
