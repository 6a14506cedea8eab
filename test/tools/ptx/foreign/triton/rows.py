"""Kernels of whole rows: reductions, scans, sorts."""

import triton
import triton.language as tl


@triton.jit
def softmax(x, y, n, N: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, N)
    v = tl.load(x + row * n + column, mask=column < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * n + column, e / tl.sum(e, 0), mask=column < n)


@triton.jit
def softmax_many(x, y, rows, n, R: tl.constexpr, N: tl.constexpr):
    """Several rows a program, and programs that go on to further rows."""
    column = tl.arange(0, N)[None, :]
    for first in tl.range(tl.program_id(0) * R, rows, tl.num_programs(0) * R,
                          num_stages=2):
        row = first + tl.arange(0, R)[:, None]
        mask = (row < rows) & (column < n)
        v = tl.load(x + row * n + column, mask=mask, other=-float("inf"))
        y_values = tl.softmax(v.to(tl.float32), 1)
        tl.store(y + row * n + column, y_values.to(y.dtype.element_ty), mask)


@triton.jit
def layer_norm(x, scale, shift, y, statistics, n, epsilon, N: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([N], tl.float32)
    for start in range(0, n, N):
        column = start + tl.arange(0, N)
        total += tl.load(x + row * n + column, mask=column < n, other=0.0)
    mean = tl.sum(total, 0) / n
    squares = tl.zeros([N], tl.float32)
    for start in range(0, n, N):
        column = start + tl.arange(0, N)
        v = tl.load(x + row * n + column, mask=column < n, other=0.0)
        off = tl.where(column < n, v - mean, 0.0)
        squares += off * off
    inverse = tl.rsqrt(tl.sum(squares, 0) / n + epsilon)
    tl.store(statistics + row * 2, mean)
    tl.store(statistics + row * 2 + 1, inverse)
    for start in range(0, n, N):
        column = start + tl.arange(0, N)
        mask = column < n
        v = tl.load(x + row * n + column, mask=mask)
        w = tl.load(scale + column, mask=mask)
        b = tl.load(shift + column, mask=mask)
        tl.store(y + row * n + column, (v - mean) * inverse * w + b, mask)


@triton.jit
def _merge(mean_a, m2_a, count_a, mean_b, m2_b, count_b):
    off = mean_b - mean_a
    count = count_a + count_b
    part = count_b / count
    return (mean_a + off * part, m2_a + m2_b + off * off * count_a * part,
            count)


@triton.jit
def moments(x, out, M: tl.constexpr, N: tl.constexpr):
    """Means and sums of squares by a reduction of three values at once."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    mean, m2, _ = tl.reduce((v, tl.zeros_like(v), tl.full(v.shape, 1.0,
                             tl.float32)), 1, _merge)
    tl.store(out + tl.arange(0, M), mean)
    tl.store(out + M + tl.arange(0, M), m2 / N)


@triton.jit
def extremes(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(out + tl.arange(0, M), tl.argmax(v, 1))
    tl.store(out + M + tl.arange(0, M), tl.argmin(v, 1,
                                                  tie_break_left=False))
    tl.store(out + 2 * M + tl.arange(0, N), tl.max(v, 0))
    tl.store(out + 2 * M + N + tl.arange(0, N), tl.xor_sum(v, 0))
    tl.store(out + 2 * M + 2 * N, tl.sum(tl.sum(v, 0), 0))


@triton.jit
def sums(x, down, across, back, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(down + at, tl.cumsum(v, 0))
    tl.store(across + at, tl.cumsum(v, 1))
    tl.store(back + at, tl.cumsum(v, 1, reverse=True))


@triton.jit
def _then(a_first, b_first, a_second, b_second):
    return a_first * a_second, b_first * a_second + b_second


@triton.jit
def recurrence(a, b, out, M: tl.constexpr, N: tl.constexpr):
    """h_t = a_t h_(t-1) + b_t, as an associative scan of pairs."""
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    _, h = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 1, _then)
    tl.store(out + at, h)


@triton.jit
def sorts(x, up, down, most, M: tl.constexpr, N: tl.constexpr,
          K: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    at = rows * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    tl.store(up + at, tl.sort(v))
    tl.store(down + at, tl.sort(v, descending=True))
    tl.store(most + rows * K + tl.arange(0, K)[None, :], tl.topk(v, K))


@triton.jit
def histogram(x, out, n, N: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    counts = tl.histogram(tl.load(x + at, mask=at < n, other=0), BINS,
                          mask=at < n)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


@triton.jit
def cross_entropy(x, labels, loss, gradient, n, N: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, N)
    v = tl.load(x + row * n + column, mask=column < n, other=-float("inf"))
    label = tl.load(labels + row)
    most = tl.max(v, 0)
    total = tl.sum(tl.exp(v - most), 0)
    own = tl.load(x + row * n + label)
    tl.store(loss + row, tl.log(total) - (own - most))
    p = tl.exp(v - most) / total
    tl.store(gradient + row * n + column, tl.where(column == label, p - 1, p),
             mask=column < n)
