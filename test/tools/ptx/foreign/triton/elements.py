"""Kernels of single elements: arithmetic, conversions, moves, atomics."""

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(x, y, out, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


@triton.jit
def functions(x, out, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    a = tl.abs(v) + 0.125
    tl.store(out + at, tl.exp(v))
    tl.store(out + n + at, tl.exp2(v))
    tl.store(out + 2 * n + at, tl.log(a))
    tl.store(out + 3 * n + at, tl.log2(a))
    tl.store(out + 4 * n + at, tl.sin(v))
    tl.store(out + 5 * n + at, tl.cos(v))
    tl.store(out + 6 * n + at, tl.sqrt(a))
    tl.store(out + 7 * n + at, tl.rsqrt(a))
    tl.store(out + 8 * n + at, tl.erf(v))
    tl.store(out + 9 * n + at, tl.sigmoid(v))
    tl.store(out + 10 * n + at, v / a)
    tl.store(out + 11 * n + at, tl.div_rn(v, a))
    tl.store(out + 12 * n + at, tl.sqrt_rn(a))
    tl.store(out + 13 * n + at, tl.floor(v * 3) + tl.ceil(v * 5))
    tl.store(out + 14 * n + at, libdevice.tanh(v))
    tl.store(out + 15 * n + at, libdevice.cbrt(v))


@triton.jit
def casts(x, b16, f16, e5, whole, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at)
    tl.store(b16 + at, v.to(tl.bfloat16))
    tl.store(f16 + at, v.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(e5 + at, v.to(tl.float16).to(tl.float8e5))
    tl.store(whole + at, (v * 100).to(tl.int32) + v.to(tl.int8).to(tl.int32))


@triton.jit
def cast_e4(x, e4, back, N: tl.constexpr):
    at = tl.arange(0, N)
    code = tl.load(x + at).to(tl.float8e4nv)
    tl.store(e4 + at, code)
    tl.store(back + at, code.to(tl.float16))


@triton.jit
def integers(a, b, out, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    x, y = tl.load(a + at), tl.load(b + at)
    safe = tl.where(y == 0, 7, y)
    tl.store(out + at, x // safe)
    tl.store(out + n + at, x % safe)
    tl.store(out + 2 * n + at, tl.umulhi(x, y))
    tl.store(out + 3 * n + at, (x << (y & 7)) ^ (x >> (y & 15)))
    tl.store(out + 4 * n + at, tl.minimum(tl.maximum(x, -y), 1000))
    tl.store(out + 5 * n + at, (x.to(tl.int64) * y >> 20).to(tl.int32))
    tl.store(out + 6 * n + at, (x.to(tl.int16) * y.to(tl.int16)).to(tl.int32))
    tl.store(out + 7 * n + at,
             (x.to(tl.uint32, bitcast=True) // 1000).to(tl.int32, bitcast=True))


@triton.jit
def packed_bytes(x, out, N: tl.constexpr):
    """Four bytes of a word at a time, by instructions written by hand."""
    at = tl.arange(0, N)
    v = tl.inline_asm_elementwise(
        "{ .reg .b32 t, z; prmt.b32 t, $1, 0, 0x0123; mov.b32 z, 0;"
        " vabsdiff4.u32.u32.u32 $0, t, $1, z; }", "=r,r", [tl.load(x + at)],
        dtype=tl.int8, is_pure=True, pack=4)
    tl.store(out + at, v)


@triton.jit
def moves(x, out, M: tl.constexpr, N: tl.constexpr):
    """Shapes change, values do not."""
    size: tl.constexpr = M * N
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    flat = tl.arange(0, size)
    v = tl.load(x + at)
    tl.store(out + flat, tl.ravel(tl.trans(v)))
    tl.store(out + size + flat, tl.ravel(tl.flip(v, 1)))
    even, odd = tl.split(tl.reshape(v, [M, N // 2, 2]))
    tl.store(out + 2 * size + flat, tl.ravel(tl.interleave(odd, even)))
    tl.store(out + 3 * size + flat, tl.ravel(tl.join(even, odd)))
    tl.store(out + 4 * size + flat,
             tl.ravel(tl.permute(tl.reshape(v, [4, M // 4, N]), (1, 2, 0))))
    wide = tl.broadcast_to(tl.sum(v, 1)[:, None], [M, N])
    tl.store(out + 5 * size + flat, tl.ravel(wide))


@triton.jit
def gather(x, places, out, M: tl.constexpr, N: tl.constexpr,
           K: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    at = tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :]
    tl.store(out + at, tl.gather(v, tl.load(places + at), 1))
    down = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    turned = (tl.arange(0, M)[:, None] * 3 + tl.arange(0, N)[None, :]) % M
    tl.store(out + M * K + down, tl.gather(v, turned, 0))


@triton.jit
def random(out, uniform, seed, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, at)
    tl.store(out + at, a)
    tl.store(out + n + at, b)
    tl.store(out + 2 * n + at, c)
    tl.store(out + 3 * n + at, d)
    tl.store(uniform + at, tl.rand(seed, at, n_rounds=7))


@triton.jit
def dropout(x, out, p, seed, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at, mask=at < n)
    kept = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(kept, v / (1 - p), 0.0), mask=at < n)


@triton.jit
def atomics(places, x, total, most, least, bits, swapped, half, n,
            N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    mask = at < n
    place = tl.load(places + at, mask, other=0)
    v = tl.load(x + at, mask, other=0)
    tl.atomic_add(total + place, v.to(tl.float32), mask)
    tl.atomic_max(most + place, v, mask)
    tl.atomic_min(least + place, v.to(tl.float32), mask, sem="relaxed")
    tl.atomic_xor(bits + place, v, mask, sem="release")
    tl.atomic_or(bits + 16 + place, v, mask)
    tl.atomic_and(bits + 32 + place, v, mask, scope="cta")
    old = tl.atomic_xchg(swapped + at, v, mask)
    tl.atomic_add(half + place, (old + 1).to(tl.float16), mask)


@triton.jit
def locked(lock, value, count, out, N: tl.constexpr):
    """Programs change a vector one after the other; a ticket of the order."""
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    at = tl.arange(0, N)
    tl.store(value + at, tl.load(value + at) * 3 + 1)
    turn = tl.atomic_add(count, 1)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
    tl.store(out + tl.program_id(0), turn)


@triton.jit
def collatz(x, out):
    """Scalars and a loop of unknown length."""
    v = tl.load(x + tl.program_id(0))
    steps = 0
    while v > 1:
        if v % 2 == 0:
            v = v // 2
        else:
            v = 3 * v + 1
        steps += 1
    tl.store(out + tl.program_id(0), steps)


@triton.jit
def asserted(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    v = tl.load(x + at)
    tl.device_assert(v >= 0, "not negative")
    tl.store(out + at, tl.sum(v, 0) - v)


@triton.jit
def pooling(x, out, H: tl.constexpr, W: tl.constexpr):
    """Windows of 2x2 as a reduction over a reshaped tile."""
    at = tl.arange(0, H)[:, None] * W + tl.arange(0, W)[None, :]
    v = tl.reshape(tl.load(x + at), [H // 2, 2, W // 2, 2])
    best = tl.max(tl.max(v, 3), 1)
    down = tl.arange(0, H // 2)[:, None] * (W // 2) + tl.arange(
        0, W // 2)[None, :]
    tl.store(out + down, best)
