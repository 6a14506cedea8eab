"""The relatives in Triton, as kernels.py has the known families."""

import triton
import triton.language as tl

from .kernels import load_column, load_row, load_rows, store_column


@triton.jit
def row_range(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    high = tl.max(tl.where(mask, v, -float("inf")), 1, keep_dims=True)
    low = tl.min(tl.where(mask, v, float("inf")), 1, keep_dims=True)
    store_column(y, high - low, M, BM)


@triton.jit
def clamped_center(y, x, w, M, N: tl.constexpr, BM: tl.constexpr,
                   BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    v = tl.clamp(v - tl.sum(v, 1, keep_dims=True) / N, -1.0, 1.0)
    tl.store(y + at, v * load_row(w, N, BN), mask)


@triton.jit
def l1_norm(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    total = tl.sum(tl.abs(v), 1, keep_dims=True)
    tl.store(y + at, v / (total + 1e-6), mask)


@triton.jit
def row_scaled_silu(y, x, s, M, N: tl.constexpr, BM: tl.constexpr,
                    BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    tl.store(y + at, v * tl.sigmoid(v) * load_column(s, M, BM), mask)


@triton.jit
def plane_norm(y, x, w, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """N: a power of two."""
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    v -= tl.sum(v, 1, keep_dims=True) / N
    scale = tl.rsqrt(tl.sum(v * v, 1, keep_dims=True) / N + 1e-5)
    tl.store(y + at, v * scale * load_row(w, N, BN), mask)


@triton.jit
def biased_softmax(y, x, b, M, N: tl.constexpr, BM: tl.constexpr,
                   BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, -float("inf"))
    v = v * 0.125 + load_row(b, N, BN)
    e = tl.exp(v - tl.max(v, 1, keep_dims=True))
    tl.store(y + at, e / tl.sum(e, 1, keep_dims=True), mask)


@triton.jit
def squared_distance(y, x, z, M, N: tl.constexpr, BM: tl.constexpr,
                     BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    v -= load_rows(z, M, N, BM, BN, 0)[2]
    store_column(y, tl.sum(v * v, 1, keep_dims=True), M, BM)


@triton.jit
def margin(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, -float("inf"))
    v = tl.maximum(v - tl.max(v, 1, keep_dims=True) + 1, 0)
    store_column(y, tl.sum(v, 1, keep_dims=True) / N, M, BM)


@triton.jit
def floor_bias(y, x, r, b, M, N: tl.constexpr, BM: tl.constexpr,
               BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    v = tl.maximum(v, load_column(r, M, BM))
    tl.store(y + at, v + load_row(b, N, BN), mask)


@triton.jit
def log_sum_exp(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, -float("inf"))
    most = tl.max(v, 1, keep_dims=True)
    total = tl.sum(tl.exp(v - most), 1, keep_dims=True)
    store_column(y, most + tl.log(total), M, BM)
