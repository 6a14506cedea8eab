"""Data on the move: transposes, stencils, convolutions, pooling."""

import numpy as np

from harness import bounds
from harness.case import Launch, cuda, given, i32, output
from harness.compare import exact, near
from harness.numbers import normal


@cuda("memory/transpose.cu")
def transpose(random):
    x = normal(random, (70, 45))
    return Launch((2, 3), [given(x), output("out", (45, 70), "f32"), i32(70),
                           i32(45)], {"out": exact(x.T)}, (32, 8))


@cuda("memory/transpose.cu")
def swap_middle(random):
    x = random.integers(0, 2 ** 16, (2, 5, 7, 6)).astype(np.uint16)
    return Launch((2, 2), [given(x), output("out", (2, 7, 5, 6), "u16"),
                           i32(5), i32(7), i32(3)],
                  {"out": exact(x.transpose(0, 2, 1, 3))}, 32)


@cuda("memory/transpose.cu")
def realign(random):
    x = random.integers(0, 256, 1024).astype(np.uint8)
    return Launch(2, [given(x), output("out", 999, "u8"), i32(13), i32(999)],
                  {"out": exact(x[13:1012])}, 128)


@cuda("memory/stencil.cu")
def stencil(random):
    x = normal(random, (37, 50))
    p = np.pad(x.astype(np.float64), 1)
    parts = np.stack([p[1:-1, :-2], p[1:-1, 2:], p[:-2, 1:-1], p[2:, 1:-1],
                      -4 * p[1:-1, 1:-1]])
    return Launch((4, 3), [given(x), output("out", (37, 50), "f32"), i32(50),
                           i32(37)],
                  {"out": near(parts.sum(0) / 4,
                               bounds.sum_error(parts, 0) / 4)}, (16, 16))


@cuda("memory/stencil.cu")
def life(random):
    first = random.integers(0, 2, (32, 32)).astype(np.uint8)
    board = first
    for _ in range(4):
        count = sum(np.roll(board, (dy, dx), (0, 1)) for dy in (-1, 0, 1)
                    for dx in (-1, 0, 1)) - board
        board = ((count == 3) | ((count == 2) & (board == 1))).astype(np.uint8)
    return Launch(1, [given(first), output("out", (32, 32), "u8")],
                  {"out": exact(board)}, (32, 32))


@cuda("memory/convolution.cu")
def constant_weights(random):
    x = normal(random, 203)
    taps = np.array([0.25, -1.0, 3.0, 0.5])
    terms = np.array([[taps[(k + i) % 4] * np.float64(x[i + k])
                       for k in range(4)] for i in range(200)])
    return Launch(2, [given(x), output("out", 200, "f32"), i32(200)],
                  {"out": near(terms.sum(1),
                               2 * bounds.sum_error(terms, 1))}, 128)


@cuda("memory/convolution.cu")
def conv2d(random):
    x, w = normal(random, (3, 17, 20)), normal(random, (4, 3, 3, 3))
    padded = np.pad(x.astype(np.float64), ((0, 0), (1, 2), (1, 2)))
    windows = np.array([[padded[:, 2 * i:2 * i + 3, 2 * j:2 * j + 3].ravel()
                         for j in range(10)] for i in range(9)])
    flat = windows.reshape(90, 27)
    kernel = w.reshape(4, 27).astype(np.float64).T
    value = (flat @ kernel).T.reshape(4, 9, 10)
    bound = bounds.dot_error(flat, kernel).T.reshape(4, 9, 10)
    return Launch((2, 2, 4), [
        given(x), given(w), output("y", (4, 9, 10), "f32"), i32(3), i32(17),
        i32(20), i32(4)],
        {"y": near(value, bound, again=lambda: _conv_direct(padded, w))},
        (8, 8))


def _conv_direct(padded, w):
    value = np.zeros((4, 9, 10))
    for f, c, r, s in np.ndindex(4, 3, 3, 3):
        value[f] += padded[c, r:r + 18:2, s:s + 20:2] * np.float64(
            w[f, c, r, s])
    return value


@cuda("memory/convolution.cu")
def pool(random):
    planes, h, w = 3, 14, 18
    x = normal(random, (planes, h, w))
    oh, ow = 7, 9
    most = np.empty((planes, oh, ow), np.float32)
    where = np.empty((planes, oh, ow), np.int32)
    for p, i, j in np.ndindex(planes, oh, ow):
        part = x[p, 2 * i:2 * i + 3, 2 * j:2 * j + 3]
        r, s = np.unravel_index(part.argmax(), part.shape)
        most[p, i, j] = part.max()
        where[p, i, j] = (2 * i + r) * w + 2 * j + s
    parts = x.reshape(planes, oh, 2, ow, 2).astype(np.float64)
    return Launch(planes, [
        given(x), output("most", most.shape, "f32"),
        output("where", most.shape, "i32"), output("mean", most.shape, "f32"),
        i32(h), i32(w)],
        {"most": exact(most), "where": exact(where),
         "mean": near(parts.mean((2, 4)), bounds.gamma(4) * np.abs(
             parts).mean((2, 4)))}, (ow, oh))


@cuda("memory/convolution.cu")
def causal_conv1d(random):
    x, w = normal(random, (33, 100)), normal(random, (100, 4))
    padded = np.pad(x.astype(np.float64), ((3, 0), (0, 0)))
    terms = np.stack([padded[k:k + 33] * w[:, k] for k in range(4)])
    return Launch(2, [given(x), given(w), output("y", (33, 100), "f32"),
                      i32(33), i32(100)],
                  {"y": near(terms.sum(0), 2 * bounds.sum_error(terms, 0))},
                  64)
