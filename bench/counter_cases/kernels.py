"""The memory-bound kernels in Triton. y is the result. M is tl.constexpr where
the case is static. B, BM, BN: the tile of a program."""

import triton
import triton.language as tl


@triton.jit
def below(index, size, B: tl.constexpr):
    """index < size, for indices of whole tiles of B: true where B divides the
    size."""
    if B == 1:
        return tl.full(index.shape, True, tl.int1)
    if isinstance(size, tl.constexpr):
        if size % B == 0:
            return tl.full(index.shape, True, tl.int1)
    return index < size


@triton.jit
def tile(M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """(rows, columns, mask of rows, mask of columns) of the program's tile."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    return rows, columns, below(rows, M, BM), below(columns, N, BN)


@triton.jit
def load_rows(x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              padding: tl.constexpr):
    """(offsets, mask, f32 elements) of whole rows."""
    rows, columns, m, n = tile(M, N, BM, BN)
    at = rows * N + columns
    return at, m & n, tl.load(x + at, m & n, padding).to(tl.float32)


@triton.jit
def load_row(w, N: tl.constexpr, BN: tl.constexpr):
    """f32 elements of a weight, one for each column."""
    columns = tl.arange(0, BN)[None, :]
    return tl.load(w + columns, below(columns, N, BN)).to(tl.float32)


@triton.jit
def load_column(x, M, BM: tl.constexpr):
    """One f32 number for each row."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    return tl.load(x + rows, below(rows, M, BM)).to(tl.float32)


@triton.jit
def store_column(y, values, M, BM: tl.constexpr):
    """One number for each row."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    tl.store(y + rows, values, below(rows, M, BM))


@triton.jit
def biased(x, b, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """(offsets, mask, x + b)."""
    rows, columns, m, n = tile(M, N, BM, BN)
    at = rows * N + columns
    return at, m & n, tl.load(x + at, m & n) + tl.load(b + columns, n)


@triton.jit
def bias_relu(y, x, b, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = biased(x, b, M, N, BM, BN)
    tl.store(y + at, tl.maximum(v, 0), mask)


@triton.jit
def bias_gelu(y, x, b, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, h = biased(x, b, M, N, BM, BN)
    v = h.to(tl.float32)
    tl.store(y + at, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask)


@triton.jit
def cast_scale(y, x, M, N: tl.constexpr, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    mask = below(at, M * N, B)
    tl.store(y + at, tl.load(x + at, mask).to(tl.float32) * 0.1, mask)


@triton.jit
def transpose(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    """Of each matrix of a batch."""
    rows, columns, m, n = tile(M, N, BM, BN)
    first = tl.program_id(2) * M * N
    v = tl.load(x + first + rows * N + columns, m & n)
    tl.store(y + first + tl.trans(columns * M + rows), tl.trans(v),
             tl.trans(m & n))


@triton.jit
def swap_middle(y, x, M, S: tl.constexpr, H: tl.constexpr, N: tl.constexpr,
                BM: tl.constexpr, BN: tl.constexpr):
    """x[b, s, h, n] to y[b, h, s, n]; M: rows of N."""
    rows, columns, m, n = tile(M, N, BM, BN)
    s, h, b = rows % S, rows // S % H, rows // (S * H)
    v = tl.load(x + ((b * S + s) * H + h) * N + columns, m & n)
    tl.store(y + rows * N + columns, v, m & n)


@triton.jit
def softmax(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, -float("inf"))
    e = tl.exp(v - tl.max(v, 1, keep_dims=True))
    tl.store(y + at, e / tl.sum(e, 1, keep_dims=True), mask)


@triton.jit
def log_softmax(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, -float("inf"))
    v -= tl.max(v, 1, keep_dims=True)
    tl.store(y + at, v - tl.log(tl.sum(tl.exp(v), 1, keep_dims=True)), mask)


@triton.jit
def layer_norm(y, x, w, b, M, N: tl.constexpr, BM: tl.constexpr,
               BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    n = below(tl.arange(0, BN)[None, :], N, BN)
    v = tl.where(n, v - tl.sum(v, 1, keep_dims=True) / N, 0)
    scale = tl.rsqrt(tl.sum(v * v, 1, keep_dims=True) / N + 1e-5)
    weight, bias = load_row(w, N, BN), load_row(b, N, BN)
    tl.store(y + at, v * scale * weight + bias, mask)


@triton.jit
def rms_norm(y, x, w, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    scale = tl.rsqrt(tl.sum(v * v, 1, keep_dims=True) / N + 1e-5)
    tl.store(y + at, v * scale * load_row(w, N, BN), mask)


@triton.jit
def row_sum(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    store_column(y, tl.sum(v, 1, keep_dims=True), M, BM)


@triton.jit
def argmax(y, x, M, N: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, -float("inf"))
    store_column(y, tl.argmax(v, 1, keep_dims=True), M, BM)


@triton.jit
def cumulative_sum(y, x, M, N: tl.constexpr, BM: tl.constexpr,
                   BN: tl.constexpr):
    at, mask, v = load_rows(x, M, N, BM, BN, 0)
    tl.store(y + at, tl.cumsum(v, 1), mask)


@triton.jit
def column_sum(y, x, M, N: tl.constexpr, R: tl.constexpr, BM: tl.constexpr,
               BN: tl.constexpr):
    """Of R rows each; the program's rows of R are those of the grid's axis 1."""
    columns = tl.program_id(0) * BN + tl.arange(0, BN)[None, :]
    n = below(columns, N, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, R, BM):
        rows = (tl.program_id(1) * R + first + tl.arange(0, BM))[:, None]
        total += tl.load(x + rows * N + columns, below(rows, M, R) & n, 0)
    tl.store(y + tl.program_id(1) * N + columns,
             tl.sum(total, 0, keep_dims=True), n)


@triton.jit
def full_sum(y, x, M, N: tl.constexpr, B: tl.constexpr):
    """One number for each program."""
    at = tl.program_id(0) * B + tl.arange(0, B)
    v = tl.load(x + at, below(at, M * N, B), 0).to(tl.float32)
    tl.store(y + tl.program_id(0), tl.sum(v, 0))
