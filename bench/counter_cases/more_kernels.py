"""Kernels that gather, scatter, rotate and select in Triton, as kernels.py has
the known families."""

import triton
import triton.language as tl

from .kernels import below, load_rows, store_column, tile


@triton.jit
def batch_norm(y, x, w, b, m, v, M, C: tl.constexpr, N: tl.constexpr,
               BM: tl.constexpr, BN: tl.constexpr):
    """M: rows of N, the planes of all images; each has one of C channels."""
    rows, columns, rows_in, columns_in = tile(M, N, BM, BN)
    at, mask, channel = rows * N + columns, rows_in & columns_in, rows % C
    scale = tl.load(w + channel).to(tl.float32) * tl.rsqrt(
        tl.load(v + channel).to(tl.float32) + 1e-5)
    shift = tl.load(b + channel).to(tl.float32) - tl.load(m + channel).to(
        tl.float32) * scale
    tl.store(y + at, tl.load(x + at, mask).to(tl.float32) * scale + shift, mask)


@triton.jit
def rope(y, x, c, s, M, H: tl.constexpr, S: tl.constexpr, N: tl.constexpr,
         BM: tl.constexpr, BN: tl.constexpr):
    """Rows of N elements; the first half of each meets the second one. M: rows,
    of H heads each with S positions; c and s have N / 2 elements for each
    position of each batch."""
    half: tl.constexpr = N // 2
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.arange(0, BN)[None, :]
    mask = below(rows, M, BM) & below(columns, half, BN)
    angle = (rows // (H * S) * S + rows % S) * half + columns
    cosine = tl.load(c + angle, mask).to(tl.float32)
    sine = tl.load(s + angle, mask).to(tl.float32)
    at = rows * N + columns
    low = tl.load(x + at, mask).to(tl.float32)
    high = tl.load(x + at + half, mask).to(tl.float32)
    tl.store(y + at, low * cosine - high * sine, mask)
    tl.store(y + at + half, high * cosine + low * sine, mask)


@triton.jit
def gather_rows(y, x, t, M, V: tl.constexpr, N: tl.constexpr, BM: tl.constexpr,
                BN: tl.constexpr):
    """Negative indices count from the end, as in ONNX; those beyond either end
    are clamped, so that none reads elsewhere."""
    rows, columns, m, n = tile(M, N, BM, BN)
    index = tl.load(x + rows, m, 0)
    index = tl.clamp(tl.where(index < 0, index + V, index).to(tl.float32), 0,
                     V - 1).to(tl.int32)
    tl.store(y + rows * N + columns, tl.load(t + index * N + columns, m & n),
             m & n)


@triton.jit
def copy(y, x, SIZE: tl.constexpr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    mask = below(at, SIZE, B)
    tl.store(y + at, tl.load(x + at, mask), mask)


@triton.jit
def scatter_add(y, x, u, M, V: tl.constexpr, N: tl.constexpr, BM: tl.constexpr,
                BN: tl.constexpr):
    """Indices beyond either end update nothing."""
    rows, columns, m, n = tile(M, N, BM, BN)
    index = tl.load(x + rows, m, 0).to(tl.int32)
    index = tl.where(index < 0, index + V, index)
    update = tl.load(u + rows * N + columns, m & n)
    tl.atomic_add(y + index * N + columns, update,
                  m & n & (index >= 0) & (index < V), "relaxed")


@triton.jit
def cross_entropy(y, x, t, M, N: tl.constexpr, BM: tl.constexpr,
                  BN: tl.constexpr):
    """The loss of each row."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    _, _, v = load_rows(x, M, N, BM, BN, -float("inf"))
    most = tl.max(v, 1, keep_dims=True)
    total = tl.sum(tl.exp(v - most), 1, keep_dims=True)
    index = tl.load(t + rows, below(rows, M, BM), 0).to(tl.int32)
    index = tl.where(index < 0, index + N, index)
    label = tl.load(x + rows * N + index,
                    below(rows, M, BM) & (index >= 0) & (index < N)).to(
                        tl.float32)
    store_column(y, most + tl.log(total) - label, M, BM)


@triton.jit
def mean(y, x, M, B: tl.constexpr):
    """Of one program."""
    total = tl.zeros((B,), tl.float32)
    for first in range(0, M, B):
        at = first + tl.arange(0, B)
        total += tl.load(x + at, at < M, 0)
    tl.store(y, tl.sum(total, 0) / M)


@triton.jit
def top_k(y, x, M, K: tl.constexpr, N: tl.constexpr, BM: tl.constexpr,
          BN: tl.constexpr):
    """The K greatest elements of each row, in order."""
    _, _, v = load_rows(x, M, N, BM, BN, -float("inf"))
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    tl.store(y + rows * K + tl.arange(0, K)[None, :], tl.topk(v, K),
             below(rows, M, BM))


@triton.jit
def top_k_indices(y, x, M, K: tl.constexpr, N: tl.constexpr, BM: tl.constexpr,
                  BN: tl.constexpr):
    """Where they are: a key has the element's bits, in its order, above the
    inverted position."""
    _, _, v = load_rows(x, M, N, BM, BN, -float("inf"))
    bits = v.to(tl.int32, bitcast=True)
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits).to(tl.int64)
    key = (ordered << 32) | (0x7FFFFFFF - tl.arange(0, BN)[None, :])
    best = tl.topk(key, K)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    tl.store(y + rows * K + tl.arange(0, K)[None, :],
             0x7FFFFFFF - (best & 0x7FFFFFFF), below(rows, M, BM))
