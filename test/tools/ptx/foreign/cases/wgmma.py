"""sm_90a: products of a warpgroup."""

import numpy as np

from harness import bounds
from harness.case import HOPPER, Launch, cuda, given, i32, output
from harness.compare import exact, near
from harness.numbers import normal, small_integers, unpack

from .hopper import tensor_map
from .tensor import pack_bits

ONLY = (HOPPER,)


def _wgmma(a, b, expected, steps=2):
    """64 rows of A, 32 of B, each of 32 * steps bytes."""
    name = {np.dtype(np.int32): "i32"}.get(expected.expected.dtype, "f32")
    rows = [np.ascontiguousarray(m).view(np.uint32) for m in (a, b)]
    assert all(row.shape[1] == 8 * steps for row in rows)
    return Launch(1, [given(rows[0]), given(rows[1]),
                      output("c", (64, 32), name), i32(steps)],
                  {"c": expected}, 128)


def _whole(random, dtype, k, sign=1, other=None):
    """Small whole numbers: the sums are exact."""
    other = other or dtype
    a = small_integers(random, (64, k), dtype)
    b = small_integers(random, (32, k), other)
    c = sign * (unpack(a, dtype) @ unpack(b, other).T) + 0.0
    return _wgmma(a, b, exact(c.astype(np.float32)))


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_f16(random):
    return _whole(random, "f16", 32)


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_bf16(random):
    return _whole(random, "bf16", 32, -1)


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_tf32(random):
    """The low 13 bits of an operand are not read."""
    a, b = (normal(random, (rows, 16)) for rows in (64, 32))
    cut = [(m.view(np.uint32) & np.uint32(0xffffe000)).view(np.float32).astype(
        np.float64) for m in (a, b)]
    c = -cut[0] @ cut[1].T
    return _wgmma(a, b, near(c, bounds.tensor_error(cut[0], cut[1].T,
                                                    "tf32")))


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_e4m3(random):
    a, b = (normal(random, (rows, 64), "f8E4M3FN") for rows in (64, 32))
    v, w = (unpack(m, "f8E4M3FN") for m in (a, b))
    return _wgmma(a, b, near(v @ w.T, bounds.tensor_error(v, w.T,
                                                          "f8 wgmma")))


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_e5m2_e4m3(random):
    return _whole(random, "f8E5M2", 64, 1, "f8E4M3FN")


def _whole_numbers(a, b):
    """Integers of all values, as stored."""
    c = a.astype(np.int64) @ b.T.astype(np.int64)
    return _wgmma(a, b, exact(c.astype(np.int32)), a.shape[1] // 32)


def _bytes(random, rows, k, signed=True):
    low = -128 if signed else 0
    return random.integers(low, low + 256, (rows, k)).astype(
        np.int8 if signed else np.uint8)


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_s8(random):
    return _whole_numbers(_bytes(random, 64, 96),
                          _bytes(random, 32, 96))


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_u8_s8(random):
    return _whole_numbers(_bytes(random, 64, 64, False),
                          _bytes(random, 32, 64))


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_s8_clamped(random):
    return _whole_numbers(_bytes(random, 64, 128),
                          _bytes(random, 32, 128))


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_b1(random):
    a, b = (random.integers(0, 2, (rows, 512)) for rows in (64, 32))
    return _wgmma(pack_bits(a, 1), pack_bits(b, 1),
                  exact((a @ b.T).astype(np.int32)))


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_f16_sums(random):
    a, b = (small_integers(random, (rows, 16), "f16") for rows in (64, 8))
    c = small_integers(random, (64, 8), "f16")
    out = c.astype(np.float64) + unpack(a, "f16") @ unpack(b, "f16").T
    return Launch(1, [given(a), given(b), given(c),
                      output("out", (64, 8), "f16")],
                  {"out": exact((out + 0.0).astype(np.float16))}, 128)


@cuda("hopper/wgmma.cu", targets=ONLY)
def wgmma_registers(random):
    a = small_integers(random, (64, 64), "bf16")
    b = small_integers(random, (64, 32), "bf16")
    v, w = unpack(a, "bf16"), unpack(b, "bf16")
    c = 2 * (v[:, :32] @ w[:32]) + v[:, 32:] @ w[32:]
    return Launch(1, [given(a, "bf16"), given(b, "bf16"),
                      output("c", (64, 32), "f32")],
                  {"c": exact((c + 0.0).astype(np.float32))}, 128)


def _gemm_roles(a, b, c, expected):
    stages, tiles = 3 * (2 * 64 * 64 + 64 * 32) * 2, 2 * 64 * 32 * 2
    return Launch((b.shape[1] // 32, a.shape[0] // 128), [
        tensor_map(given(a), (64, 64), "128B"),
        tensor_map(given(b), (64, 32), "64B"),
        tensor_map(c, (64, 32)), i32(a.shape[1] // 64)], expected, 384,
        shared=stages + tiles)


@cuda("hopper/gemm.cu", targets=ONLY)
def gemm_roles(random):
    a = small_integers(random, (256, 320), "f16")
    b = small_integers(random, (320, 64), "f16")
    c = a.astype(np.float64) @ b
    return _gemm_roles(a, b, output("c", (256, 64), "f16"),
                       {"c": exact((c + 0.0).astype(np.float16))})


@cuda("hopper/gemm.cu", "gemm_roles", targets=ONLY)
def gemm_roles_values(random):
    a, b = normal(random, (128, 256), "f16"), normal(random, (256, 32), "f16")
    v, w = a.astype(np.float64), b.astype(np.float64)
    c = v @ w
    bound = bounds.tensor_error(v, w, "f16")
    return _gemm_roles(a, b, output("c", (128, 32), "f16"), {
        "c": near(c, bound + bounds.rounding(np.abs(c) + bound, "f16"))})
