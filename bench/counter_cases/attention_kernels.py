"""Attention in Triton, as kernels.py has the memory-bound kernels: the loop over
blocks of keys that FlashAttention-2 made known."""

import triton
import triton.language as tl


@triton.jit
def tanh(x):
    return tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x],
                                     tl.float32, True, 1)


@triton.jit
def step(total, top, sums, q, k, v, m, first, rows, d, scale, cap,
         N: tl.constexpr, D: tl.constexpr, BN: tl.constexpr,
         MASKED: tl.constexpr, HIDES: tl.constexpr, CAPPED: tl.constexpr,
         WIDTH: tl.constexpr):
    """A block of keys. `HIDES`: some keys of it may be hidden."""
    keys = first + tl.arange(0, BN)
    inside = (d[None, :] < D) & (keys[:, None] < N)
    if WIDTH == D and N % BN == 0:
        block = tl.load(k + keys[:, None] * D + d[None, :])
    else:
        block = tl.load(k + keys[:, None] * D + d[None, :], inside, 0)
    scores = tl.dot(q, tl.trans(block)) * scale
    if CAPPED:
        # In the units of exp2.
        scores = tanh(scores * (0.6931471805599453 / cap)) * \
            (cap * 1.4426950408889634)
    if MASKED:
        scores += tl.load(m + rows[:, None] * N + keys[None, :]).to(
            tl.float32) * 1.4426950408889634
    if HIDES:
        scores = tl.where(keys[None, :] <= rows[:, None], scores,
                          float("-inf"))
    if N % BN != 0:
        scores = tl.where(keys[None, :] < N, scores, float("-inf"))
    higher = tl.maximum(top, tl.max(scores, 1))
    powers = tl.exp2(scores - higher[:, None])
    fade = tl.exp2(top - higher)
    sums = sums * fade + tl.sum(powers, 1)
    if WIDTH == D and N % BN == 0:
        block = tl.load(v + keys[:, None] * D + d[None, :])
    else:
        block = tl.load(v + keys[:, None] * D + d[None, :], inside, 0)
    total = tl.dot(powers.to(block.dtype), block, total * fade[:, None])
    return total, higher, sums


@triton.jit
def attention(y, x, k, v, m, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr,
              WIDTH: tl.constexpr, SCALE: tl.constexpr, CAP: tl.constexpr,
              MASKED: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr,
              BN: tl.constexpr):
    """Queries x, keys, values and, if MASKED, a mask [M, N]; else m is not
    read. WIDTH: D, rounded up to a power of two. CAP is 0 for none."""
    start = tl.program_id(0) * BM
    head = tl.program_id(1)
    x += head * M * D
    k += head * N * D
    v += head * N * D
    y += head * M * D
    rows = start + tl.arange(0, BM)
    d = tl.arange(0, WIDTH)
    mask = (rows[:, None] < M) & (d[None, :] < D)
    q = tl.load(x + rows[:, None] * D + d[None, :], mask, 0)
    total = tl.zeros((BM, WIDTH), tl.float32)
    top = tl.full((BM,), float("-inf"), tl.float32)
    sums = tl.zeros((BM,), tl.float32)
    scale = SCALE * 1.4426950408889634
    end = N
    if CAUSAL:
        # Blocks that all queries see, then those with hidden keys.
        end = start // BN * BN
    for first in range(0, end, BN):
        total, top, sums = step(total, top, sums, q, k, v, m, first, rows, d,
                                scale, CAP, N, D, BN, MASKED, False, CAP > 0,
                                WIDTH)
    if CAUSAL:
        for first in range(end, min(start + BM, N), BN):
            total, top, sums = step(total, top, sums, q, k, v, m, first, rows,
                                    d, scale, CAP, N, D, BN, MASKED, True,
                                    CAP > 0, WIDTH)
    tl.store(y + rows[:, None] * D + d[None, :], total / sums[:, None], mask)
