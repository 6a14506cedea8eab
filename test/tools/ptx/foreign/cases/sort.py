"""Sorting, selecting, merging, counting."""

import numpy as np

from harness.case import Launch, cuda, changed, given, i32, output
from harness.compare import exact
from harness.numbers import normal


@cuda("sort/sort.cu")
def bitonic(random):
    keys = normal(random, (2, 512))
    values = np.tile(np.arange(512, dtype=np.int32), (2, 1))
    order = keys.argsort(1)
    return Launch(2, [changed("keys", keys), changed("values", values)],
                  {"keys": exact(np.sort(keys, 1)),
                   "values": exact(order.astype(np.int32))}, 256)


@cuda("sort/sort.cu")
def radix_digit(random):
    x = random.integers(0, 2 ** 32, (3, 256)).astype(np.uint32)
    order = (x >> np.uint32(8) & np.uint32(15)).argsort(1, kind="stable")
    return Launch(3, [given(x), output("out", (3, 256), "u32"), i32(8)],
                  {"out": exact(np.take_along_axis(x, order, 1))}, 256)


@cuda("sort/sort.cu")
def top_k(random):
    x = normal(random, (6, 200))
    x[0, 5] = x[0, 90] = 9  # Equal ones: the first index wins.
    order = (-x).argsort(1, kind="stable")[:, :7]
    return Launch(3, [given(x), output("values", (6, 7), "f32"),
                      output("places", (6, 7), "i32"), i32(200), i32(7)],
                  {"values": exact(np.take_along_axis(x, order, 1)),
                   "places": exact(order.astype(np.int32))}, (32, 2),
                  shared=2 * 200 * 4)


@cuda("sort/sort.cu")
def merge_path(random):
    a = np.sort(random.integers(0, 500, 300)).astype(np.int32)
    b = np.sort(random.integers(0, 500, 171)).astype(np.int32)
    return Launch(8, [given(a), i32(300), given(b), i32(171),
                      output("out", 471, "i32")],
                  {"out": exact(np.sort(np.concatenate([a, b])))}, 64)


@cuda("sort/sort.cu")
def neighbour_sort(random):
    x = random.integers(-999, 999, 101).astype(np.int16)
    board, rounds, swapped = x.copy(), 0, True
    while swapped:
        swapped = False
        for phase in (0, 1):
            for i in range(phase, 100, 2):
                if board[i] > board[i + 1]:
                    board[[i, i + 1]] = board[[i + 1, i]]
                    swapped = True
        rounds += 1
    return Launch(1, [changed("x", x), i32(101), output("rounds", 1, "i32")],
                  {"x": exact(np.sort(x)),
                   "rounds": exact(np.int32([rounds]))}, 64)


@cuda("sort/histogram.cu")
def histogram_shared(random):
    x = (random.standard_normal(5000) * 30 + 128).astype(np.uint8)
    return Launch(3, [given(x), changed("bins", np.ones(256, np.uint32)),
                      i32(5000)],
                  {"bins": exact((np.bincount(x, minlength=256) + 1).astype(
                      np.uint32))}, 128)


@cuda("sort/histogram.cu")
def histogram_match(random):
    x = random.integers(0, 256, 2000).astype(np.uint8)
    return Launch(4, [given(x), changed("bins", np.zeros(16, np.uint32)),
                      i32(500)],
                  {"bins": exact(np.bincount(x // 16, minlength=16).astype(
                      np.uint32))}, 128)
