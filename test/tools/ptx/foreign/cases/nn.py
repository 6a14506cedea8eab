"""Layers of neural networks."""

import numpy as np

from harness import bounds, numbers
from harness.case import Launch, changed, cuda, f32, given, i32, output
from harness.compare import exact, near
from harness.numbers import normal


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _softmax_error(x, exp_ulps):
    """Relative: two exponentials of `exp_ulps`, whose argument's rounding is
    of a difference of up to `range`, and a sum of n."""
    spread = x.max() - x.min()
    one = 2 * exp_ulps * bounds.UNIT["f32"] + 3 * bounds.UNIT["f32"] * spread
    return 2 * one + bounds.gamma(x.shape[-1] + 3)


@cuda("nn/rows.cu")
def softmax(random):
    x = normal(random, (4, 300)) * np.float32(3)
    y = _softmax(x.astype(np.float64))
    return Launch(4, [given(x), output("y", x.shape, "f32"), i32(300)],
                  {"y": near(y, y * _softmax_error(x, 1),
                             again=lambda: np.exp(x - np.logaddexp.reduce(
                                 np.float64(x), 1)[:, None]))}, 128)


@cuda("nn/rows.cu")
def softmax_online(random):
    x = normal(random, (6, 150)) * np.float32(3)
    y = _softmax(x.astype(np.float64))
    # Each of n / 32 + 5 steps multiplies the sum by another exponential.
    return Launch(3, [given(x), output("y", x.shape, "f32"), i32(150)],
                  {"y": near(y, y * 11 * _softmax_error(x, 3))}, (32, 2))


@cuda("nn/rows.cu")
def layer_norm(random):
    x = normal(random, (3, 200)) + np.float32(2)
    scale, shift = normal(random, 200), normal(random, 200)
    v = x.astype(np.float64)
    mean, deviation = v.mean(1, keepdims=True), v.std(1, keepdims=True)
    y = (v - mean) / np.sqrt(deviation ** 2 + 1e-5) * scale + shift
    # The mean errs by gamma(n) of the mean of |x|; the rest is relative.
    size = np.abs(v).mean(1, keepdims=True) / deviation
    terms = (np.abs(v - mean) / deviation + size) * np.abs(scale)
    bound = 2 * bounds.gamma(210) * (terms + np.abs(shift))
    return Launch(3, [given(x), given(scale), given(shift),
                      output("y", x.shape, "f32"), i32(200), f32(1e-5)],
                  {"y": near(y, bound)}, 64)


@cuda("nn/rows.cu")
def rms_norm(random):
    x, weight = normal(random, (3, 512), "f16"), normal(random, 512, "f16")
    v = x.astype(np.float64)
    y = v / np.sqrt((v * v).mean(1, keepdims=True) + 1e-6) * weight
    bound = bounds.gamma(520) * np.abs(y)
    return Launch(3, [given(x), given(weight), output("y", x.shape, "f16"),
                      f32(1e-6)],
                  {"y": near(y, bound + bounds.rounding(
                      np.abs(y) + bound, "f16"))}, 64)


@cuda("nn/layers.cu")
def attention(random):
    q, k, v = (normal(random, (20, 64)) for _ in range(3))
    scores = q.astype(np.float64) @ k.T / 8
    scores[np.triu_indices(20, 1)] = -np.inf
    p = _softmax(scores)
    # Scores err by gamma(70) of their terms, which exp turns into relative
    # errors; up to 20 steps scale the sums again.
    score = (bounds.gamma(70) * np.abs(q).astype(np.float64) @ np.abs(k).T
             / 8).max()
    spread = np.abs(scores[np.isfinite(scores)]).max() * 2
    relative = 2 * (score + 20 * 4 * bounds.UNIT["f32"] * (spread + 2)
                    + bounds.gamma(80))
    return Launch(20, [given(q), given(k), given(v),
                       output("out", (20, 64), "f32"), f32(0.125)],
                  {"out": near(p @ v, relative * (p @ np.abs(v)))}, 32)


@cuda("nn/layers.cu")
def rotary(random):
    x = normal(random, (10, 16, 2))
    position, i = np.indices((10, 16))
    angle = position * 1e4 ** (-i / 16.0)
    turn = np.exp(1j * angle)
    z = (x[..., 0] + 1j * x[..., 1].astype(np.float64)) * turn
    # powf: 4 ulp and its argument's rounding (x ln 1e4); sincosf: 2 ulp.
    error = angle * bounds.UNIT["f32"] * (2 * 4 + 3 * 9.3) + 8 * bounds.UNIT[
        "f32"]
    bound = np.abs(x).sum(-1, keepdims=True) * (error[..., None]
                                                + bounds.gamma(3))
    return Launch(10, [changed("x", x), i32(16), f32(1e4)],
                  {"x": near(np.stack([z.real, z.imag], -1), bound)}, 16)


@cuda("nn/layers.cu")
def embedding(random):
    table = numbers.small_integers(random, (50, 64), "bf16", 9)
    tokens = np.int32([3, 49, 3, 0, -1, 17, 3, 49])
    rows = numbers.unpack(table, "bf16")
    gradients = np.zeros((50, 64), np.float32)
    for token in tokens[tokens >= 0]:
        gradients[token] += rows[token]
    out = np.where(tokens[:, None] < 0, 7, table[tokens]).astype(np.uint16)
    return Launch(8, [
        given(table, "bf16"), given(tokens),
        changed("out", np.full((8, 64), 7, np.uint16), "bf16"),
        changed("gradients", np.zeros((50, 64), np.float32))],
        {"out": exact(out), "gradients": exact(gradients)}, 32)


@cuda("nn/layers.cu")
def matrix_vector(random):
    a, x = normal(random, (6, 400), "f16"), normal(random, 400, "f16")
    u, v = a.astype(np.float64), x.astype(np.float64)
    bound = bounds.dot_error(u, v)
    return Launch(3, [given(a), given(x), output("y", 6, "f16"), i32(50)],
                  {"y": near(u @ v, bound + bounds.rounding(
                      np.abs(u @ v) + bound, "f16"))}, (32, 2))


@cuda("nn/layers.cu")
def activations(random):
    x = normal(random, 500)
    keep = random.integers(0, 2 ** 32, 16).astype(np.uint32)
    v = x.astype(np.float64)
    inner = 0.7978845608 * (v + 0.044715 * v ** 3)
    bit = keep[np.arange(500) // 32] >> np.uint32(1) * (
        np.arange(500) % 32).astype(np.uint32) & np.uint32(1)
    y = np.array([0.5 * v * (1 + np.tanh(inner)), v / (1 + np.exp(-v)),
                  np.where(v < 0, np.float32(0.01) * v, v),
                  np.where(bit, v * 2, 0)])
    # tanhf errs by 2 ulp, and where it nears -1 that is absolute.
    bound = bounds.ulps(y, 4)
    bound[0] += np.abs(v) * (4 + 6 * np.abs(inner)) * bounds.UNIT["f32"]
    bound[3] = 0
    return Launch(4, [given(x), given(keep), output("y", (4, 500), "f32"),
                      i32(500)], {"y": near(y, bound)}, 128)
