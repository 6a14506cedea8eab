"""Triton's matrix products and attention."""

import numpy as np

from harness import bounds, numbers
from harness.case import (ADA, AMPERE, HOPPER, Launch, changed, f32, given,
                          i32, output, triton)
from harness.compare import exact, near
from harness.numbers import normal, pack, small_integers, unpack

MATMUL = "matmul.py:matmul"


def _types(operand, result):
    return f"*{operand} *{operand} *{result} i32 i32 i32 i32 i32 i32"


def _blocks(m, n, k, total="tl.float32", precision="ieee", transposed=False):
    return {"BM": m, "BN": n, "BK": k, "SUM": total, "PRECISION": precision,
            "TRANSPOSED": transposed}


def _masked(a, b, dtype, out, blocks, judge, transposed=False):
    """A launch of matmul; `judge` makes the expectation of A B from their
    values."""
    (m, k), n = a.shape, b.shape[1]
    stored = np.ascontiguousarray(b.T) if transposed else b
    return Launch((-(-m // blocks[0]), -(-n // blocks[1])), [
        given(a, dtype), given(stored, dtype), output("c", (m, n), out),
        i32(m), i32(n), i32(k), i32(k), i32(stored.shape[1]), i32(n)],
        {"c": judge(unpack(a, dtype), unpack(b, dtype))})


def _whole(out):
    """The exact product."""
    return lambda a, b: exact(pack(np.float64(a) @ np.float64(b) + 0.0, out))


def _small(random, dtype, shape=(100, 80, 72)):
    m, k, n = shape
    return (small_integers(random, (m, k), dtype),
            small_integers(random, (k, n), dtype))


@triton(MATMUL, _types("fp32", "fp32"), _blocks(32, 32, 16))
def matmul_f32(random):
    a, b = normal(random, (100, 80)), normal(random, (80, 72))
    return _masked(a, b, "f32", "f32", (32, 32), lambda x, y: near(
        x @ y, bounds.dot_error(x, y)))


@triton(MATMUL, _types("fp32", "fp32"), _blocks(64, 32, 32, precision="tf32"))
def matmul_tf32(random):
    return _masked(*_small(random, "f32"), "f32", "f32", (64, 32),
                   _whole("f32"))


@triton(MATMUL, _types("fp32", "fp32"),
        _blocks(64, 64, 32, precision="tf32x3", transposed=True))
def matmul_tf32x3(random):
    """An operand is held as two tf32 of 2^-10 each; of the four products the
    smallest is left out."""
    a, b = normal(random, (100, 80)), normal(random, (80, 72))

    def judge(x, y):
        terms = np.abs(x) @ np.abs(y)
        return near(x @ y, 3 * bounds.tensor_error(x, y, "tf32")
                    + 4 * 2.0 ** -20 * terms)
    return _masked(a, b, "f32", "f32", (64, 64), judge, True)


@triton(MATMUL, _types("fp16", "fp32"), _blocks(64, 64, 32))
def matmul_f16(random):
    return _masked(*_small(random, "f16"), "f16", "f32", (64, 64),
                   _whole("f32"))


@triton(MATMUL, _types("fp16", "fp16"), _blocks(64, 32, 32, "tl.float16"))
def matmul_f16_sums(random):
    return _masked(*_small(random, "f16"), "f16", "f16", (64, 32),
                   _whole("f16"))


@triton(MATMUL, _types("bf16", "bf16"), _blocks(32, 64, 32, transposed=True),
        num_warps=2)
def matmul_bf16(random):
    a, b = normal(random, (50, 96), "bf16"), normal(random, (96, 70), "bf16")

    def judge(x, y):
        error = bounds.tensor_error(x, y, "bf16")
        return near(x @ y, error + bounds.rounding(np.abs(x @ y) + error,
                                                   "bf16"))
    return _masked(a, b, "bf16", "bf16", (32, 64), judge, True)


@triton(MATMUL, _types("i8", "i32"), _blocks(64, 32, 64, "tl.int32"))
def matmul_i8(random):
    a = random.integers(-128, 128, (100, 96)).astype(np.int8)
    b = random.integers(-128, 128, (96, 72)).astype(np.int8)
    return _masked(a, b, "i8", "i32", (64, 32), lambda x, y: exact(
        x.astype(np.int32) @ y.astype(np.int32)))


@triton(MATMUL, _types("fp8e4nv", "fp32"), _blocks(64, 64, 64),
        targets=(ADA, HOPPER))
def matmul_e4m3(random):
    return _masked(*_small(random, "f8E4M3FN", (100, 192, 72)), "f8E4M3FN",
                   "f32", (64, 64), _whole("f32"))


@triton(MATMUL, _types("fp8e5", "fp32"), _blocks(64, 32, 32, transposed=True),
        targets=(AMPERE, ADA, HOPPER))
def matmul_e5m2(random):
    return _masked(*_small(random, "f8E5M2"), "f8E5M2", "f32", (64, 32),
                   _whole("f32"), True)


@triton(MATMUL, _types("fp64", "fp64"), _blocks(32, 32, 16, "tl.float64"))
def matmul_f64(random):
    a, b = random.standard_normal((40, 24)), random.standard_normal((24, 50))
    return _masked(a, b, "f64", "f64", (32, 32), lambda x, y: near(
        x @ y, bounds.dot_error(x, y, "f64")))


ALIGNED = "matmul.py:matmul_aligned"
DIVISIBLE = ("k", "stride_a", "stride_b", "stride_c")


def _aligned_types(operand, result):
    return f"*{operand} *{operand} *{result} i32 i32 i32 i32"


def _aligned(a, b, dtype, out, blocks, judge):
    (m, k), n = a.shape, b.shape[1]
    return Launch((m // blocks[0], n // blocks[1]), [
        given(a, dtype), given(b, dtype), output("c", (m, n), out), i32(k),
        i32(k), i32(n), i32(n)], {"c": judge(unpack(a, dtype),
                                             unpack(b, dtype))})


@triton(ALIGNED, _aligned_types("fp16", "fp32"), {"BM": 64, "BN": 64,
                                                  "BK": 32},
        divisible=DIVISIBLE, num_warps=4, num_stages=2)
def pipelined_f16(random):
    return _aligned(*_small(random, "f16", (128, 160, 128)), "f16", "f32",
                    (64, 64), _whole("f32"))


@triton(ALIGNED, _aligned_types("bf16", "bf16"), {"BM": 128, "BN": 128,
                                                  "BK": 64},
        divisible=DIVISIBLE, num_warps=8, num_stages=3)
def pipelined_bf16(random):
    """Whole numbers below 2^8 in the end: sums of 256 products of -1 to 1."""
    a, b = (small_integers(random, shape, "bf16", 1)
            for shape in ((128, 256), (256, 128)))
    return _aligned(a, b, "bf16", "bf16", (128, 128), _whole("bf16"))


@triton(ALIGNED, _aligned_types("fp32", "fp32"), {"BM": 64, "BN": 128,
                                                  "BK": 32},
        divisible=DIVISIBLE, num_warps=4, num_stages=4)
def pipelined_tf32(random):
    return _aligned(*_small(random, "f32", (64, 192, 128)), "f32", "f32",
                    (64, 128), _whole("f32"))


@triton(ALIGNED, _aligned_types("fp8e5", "fp32"), {"BM": 128, "BN": 64,
                                                   "BK": 128},
        targets=(HOPPER,), divisible=DIVISIBLE, num_warps=4, num_stages=3)
def pipelined_e5m2(random):
    return _aligned(*_small(random, "f8E5M2", (128, 384, 64)), "f8E5M2",
                    "f32", (128, 64), _whole("f32"))


@triton(ALIGNED, _aligned_types("fp16", "fp16"), {"BM": 128, "BN": 64,
                                                  "BK": 64},
        targets=(HOPPER,), divisible=DIVISIBLE, num_warps=4, num_stages=3,
        num_ctas=2)
def two_blocks(random):
    """A tile over the two blocks of a cluster."""
    return _aligned(*_small(random, "f16", (128, 128, 128)), "f16", "f16",
                    (128, 64), _whole("f16"))


@triton("matmul.py:split_k", "*fp16 *fp16 *fp32 *i32 i32 i32 i32",
        {"BM": 32, "BN": 32, "BK": 32, "PARTS": 4},
        divisible=("m", "n", "k"))
def split_k(random):
    a, b = normal(random, (64, 256), "f16"), normal(random, (256, 96), "f16")
    x, y = a.astype(np.float64), b.astype(np.float64)
    return Launch((6, 4), [
        given(a), given(b), output("c", (64, 96), "f32"),
        changed("locks", np.zeros(6, np.int32)), i32(64), i32(96), i32(256)],
        {"c": near(x @ y, bounds.tensor_error(x, y, "f16")
                   + bounds.gamma(4) * (np.abs(x) @ np.abs(y))),
         "locks": exact(np.zeros(6, np.int32))})


@triton("matmul.py:persistent", "*fp16 *fp16 *fp16 i32 i32 i32",
        {"BM": 64, "BN": 64, "BK": 32, "GROUP": 2},
        divisible=("m", "n", "k"), num_stages=3)
def persistent(random):
    a, b = _small(random, "f16", (192, 96, 128))
    c = np.maximum(unpack(a, "f16") @ unpack(b, "f16"), 0)
    return Launch(4, [given(a), given(b), output("c", (192, 128), "f16"),
                      i32(192), i32(128), i32(96)],
                  {"c": exact(c.astype(np.float16))})


@triton("matmul.py:four_bits", "*fp16 *i8 *fp32 *fp32 i32 i32",
        {"BM": 32, "BN": 32, "BK": 64}, divisible=("n", "k"))
def four_bits(random):
    a = small_integers(random, (32, 128), "f16")
    codes = random.integers(-8, 8, (128, 64))
    pairs = (codes[0::2] & 15 | codes[1::2] << 4).astype(np.int8)
    scales = 2.0 ** random.integers(-3, 4, 64).astype(np.float32)
    c = (a.astype(np.float64) @ codes) * scales + 0.0
    return Launch(2, [given(a), given(pairs), given(scales.astype(np.float32)),
                      output("c", (32, 64), "f32"), i32(64), i32(128)],
                  {"c": exact(c.astype(np.float32))})


# OCP Microscaling Formats, section 5.3.3: codes 0 to 7 of e2m1.
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def _scaled(random, a_kind, b_kind):
    """Sums of products of scaled small numbers, exact in f32."""
    def operand(kind):
        """(what is stored, values), 64 elements along the last axis"""
        if kind == "e2m1":
            code = random.integers(0, 16, (64, 64))
            values = np.where(code & 8, -1, 1) * E2M1[code & 7]
            return (code[:, 0::2] | code[:, 1::2] << 4).astype(
                np.uint8), values
        dtype = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2"}[kind]
        stored = small_integers(random, (64, 64), dtype)
        return stored, unpack(stored, dtype)
    (a, x), (b, y) = operand(a_kind), operand(b_kind)
    scales = random.integers(124, 131, (2, 64, 2)).astype(np.uint8)
    power = 2.0 ** (scales.astype(np.float64) - 127).repeat(32, 2)
    c = (x * power[0]) @ (y * power[1]).T + 0.0
    return Launch(1, [
        given(a), given(scales[0]), given(np.ascontiguousarray(b.T)),
        given(scales[1]), output("c", (64, 64), "f32"), i32(64)],
        {"c": exact(c.astype(np.float32))})


def _scaled_options(a_kind, b_kind):
    return {"BM": 64, "BN": 64, "BK": 64, "A_KIND": a_kind, "B_KIND": b_kind,
            "A_PACK": 2 if a_kind == "e2m1" else 1,
            "B_PACK": 2 if b_kind == "e2m1" else 1}


SCALED = "*u8 *u8 *u8 *u8 *fp32 i32"


@triton("matmul.py:scaled", SCALED, _scaled_options("e2m1", "e2m1"))
def scaled_mxfp4(random):
    return _scaled(random, "e2m1", "e2m1")


@triton("matmul.py:scaled", SCALED, _scaled_options("e5m2", "e2m1"))
def scaled_mixed(random):
    return _scaled(random, "e5m2", "e2m1")


@triton("matmul.py:scaled", SCALED, _scaled_options("e4m3", "e4m3"),
        targets=(HOPPER,))
def scaled_mxfp8(random):
    return _scaled(random, "e4m3", "e4m3")


@triton("matmul.py:convolution", "*fp16 *fp16 *fp32 i32 i32 i32 i32",
        {"R": 3, "BP": 32, "BC": 16, "BF": 32}, divisible=("channels",))
def convolution(random):
    x = small_integers(random, (7, 9, 32), "f16")
    w = small_integers(random, (3, 3, 32, 32), "f16")
    around = np.pad(x.astype(np.float64), ((1, 1), (1, 1), (0, 0)))
    y = sum(around[r:r + 7, s:s + 9] @ w[r, s].astype(np.float64)
            for r in range(3) for s in range(3))
    return Launch(2, [given(x), given(w), output("y", (7, 9, 32), "f32"),
                      i32(32), i32(7), i32(9), i32(32)],
                  {"y": exact((y + 0.0).astype(np.float32))})


def _attention(random, dtype, length, depth, heads, block, causal):
    q, k, v = (normal(random, (heads, length, depth), dtype)
               for _ in range(3))
    x, y, z = (unpack(m, dtype) for m in (q, k, v))
    scale = depth ** -0.5
    out, bound = np.empty_like(x), np.empty_like(x)
    for h in range(heads):
        score = x[h] @ y[h].T * scale
        error = bounds.tensor_error(x[h], y[h].T, dtype) * scale + (
            bounds.gamma(4) * np.abs(score))
        if causal:
            hidden = np.triu_indices(length, 1)
            score[hidden], error[hidden] = -np.inf, 0
        p = np.exp(score - score.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        # Exponentials err by those of the score and of the maximum, 2^-22 and
        # their argument's rounding; each further block fades what there is.
        spread = np.abs(score[np.isfinite(score)]).max() * 2
        relative = 2 * (2 * error.max() + (length // block) * (
            2.0 ** -22 + 3 * bounds.UNIT["f32"] * (1 + spread))
            + bounds.gamma(length))
        size = p @ np.abs(z[h])
        out[h] = p @ z[h]
        bound[h] = (relative + bounds.UNIT[dtype]) * size + (
            2 * bounds.tensor_error(p, z[h], dtype))
    names = [given(m, dtype) for m in (q, k, v)]
    expected = near(out, bound + bounds.rounding(np.abs(out) + bound, dtype))
    return Launch((length // 64, heads), names + [
        output("out", out.shape, dtype), i32(length), f32(scale)],
        {"out": expected})


def _attention_types(dtype):
    return f"*{dtype} *{dtype} *{dtype} *{dtype} i32 fp32"


@triton("matmul.py:attention", _attention_types("fp16"),
        {"BM": 64, "BN": 32, "D": 64, "CAUSAL": True},
        divisible=("length",), num_warps=4, num_stages=2)
def attention_causal(random):
    return _attention(random, "f16", 128, 64, 2, 32, True)


@triton("matmul.py:attention", _attention_types("bf16"),
        {"BM": 64, "BN": 64, "D": 32, "CAUSAL": False},
        divisible=("length",), num_warps=4, num_stages=3)
def attention(random):
    return _attention(random, "bf16", 192, 32, 1, 64, False)
