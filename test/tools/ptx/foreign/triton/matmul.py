"""Products of matrices, and attention."""

import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, m, n, k, stride_a, stride_b, stride_c,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           PRECISION: tl.constexpr, SUM: tl.constexpr,
           TRANSPOSED: tl.constexpr):
    """C = A B, or A times B transposed; edges are masked."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros([BM, BN], SUM)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        x = tl.load(a + row * stride_a + inner[None, :],
                    mask=(row < m) & (inner[None, :] < k), other=0.0)
        if TRANSPOSED:
            y = tl.load(b + column[:, None] * stride_b + inner[None, :],
                        mask=(column[:, None] < n) & (inner[None, :] < k),
                        other=0.0).T
        else:
            y = tl.load(b + inner[:, None] * stride_b + column[None, :],
                        mask=(inner[:, None] < k) & (column[None, :] < n),
                        other=0.0)
        total = tl.dot(x, y, total, input_precision=PRECISION, out_dtype=SUM)
    tl.store(c + row * stride_c + column[None, :],
             total.to(c.dtype.element_ty),
             mask=(row < m) & (column[None, :] < n))


@triton.jit
def matmul_aligned(a, b, c, k, stride_a, stride_b, stride_c,
                   BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """No masks: copies are asynchronous, in as many stages as asked for."""
    row = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    column = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    inner = tl.arange(0, BK)
    at_a = a + row * stride_a + inner[None, :]
    at_b = b + inner[:, None] * stride_b + column
    total = tl.zeros([BM, BN], tl.float32)
    for _ in range(0, k, BK):
        total = tl.dot(tl.load(at_a), tl.load(at_b), total)
        at_a += BK
        at_b += BK * stride_b
    tl.store(c + row * stride_c + column, total.to(c.dtype.element_ty))


@triton.jit
def split_k(a, b, c, locks, m, n, k, BM: tl.constexpr, BN: tl.constexpr,
            BK: tl.constexpr, PARTS: tl.constexpr):
    """Programs that share a tile add to it one after the other."""
    tile, part = tl.program_id(0), tl.program_id(1)
    columns = tl.cdiv(n, BN)
    row = tile // columns * BM + tl.arange(0, BM)[:, None]
    column = tile % columns * BN + tl.arange(0, BN)[None, :]
    total = tl.zeros([BM, BN], tl.float32)
    for start in range(part * BK, k, PARTS * BK):
        inner = start + tl.arange(0, BK)
        x = tl.load(a + row * k + inner[None, :])
        y = tl.load(b + inner[:, None] * n + column)
        total = tl.dot(x, y, total)
    while tl.atomic_cas(locks + tile, part, part) != part:
        pass
    at = c + row * n + column
    if part > 0:
        total += tl.load(at)
    tl.store(at, total)
    tl.debug_barrier()
    tl.atomic_xchg(locks + tile, (part + 1) % PARTS)


@triton.jit
def persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr, GROUP: tl.constexpr):
    """Fewer programs than tiles; tiles in groups of rows."""
    rows, columns = tl.cdiv(m, BM), tl.cdiv(n, BN)
    for tile in tl.range(tl.program_id(0), rows * columns,
                         tl.num_programs(0), flatten=True):
        i, j = tl.swizzle2d(tile // columns, tile % columns, rows, columns,
                            GROUP)
        row = i * BM + tl.arange(0, BM)[:, None]
        column = j * BN + tl.arange(0, BN)[None, :]
        total = tl.zeros([BM, BN], tl.float32)
        for start in range(0, k, BK):
            inner = start + tl.arange(0, BK)
            x = tl.load(a + row * k + inner[None, :])
            y = tl.load(b + inner[:, None] * n + column)
            total = tl.dot(x, y, total)
        tl.store(c + row * n + column, tl.maximum(total, 0.0).to(tl.float16))


@triton.jit
def four_bits(a, b, scales, c, n, k, BM: tl.constexpr, BN: tl.constexpr,
              BK: tl.constexpr):
    """B is held as pairs of 4-bit integers along k, and a scale a column."""
    row = tl.arange(0, BM)[:, None]
    column = tl.program_id(0) * BN + tl.arange(0, BN)[None, :]
    total = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        pair = start // 2 + tl.arange(0, BK // 2)[:, None]
        code = tl.load(b + pair * n + column)
        low = ((code << 4).to(tl.int8) >> 4).to(tl.float16)
        high = (code >> 4).to(tl.float16)
        y = tl.reshape(tl.permute(tl.join(low, high), (0, 2, 1)), [BK, BN])
        x = tl.load(a + row * k + start + tl.arange(0, BK)[None, :])
        total = tl.dot(x, y, total)
    tl.store(c + row * n + column, total * tl.load(scales + column))


@triton.jit
def scaled(a, a_scale, b, b_scale, c, n, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, A_KIND: tl.constexpr, B_KIND: tl.constexpr,
           A_PACK: tl.constexpr, B_PACK: tl.constexpr):
    """Microscaling formats: a scale for each 32 elements along k."""
    row, column = tl.arange(0, BM), tl.arange(0, BN)
    group = tl.arange(0, BK // 32)
    x = tl.load(a + row[:, None] * (BK // A_PACK)
                + tl.arange(0, BK // A_PACK)[None, :])
    y = tl.load(b + tl.arange(0, BK // B_PACK)[:, None] * n + column[None, :])
    xs = tl.load(a_scale + row[:, None] * (BK // 32) + group[None, :])
    ys = tl.load(b_scale + column[:, None] * (BK // 32) + group[None, :])
    total = tl.dot_scaled(x, xs, A_KIND, y, ys, B_KIND)
    tl.store(c + row[:, None] * n + column[None, :], total)


@triton.jit
def convolution(x, w, y, channels, height, width, filters, R: tl.constexpr,
                BP: tl.constexpr, BC: tl.constexpr, BF: tl.constexpr):
    """3x3 windows (R = 3), zero padding, channels last, as a product."""
    pixel = tl.program_id(0) * BP + tl.arange(0, BP)
    i, j = pixel // width, pixel % width
    one_filter = tl.arange(0, BF)
    total = tl.zeros([BP, BF], tl.float32)
    for r in tl.static_range(R):
        for s in tl.static_range(R):
            up, left = i + r - R // 2, j + s - R // 2
            inside = (pixel < height * width) & (up >= 0) & (up < height) & (
                left >= 0) & (left < width)
            for start in range(0, channels, BC):
                channel = start + tl.arange(0, BC)
                v = tl.load(x + (up * width + left)[:, None] * channels
                            + channel[None, :], mask=inside[:, None], other=0)
                f = tl.load(w + ((r * R + s) * channels
                                 + channel)[:, None] * filters
                            + one_filter[None, :])
                total = tl.dot(v, f, total)
    tl.store(y + pixel[:, None] * filters + one_filter[None, :], total,
             mask=(pixel < height * width)[:, None])


@triton.jit
def attention(q, k, v, out, length, scale, BM: tl.constexpr,
              BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    """Online softmax; a program takes BM queries of one head."""
    first, head = tl.program_id(0) * BM, tl.program_id(1)
    row, depth = first + tl.arange(0, BM), tl.arange(0, D)
    base = head * length * D
    queries = tl.load(q + base + row[:, None] * D + depth[None, :])
    most = tl.full([BM], -float("inf"), tl.float32)
    norm = tl.zeros([BM], tl.float32)
    total = tl.zeros([BM, D], tl.float32)
    end = first + BM if CAUSAL else length
    for start in range(0, end, BN):
        column = start + tl.arange(0, BN)
        at = base + column[:, None] * D + depth[None, :]
        score = tl.dot(queries, tl.load(k + at).T) * (scale * 1.44269504)
        if CAUSAL:
            score = tl.where(row[:, None] >= column[None, :], score,
                             -float("inf"))
        new = tl.maximum(most, tl.max(score, 1))
        p = tl.exp2(score - new[:, None])
        fade = tl.exp2(most - new)
        norm = norm * fade + tl.sum(p, 1)
        total = total * fade[:, None]
        total = tl.dot(p.to(v.dtype.element_ty), tl.load(v + at), total)
        most = new
    tl.store(out + base + row[:, None] * D + depth[None, :],
             (total / norm[:, None]).to(out.dtype.element_ty))
