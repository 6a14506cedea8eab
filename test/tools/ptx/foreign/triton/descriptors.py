"""Tensor descriptors: made by the host, and by the kernel itself."""

import triton
import triton.language as tl


@triton.jit
def matmul_host(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr,
                BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        total = tl.dot(a.load([row, start]), b.load([start, column]), total)
    c.store([row, column], total.to(c.dtype))


@triton.jit
def matmul_device(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):
    """Descriptors in global scratch memory; B transposed; tiles in turn."""
    da = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
    dc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
    columns = tl.cdiv(n, BN)
    for tile in range(tl.program_id(0), tl.cdiv(m, BM) * columns,
                      tl.num_programs(0)):
        row, column = tile // columns * BM, tile % columns * BN
        total = tl.zeros([BM, BN], tl.float32)
        for start in range(0, k, BK):
            total = tl.dot(da.load([row, start]),
                           db.load([column, start]).T, total)
        dc.store([row, column], total.to(tl.bfloat16))


@triton.jit
def copy_edges(x, y, M: tl.constexpr, N: tl.constexpr):
    """Tiles that reach over the edge."""
    row, column = tl.program_id(0) * M - 3, tl.program_id(1) * N - 5
    y.store([row, column], x.load([row, column]) * 2)


@triton.jit
def copy_nan(x, y, m, n, stride, M: tl.constexpr, N: tl.constexpr):
    """What is beyond the edge reads as NaN."""
    d = tl.make_tensor_descriptor(x, [m, n], [stride, 1], [M, N],
                                  padding_option="nan")
    v = d.load([tl.program_id(0) * M, tl.program_id(1) * N])
    row = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    column = tl.program_id(1) * N + tl.arange(0, N)[None, :]
    width = tl.num_programs(1) * N
    tl.store(y + row * width + column, v)


@triton.jit
def reduce(x, total, most, N: tl.constexpr):
    """Tiles of programs are added to, and compared with, one tile."""
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + tl.program_id(0) * N * N + at)
    total.atomic_add([0, 8], v)
    most.atomic_max([0, 0], v)


@triton.jit
def batches(x, y, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    """Three dimensions, transposed."""
    first = tl.program_id(0) * A
    v = x.load([first, 0, 0])
    y.store([0, first, 0], tl.permute(v, (1, 0, 2)))
