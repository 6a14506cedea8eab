"""Triton's kernels of whole rows."""

import numpy as np

from harness import bounds
from harness.case import (Launch, changed, f32, given, i32, output, triton)
from harness.compare import exact, near, that
from harness.numbers import normal

from .nn import _softmax, _softmax_error


@triton("rows.py:softmax", "*fp32 *fp32 i32", {"N": 512})
def softmax(random):
    x = normal(random, (4, 300)) * np.float32(3)
    y = _softmax(x.astype(np.float64))
    return Launch(4, [given(x), output("y", x.shape, "f32"), i32(300)],
                  {"y": near(y, y * _softmax_error(x, 2))})


@triton("rows.py:softmax_many", "*fp16 *fp16 i32 i32", {"R": 4, "N": 256},
        num_warps=8, divisible=["n"])
def softmax_many(random):
    x = normal(random, (18, 240), "f16")
    y = _softmax(x.astype(np.float64))
    bound = y * _softmax_error(x.astype(np.float64), 2)
    return Launch(2, [given(x), output("y", x.shape, "f16"), i32(18),
                      i32(240)],
                  {"y": near(y, bound + bounds.rounding(y + bound, "f16"))})


@triton("rows.py:layer_norm", "*fp32 *fp32 *fp32 *fp32 *fp32 i32 fp32",
        {"N": 128})
def layer_norm(random):
    x = normal(random, (3, 200)) + np.float32(2)
    scale, shift = normal(random, 200), normal(random, 200)
    v = x.astype(np.float64)
    mean = v.mean(1, keepdims=True)
    inverse = 1 / np.sqrt(v.var(1, keepdims=True) + 1e-5)
    y = (v - mean) * inverse * scale + shift
    size = np.abs(v).mean(1, keepdims=True) * inverse
    terms = (np.abs(v - mean) * inverse + size) * np.abs(scale)
    statistics = np.concatenate([mean, inverse], 1)
    return Launch(3, [given(x), given(scale), given(shift),
                      output("y", x.shape, "f32"),
                      output("statistics", (3, 2), "f32"), i32(200),
                      f32(1e-5)],
                  {"y": near(y, 2 * bounds.gamma(210) * (
                      terms + np.abs(shift))),
                   "statistics": near(statistics, bounds.gamma(410) * np.abs(
                       statistics) * (1 + size))})


@triton("rows.py:moments", "*fp32 *fp32", {"M": 8, "N": 128})
def moments(random):
    x = normal(random, (8, 128)) + np.float32(3)
    v = x.astype(np.float64)
    size = np.abs(v).max(1)
    # Each of the 7 merges errs by a few roundings, division by 2 ulp.
    bound = np.array([bounds.gamma(7 * 8) * size,
                      bounds.gamma(7 * 14) * (v.var(1) + size)])
    return Launch(1, [given(x), output("out", (2, 8), "f32")],
                  {"out": near(np.array([v.mean(1), v.var(1)]), bound)})


@triton("rows.py:extremes", "*i32 *i32", {"M": 8, "N": 64})
def extremes(random):
    x = random.integers(-20, 20, (8, 64)).astype(np.int32)
    out = np.concatenate([x.argmax(1), x.argmin(1), x.max(0),
                          np.bitwise_xor.reduce(x, 0), [x.sum()]])
    ties = 8 + np.arange(8)

    def judge(found):
        """Of equal minima, any may be named."""
        found = found.astype(np.int64)
        rows, named = np.arange(8), found[ties]
        if ((named < 0) | (named >= 64)).any() or (
                x[rows, named] != x.min(1)).any():
            return f"places of minima {named}"
        rest = np.delete(found, ties) != np.delete(out, ties)
        return f"{rest.sum()} values differ" if rest.any() else None
    return Launch(1, [given(x), output("out", out.size, "i32")],
                  {"out": that(out.shape, judge)})


@triton("rows.py:sums", "*i32 *i32 *i32 *i32", {"M": 32, "N": 64})
def sums(random):
    x = random.integers(-2 ** 31, 2 ** 31, (32, 64)).astype(np.int32)
    across = np.cumsum(x, 1, np.int32)
    back = np.cumsum(x[:, ::-1], 1, np.int32)[:, ::-1]
    return Launch(1, [given(x)] + [output(name, x.shape, "i32") for name in
                                   ("down", "across", "back")],
                  {"down": exact(np.cumsum(x, 0, np.int32)),
                   "across": exact(across), "back": exact(back)})


@triton("rows.py:sums", "*fp32 *fp32 *fp32 *fp32", {"M": 64, "N": 32},
        num_warps=8)
def sums_f32(random):
    x = normal(random, (64, 32))
    v = x.astype(np.float64)
    size = np.abs(v)

    def row(name, sums_of, steps):
        return near(sums_of(v), bounds.gamma(steps) * sums_of(size))
    turned = lambda a: np.cumsum(a[:, ::-1], 1)[:, ::-1]
    return Launch(1, [given(x)] + [output(name, x.shape, "f32") for name in
                                   ("down", "across", "back")],
                  {"down": row("down", lambda a: np.cumsum(a, 0), 64),
                   "across": row("across", lambda a: np.cumsum(a, 1), 32),
                   "back": row("back", turned, 32)})


@triton("rows.py:recurrence", "*fp32 *fp32 *fp32", {"M": 8, "N": 128})
def recurrence(random):
    a = random.random((8, 128)).astype(np.float32)
    b = normal(random, (8, 128))

    def run(b):
        h, total = np.empty((8, 128)), np.zeros(8)
        for t in range(128):
            total = h[:, t] = a[:, t] * total + b[:, t]
        return h
    h = run(b.astype(np.float64))
    return Launch(1, [given(a), given(b), output("out", h.shape, "f32")],
                  {"out": near(h, bounds.gamma(256) * run(
                      np.abs(b).astype(np.float64)))})


@triton("rows.py:sorts", "*i32 *i32 *i32 *i32", {"M": 4, "N": 128, "K": 8})
def sorts(random):
    x = random.integers(-2 ** 31, 2 ** 31, (4, 128)).astype(np.int32)
    up = np.sort(x, 1)
    return Launch(1, [given(x), output("up", x.shape, "i32"),
                      output("down", x.shape, "i32"),
                      output("most", (4, 8), "i32")],
                  {"up": exact(up), "down": exact(up[:, ::-1]),
                   "most": exact(up[:, :-9:-1])})


@triton("rows.py:sorts", "*fp16 *fp16 *fp16 *fp16",
        {"M": 2, "N": 64, "K": 4}, num_warps=2)
def sorts_f16(random):
    x = normal(random, (2, 64), "f16")
    up = np.sort(x, 1)
    return Launch(1, [given(x), output("up", x.shape, "f16"),
                      output("down", x.shape, "f16"),
                      output("most", (2, 4), "f16")],
                  {"up": exact(up), "down": exact(up[:, ::-1]),
                   "most": exact(up[:, :-5:-1])})


@triton("rows.py:histogram", "*i32 *i32 i32", {"N": 512, "BINS": 64})
def histogram(random):
    x = random.integers(0, 64, 1300).astype(np.int32)
    return Launch(3, [given(x), changed("out", np.ones(64, np.int32)),
                      i32(1300)],
                  {"out": exact((np.bincount(x, minlength=64) + 1).astype(
                      np.int32))})


@triton("rows.py:cross_entropy", "*fp32 *i32 *fp32 *fp32 i32", {"N": 256})
def cross_entropy(random):
    x = normal(random, (5, 200)) * np.float32(2)
    labels = random.integers(0, 200, 5).astype(np.int32)
    v, rows = x.astype(np.float64), np.arange(5)
    p = _softmax(v)
    gradient = p.copy()
    gradient[rows, labels] -= 1
    relative = _softmax_error(x, 2)
    loss = -np.log(p[rows, labels])
    return Launch(5, [given(x), given(labels), output("loss", 5, "f32"),
                      output("gradient", x.shape, "f32"), i32(200)],
                  {"loss": near(loss, relative + 16 * bounds.UNIT["f32"]
                                * (loss + np.abs(v).max())),
                   "gradient": near(gradient, p * relative + bounds.rounding(
                       gradient, "f32"))})
