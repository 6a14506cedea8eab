"""Tensor cores: wmma, mma.sync, and the moves of fragments.

Small whole numbers make every sum exact, so that a wrong place or a wrong
element shows; normal values test the arithmetic to within its bound.
"""

import numpy as np

from harness import bounds, numbers
from harness.case import (Launch, ADA, HOPPER, AMPERE, changed, cuda, f32,
                          given, i32, output)
from harness.compare import exact, near
from harness.numbers import normal, small_integers, to_tf32, unpack


def pack_bits(values, bits):
    """Integers along the last axis into words of 32 bits, the first lowest."""
    per_word = 32 // bits
    parts = (values.astype(np.int64) & ((1 << bits) - 1)).reshape(
        *values.shape[:-1], -1, per_word)
    shifts = bits * np.arange(per_word)
    return (parts << shifts).sum(-1).astype(np.uint32)


def _wmma(random, dtype, out, shape, rows_of_b, m=32, n=64, k=48):
    """A launch of wmma.cu's product: whole numbers, exact."""
    a, b = (small_integers(random, (m, k), dtype),
            small_integers(random, (k, n), dtype))
    if out == "i32" and dtype == "u8":
        a, b = random.integers(0, 256, (2, m, n)).astype(np.uint8)
        a, b = a[:, :k], b[:m, :n]
        b = random.integers(0, 256, (k, n)).astype(np.uint8)
    c = unpack(a, dtype) @ unpack(b, dtype) if out[0] == "f" else (
        a.astype(np.int32) @ b.astype(np.int32))
    c = c.astype(numbers.STORAGE[out])
    stored = b if rows_of_b else np.ascontiguousarray(b.T)
    return Launch((n // shape[1], m // shape[0]), [
        given(np.ascontiguousarray(a), dtype), given(stored, dtype),
        output("c", (m, n), out), i32(n), i32(k)], {"c": exact(c)}, 32)


@cuda("tensor/wmma.cu")
def wmma_f16(random):
    return _wmma(random, "f16", "f32", (16, 16), True)


@cuda("tensor/wmma.cu")
def wmma_f16_f16(random):
    return _wmma(random, "f16", "f16", (32, 8), False)


@cuda("tensor/wmma.cu")
def wmma_bf16(random):
    return _wmma(random, "bf16", "f32", (8, 32), True)


@cuda("tensor/wmma.cu")
def wmma_s8(random):
    return _wmma(random, "i8", "i32", (16, 16), False)


@cuda("tensor/wmma.cu")
def wmma_u8(random):
    return _wmma(random, "u8", "i32", (32, 8), True)


@cuda("tensor/wmma.cu")
def wmma_tf32(random):
    return _wmma(random, "f32", "f32", (16, 16), True)


@cuda("tensor/wmma.cu")
def wmma_f64(random):
    a, b = random.standard_normal((2, 16, 20))
    return Launch((2, 2), [given(a), given(b), output("c", (16, 16), "f64"),
                           i32(16), i32(20)],
                  {"c": near(a @ b.T, bounds.dot_error(a, b.T, "f64"))}, 32)


@cuda("tensor/wmma.cu")
def wmma_s4(random):
    a, b = random.integers(-8, 8, (2, 16, 96))
    return Launch((2, 2), [
        given(pack_bits(a, 4)), given(pack_bits(b, 4)),
        output("c", (16, 16), "i32"), i32(16), i32(96)],
        {"c": exact((a @ b.T + 5).astype(np.int32))}, 32)


@cuda("tensor/wmma.cu")
def wmma_b1(random):
    a, b = random.integers(0, 2, (2, 16, 256))
    differ = (a[:, None] != b[None]).sum(-1)
    return Launch((2, 2), [
        given(pack_bits(a, 1)), given(pack_bits(b, 1)),
        output("c", (16, 16), "i32"), i32(16), i32(256)],
        {"c": exact(differ.astype(np.int32))}, 32)


@cuda("tensor/wmma.cu")
def wmma_scaled(random):
    a, b = (small_integers(random, (16, 16), "f16") for _ in range(2))
    c = small_integers(random, (16, 16), "f32")
    value = 0.5 * (a.T.astype(np.float64) @ b) + 3 * c
    return Launch(1, [given(a), given(b), changed("c", c), f32(0.5), f32(3)],
                  {"c": exact(value.T.astype(np.float32))}, 32)


def _launch(a, b, c, expected):
    """One warp of mma.cu; a and b are words of 32 bits, by rows."""
    return Launch(1, [given(a.view(np.uint32)), given(b.view(np.uint32)),
                      changed("c", c), i32(a.view(np.uint32).shape[1])],
                  {"c": expected}, 32)


def _floats(random, dtype, k, width=None):
    """Whole numbers; `dtype` as the operands are stored."""
    a, b = (small_integers(random, (rows, k), dtype) for rows in (16, 8))
    c = small_integers(random, (16, 8), "f32")
    d = unpack(a, dtype) @ unpack(b, dtype).T + c
    return _launch(a, b, c, exact(d.astype(np.float32)))


def _values(random, dtype, kind, k):
    """Normal values, within the tensor cores' bound."""
    a, b = normal(random, (16, k), dtype), normal(random, (8, k), dtype)
    if kind == "tf32":
        a, b = to_tf32(a), to_tf32(b)
    c = normal(random, (16, 8))
    x, y = unpack(a, dtype), unpack(b, dtype).T
    return _launch(a, b, c, near(x @ y + c,
                                 bounds.tensor_error(x, y, kind, c)))


@cuda("tensor/mma.cu")
def mma_f16(random):
    return _floats(random, "f16", 48)


@cuda("tensor/mma.cu", entry="mma_f16")
def mma_f16_values(random):
    return _values(random, "f16", "f16", 64)


@cuda("tensor/mma.cu")
def mma_f16_k8(random):
    return _floats(random, "f16", 24)


@cuda("tensor/mma.cu")
def mma_bf16(random):
    return _floats(random, "bf16", 48)


@cuda("tensor/mma.cu", entry="mma_bf16")
def mma_bf16_values(random):
    return _values(random, "bf16", "bf16", 64)


@cuda("tensor/mma.cu")
def mma_bf16_k8(random):
    return _floats(random, "bf16", 24)


@cuda("tensor/mma.cu")
def mma_tf32(random):
    return _floats(random, "f32", 24)


@cuda("tensor/mma.cu", entry="mma_tf32")
def mma_tf32_values(random):
    return _values(random, "f32", "tf32", 32)


@cuda("tensor/mma.cu")
def mma_tf32_k4(random):
    return _floats(random, "f32", 12)


def _integers(random, bits, signs, k, saturates=False):
    """Integers of `bits` bits, signed as `signs` = (of A, of B) say."""
    low = [-(1 << bits - 1) if sign else 0 for sign in signs]
    a, b = (random.integers(first, first + (1 << bits), (rows, k))
            for first, rows in zip(low, (16, 8)))
    c = random.integers(-2 ** 31, 2 ** 31, (16, 8))
    c[0], c[1] = 2 ** 31 - 1, -2 ** 31
    d = c.copy()
    step = 256 // bits
    for i in range(0, k, step):  # Saturates after each instruction.
        d = d + a[:, i:i + step] @ b[:, i:i + step].T
        d = np.clip(d, -2 ** 31, 2 ** 31 - 1) if saturates else d
    return _launch(pack_bits(a, bits), pack_bits(b, bits), c.astype(np.int32),
                   exact(numbers.wrap(d, "i32")))


@cuda("tensor/mma.cu")
def mma_s8(random):
    return _integers(random, 8, (True, True), 96)


@cuda("tensor/mma.cu")
def mma_s8_k16(random):
    return _integers(random, 8, (True, True), 48)


@cuda("tensor/mma.cu")
def mma_u8_s8(random):
    return _integers(random, 8, (False, True), 96, saturates=True)


@cuda("tensor/mma.cu")
def mma_s4(random):
    return _integers(random, 4, (True, True), 128)


@cuda("tensor/mma.cu")
def mma_u4(random):
    return _integers(random, 4, (False, False), 64)


def _one_bit(random, k, function):
    a, b = random.integers(0, 2, (16, k)), random.integers(0, 2, (8, k))
    c = random.integers(-99, 99, (16, 8)).astype(np.int32)
    count = function(a[:, None], b[None]).sum(-1)
    return _launch(pack_bits(a, 1), pack_bits(b, 1), c,
                   exact((c + count).astype(np.int32)))


@cuda("tensor/mma.cu")
def mma_b1_xor(random):
    return _one_bit(random, 512, np.bitwise_xor)


@cuda("tensor/mma.cu")
def mma_b1_and(random):
    return _one_bit(random, 256, np.bitwise_and)


def _f8(random, a_type, make, judge):
    a, b = make(random, (16, 32), a_type), make(random, (8, 32), "f8E4M3FN")
    c = small_integers(random, (16, 8), "f32")
    x, y = unpack(a, a_type), unpack(b, "f8E4M3FN").T
    return Launch(1, [given(a, a_type), given(b, "f8E4M3FN"),
                      changed("c", c)], {"c": judge(x, y, c)}, 32)


def _exact_f8(x, y, c):
    return exact((x @ y + c).astype(np.float32))


def _near_f8(x, y, c):
    return near(x @ y + c, bounds.tensor_error(x, y, "f8", c))


@cuda("tensor/mma_f8.cu", targets=(ADA, HOPPER))
def mma_e4m3(random):
    return _f8(random, "f8E4M3FN", small_integers, _exact_f8)


@cuda("tensor/mma_f8.cu", entry="mma_e4m3", targets=(ADA, HOPPER))
def mma_e4m3_values(random):
    return _f8(random, "f8E4M3FN", normal, _near_f8)


@cuda("tensor/mma_f8.cu", targets=(ADA, HOPPER))
def mma_e5m2(random):
    return _f8(random, "f8E5M2", small_integers, _exact_f8)


@cuda("tensor/mma_more.cu")
def mma_f64(random):
    a, b, c = (random.standard_normal(s) for s in ((8, 12), (8, 12), (8, 8)))
    value = a @ b.T + c
    bound = bounds.gamma(24, "f64") * (np.abs(a) @ np.abs(b.T) + np.abs(c))
    return Launch(1, [given(a), given(b), changed("c", c), i32(12)],
                  {"c": near(value, bound)}, 32)


@cuda("tensor/mma_more.cu")
def mma_f16_sums(random):
    a, b = normal(random, (16, 16), "f16"), normal(random, (8, 16), "f16")
    c = normal(random, (16, 8), "f16")
    x, y = a.astype(np.float64), b.T.astype(np.float64)
    return Launch(1, [given(a), given(b), changed("c", c)],
                  {"c": near(x @ y + c, bounds.tensor_error(
                      x, y, "f16", c, out="f16"))}, 32)


@cuda("tensor/mma_more.cu")
def mma_sparse(random):
    """Two of four are kept; PTX §9.7.14.6: their places in two bits each."""
    kept = small_integers(random, (16, 16), "f16")
    b = small_integers(random, (8, 32), "f16")
    places = np.array([np.sort(random.choice(4, 2, replace=False))
                       for _ in range(128)]).reshape(16, 8, 2)
    dense = np.zeros((16, 8, 4), np.float16)
    np.put_along_axis(dense, places, kept.reshape(16, 8, 2), 2)
    halves = ((places[..., 0] | places[..., 1] << 2).reshape(16, 2, 4)
              << 4 * np.arange(4)).sum(-1)
    metadata = np.zeros(32, np.uint32)
    for g in range(8):
        for half in range(2):
            metadata[4 * g + half] = halves[g, half] | halves[g + 8,
                                                              half] << 16
    c = dense.reshape(16, 32).astype(np.float64) @ b.T
    return Launch(1, [given(kept), given(b), given(metadata),
                      output("c", (16, 8), "f32")],
                  {"c": exact(c.astype(np.float32))}, 32)


@cuda("tensor/mma_more.cu")
def matrix_moves(random):
    rows = random.integers(0, 2 ** 16, (32, 8)).astype(np.uint16)
    words = lambda matrix: np.ascontiguousarray(matrix).view(np.uint32).ravel()
    out = [words(rows[np.arange(8 * j, 8 * j + 8) ^ 1]) for j in range(4)]
    out += [words(rows[16 + 8 * j:24 + 8 * j].T) for j in range(2)]
    out += [words(rows[:8]), words(rows[:8].T), words(rows[:8])]
    return Launch(1, [given(rows), output("out", (9, 32), "u32")],
                  {"out": exact(np.array(out))}, 32)


@cuda("tensor/mma_more.cu")
def mma_ldmatrix(random):
    a, b = normal(random, (128, 96), "bf16"), normal(random, (96, 128), "bf16")
    x, y = unpack(a, "bf16"), unpack(b, "bf16")
    return Launch((2, 2), [
        given(a, "bf16"), given(b, "bf16"), output("c", (128, 128), "f32"),
        i32(128), i32(96)],
        {"c": near(x @ y, bounds.tensor_error(x, y, "bf16"))}, 128)
