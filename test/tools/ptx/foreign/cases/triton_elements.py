"""Triton's kernels of single elements."""

import math

import numpy as np

from harness import bounds, numbers
from harness.case import (ADA, HOPPER, Launch, changed, f32, given, i32,
                          output, triton)
from harness.compare import exact, near, that
from harness.numbers import normal, small_integers, wrap


@triton("elements.py:add", "*fp32 *fp32 *fp32 i32", {"N": 256})
def add(random):
    x, y = normal(random, (2, 1000))
    return Launch(4, [given(x), given(y), output("out", 1000, "f32"),
                      i32(1000)], {"out": exact(x + y)})


@triton("elements.py:add", "*bf16 *bf16 *bf16 i32", {"N": 1024},
        divisible=["n"], num_warps=2)
def add_bf16(random):
    x, y = normal(random, (2, 1008), "bf16")
    out = numbers.to_bf16(numbers.from_bf16(x) + numbers.from_bf16(y))
    return Launch(1, [given(x, "bf16"), given(y, "bf16"),
                      output("out", 1008, "bf16"), i32(1008)],
                  {"out": exact(out)})


@triton("elements.py:functions", "*fp32 *fp32 i32", {"N": 256})
def functions(random):
    """exp, exp2, log2, sin, cos, sqrt and rsqrt are PTX's .approx functions
    (§9.7.3); log, erf, tanh and cbrt libdevice's, 2 ulp or better."""
    x = normal(random, 512)
    x[np.abs(x) < 0.01] = 0.5
    v = x.astype(np.float64)
    a = np.float64(np.abs(x) + np.float32(0.125))
    steps = np.floor(np.float64(x * np.float32(3))) + np.ceil(
        np.float64(x * np.float32(5)))
    erf = np.vectorize(math.erf)(v)
    values = np.array([
        np.exp(v), np.exp2(v), np.log(a), np.log2(a), np.sin(v), np.cos(v),
        np.sqrt(a), 1 / np.sqrt(a), erf, 1 / (1 + np.exp(-v)), v / a, v / a,
        np.sqrt(a), steps, np.tanh(v), np.cbrt(v)])
    bound = bounds.ulps(values, 3)
    # An argument times log2(e) errs by two roundings.
    bound[0] += values[0] * 2 * bounds.UNIT["f32"] * np.abs(v)
    bound[2:4] += 2.0 ** -22
    bound[4:6] += 2.0 ** -20.5
    bound[9] += values[9] * 4 * bounds.UNIT["f32"] * (1 + np.abs(v))
    bound[11:13] = bounds.rounding(values[11:13], "f32")
    bound[13] = 0
    return Launch(2, [given(x), output("out", (16, 512), "f32"), i32(512)],
                  {"out": near(values, bound)})


@triton("elements.py:casts", "*fp32 *bf16 *fp16 *fp8e5 *i32", {"N": 512})
def casts(random):
    x = normal(random, 512) * np.float32(20)
    v = x.astype(np.float64)
    whole = np.trunc(np.float64(x * np.float32(100))) + np.trunc(v).astype(
        np.int64).astype(np.int8)
    half = x.astype(np.float16)
    return Launch(1, [
        given(x), output("b16", 512, "bf16"), output("f16", 512, "f16"),
        output("e5", 512, "f8E5M2"), output("whole", 512, "i32")],
        {"b16": exact(numbers.to_bf16(v)),
         "f16": exact(numbers.directed(v, "f16", "zero")),
         "e5": exact(numbers.to_f8(half.astype(np.float64), "f8E5M2")),
         "whole": exact(whole.astype(np.int32))})


@triton("elements.py:cast_e4", "*fp32 *fp8e4nv *fp16", {"N": 256},
        targets=(ADA, HOPPER))
def cast_e4(random):
    x = normal(random, 256) * np.float32(2) ** random.integers(-9, 10, 256)
    x = x.astype(np.float32)
    code = numbers.to_f8(x, "f8E4M3FN")
    back = numbers.unpack(code, "f8E4M3FN").astype(np.float16)
    return Launch(1, [given(x), output("e4", 256, "f8E4M3FN"),
                      output("back", 256, "f16")],
                  {"e4": exact(code), "back": exact(back)})


def _truncated(x, y):
    quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    return quotient, x - quotient * y


@triton("elements.py:integers", "*i32 *i32 *i32 i32", {"N": 128})
def integers(random):
    a = random.integers(-2 ** 31, 2 ** 31, 256).astype(np.int32)
    b = (random.integers(-2 ** 31, 2 ** 31, 256)
         >> random.integers(0, 29, 256)).astype(np.int32)
    b[:3], b[b == -1] = [0, 1, 3], 5
    rows = [[] for _ in range(8)]
    for x, y in zip(a.tolist(), b.tolist()):
        quotient, rest = _truncated(x, y or 7)
        low, high = (np.int32([x, y]).astype(np.int16)).tolist()
        wide = wrap([x * y], "i64").tolist()[0] >> 20
        product = wrap([low * high], "i16").tolist()[0]
        ux, uy = x % 2 ** 32, y % 2 ** 32
        for row, value in zip(rows, (
                quotient, rest, ux * uy >> 32, x << (y & 7) ^ 0,
                min(max(x, -y if y != -2 ** 31 else y), 1000), wide, product,
                ux // 1000)):
            row.append(value)
    shift = b & 15
    rows[3] = (wrap(rows[3], "i32") ^ (a >> shift)).tolist()
    return Launch(2, [given(a), given(b), output("out", (8, 256), "i32"),
                      i32(256)], {"out": exact(wrap(rows, "i32"))})


@triton("elements.py:packed_bytes", "*i8 *i8", {"N": 512})
def packed_bytes(random):
    x = random.integers(0, 256, (128, 4))
    out = np.abs(x - x[:, ::-1]).astype(np.uint8).view(np.int8)
    return Launch(1, [given(x.astype(np.uint8).view(np.int8)),
                      output("out", (128, 4), "i8")], {"out": exact(out)})


@triton("elements.py:moves", "*fp32 *fp32", {"M": 16, "N": 32})
def moves(random):
    x = small_integers(random, (16, 32), "f32")
    pairs = x.reshape(16, 16, 2)
    rows = [x.T, x[:, ::-1], pairs[..., ::-1], x,
            x.reshape(4, 4, 32).transpose(1, 2, 0),
            np.broadcast_to(x.sum(1)[:, None], x.shape)]
    out = np.array([row.ravel() for row in rows])
    return Launch(1, [given(x), output("out", out.shape, "f32")],
                  {"out": exact(out)})


@triton("elements.py:gather", "*fp16 *i32 *fp16", {"M": 16, "N": 64, "K": 32})
def gather(random):
    x = normal(random, (16, 64), "f16")
    places = random.integers(0, 64, (16, 32)).astype(np.int32)
    i, j = np.indices(x.shape)
    down = x[(i * 3 + j) % 16, j]
    out = np.concatenate([np.take_along_axis(x, places, 1).ravel(),
                          down.ravel()])
    return Launch(1, [given(x), given(places),
                      output("out", out.size, "f16")], {"out": exact(out)})


def _philox(counter, key, rounds):
    """Four 32-bit streams (Salmon et al., Parallel random numbers, 2011)."""
    low = np.uint64(0xffffffff)
    c = [np.uint64(v) * np.ones_like(counter, np.uint64) for v in (0,) * 4]
    c[0] = counter.astype(np.uint64)
    k = [np.uint64(key & 0xffffffff), np.uint64(key >> 32)]
    for _ in range(rounds):
        p, q = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [q >> np.uint64(32) ^ c[1] ^ k[0], q & low,
             p >> np.uint64(32) ^ c[3] ^ k[1], p & low]
        k = [k[0] + np.uint64(0x9E3779B9) & low,
             k[1] + np.uint64(0xBB67AE85) & low]
    return [row.astype(np.uint32).view(np.int32) for row in c]


def _uniform(values):
    values = np.where(values < 0, ~values, values)
    return values.astype(np.float32) * np.float32(4.6566127342e-10)


@triton("elements.py:random", "*i32 *fp32 i32 i32", {"N": 256})
def random_numbers(random):
    at = np.arange(512)
    words = np.array(_philox(at, 12345, 10))
    return Launch(2, [output("out", (4, 512), "i32"),
                      output("uniform", 512, "f32"), i32(12345), i32(512)],
                  {"out": exact(words),
                   "uniform": exact(_uniform(_philox(at, 12345, 7)[0]))})


@triton("elements.py:dropout", "*fp32 *fp32 fp32 i32 i32", {"N": 512})
def dropout(random):
    x = normal(random, 900)
    kept = _uniform(_philox(np.arange(900), 7, 10)[0]) > np.float32(0.25)
    out = np.where(kept, x.astype(np.float64) / 0.75, 0)
    return Launch(2, [given(x), output("out", 900, "f32"), f32(0.25), i32(7),
                      i32(900)], {"out": near(out, bounds.ulps(out, 2))})


@triton("elements.py:atomics",
        "*i32 *i32 *fp32 *i32 *fp32 *i32 *i32 *fp16 i32", {"N": 256})
def atomics(random):
    n = 700
    places = random.integers(0, 16, n).astype(np.int32)
    x = random.integers(-50, 50, n).astype(np.int32)
    swapped = random.integers(-2, 3, n).astype(np.int32)
    total, half = np.zeros(16, np.float32), np.zeros(16, np.float16)
    most, least = np.full(16, -40, np.int32), np.full(16, 3, np.float32)
    bits = random.integers(-2 ** 31, 2 ** 31, 48).astype(np.int32)
    arguments = [given(places), given(x)] + [
        changed(name, array.copy()) for name, array in (
            ("total", total), ("most", most), ("least", least),
            ("bits", bits), ("swapped", swapped), ("half", half))]
    np.add.at(total, places, x)
    np.maximum.at(most, places, x)
    np.minimum.at(least, places, x)
    np.bitwise_xor.at(bits[:16], places, x)
    np.bitwise_or.at(bits[16:32], places, x)
    np.bitwise_and.at(bits[32:], places, x)
    np.add.at(half, places, swapped + 1)
    return Launch(3, arguments + [i32(n)], {
        "total": exact(total), "most": exact(most), "least": exact(least),
        "bits": exact(bits), "swapped": exact(x), "half": exact(half)})


@triton("elements.py:locked", "*i32 *i32 *i32 *i32", {"N": 128},
        num_warps=2)
def locked(random):
    value = random.integers(-9, 9, 128).astype(np.int32)
    final = value.copy()
    for _ in range(6):
        final = final * 3 + 1
    whole = lambda found: None if sorted(found) == list(range(6)) else (
        f"tickets {found}")
    return Launch(6, [changed("lock", np.zeros(1, np.int32)),
                      changed("value", value),
                      changed("count", np.zeros(1, np.int32)),
                      output("out", 6, "i32")],
                  {"lock": exact(np.zeros(1, np.int32)),
                   "value": exact(final), "count": exact(np.int32([6])),
                   "out": that((6,), whole)})


@triton("elements.py:collatz", "*i32 *i32", num_warps=1)
def collatz(random):
    x = random.integers(1, 100, 8).astype(np.int32)
    out = []
    for v in x.tolist():
        steps = 0
        while v > 1:
            v, steps = (3 * v + 1 if v % 2 else v // 2), steps + 1
        out.append(steps)
    return Launch(8, [given(x), output("out", 8, "i32")],
                  {"out": exact(np.int32(out))})


@triton("elements.py:asserted", "*i32 *i32", {"N": 128}, debug=True)
def asserted(random):
    x = random.integers(0, 99, 128).astype(np.int32)
    return Launch(1, [given(x), output("out", 128, "i32")],
                  {"out": exact(x.sum(dtype=np.int32) - x)})


@triton("elements.py:pooling", "*fp16 *fp16", {"H": 16, "W": 32})
def pooling(random):
    x = normal(random, (16, 32), "f16")
    out = x.reshape(8, 2, 16, 2).max((1, 3))
    return Launch(1, [given(x), output("out", (8, 16), "f16")],
                  {"out": exact(out)})
