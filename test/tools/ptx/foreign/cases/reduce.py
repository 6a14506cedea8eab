"""Reductions and scans: trees, shuffles, groups, blocks that wait."""

import numpy as np

from harness import bounds
from harness.case import Launch, cuda, changed, given, i32, output
from harness.compare import exact, near
from harness.numbers import normal


@cuda("reduce/reduce.cu")
def reduce_shared(random):
    x = normal(random, 1000)
    rows = np.pad(x.astype(np.float64), (0, 24)).reshape(4, 256)
    return Launch(4, [given(x), output("out", 4, "f32"), i32(1000)],
                  {"out": near(rows.sum(1), bounds.sum_error(rows, 1))},
                  128, shared=512)


@cuda("reduce/reduce.cu")
def reduce_shuffle(random):
    x = normal(random, 5000)
    v = x.astype(np.float64)
    return Launch(5, [given(x), changed("out", np.zeros(1, np.float32)),
                      i32(5000)],
                  {"out": near([v.sum()], bounds.sum_error(v))}, 128)


@cuda("reduce/reduce.cu")
def reduce_groups(random):
    x = random.integers(-1000, 1000, (3, 4, 32)).astype(np.int32)
    sums = x.reshape(-1, 8).sum(1).astype(np.int32)
    most = np.empty_like(x)
    for warp in np.ndindex(3, 4):
        for label in range(4):
            same = (x[warp] & 3) == label
            if same.any():
                most[warp][same] = x[warp][same].max()
    return Launch(3, [given(x), output("sums", 48, "i32"),
                      output("most", x.shape, "i32")],
                  {"sums": exact(sums), "most": exact(most)}, 128)


@cuda("reduce/reduce.cu")
def reduce_redux(random):
    x = random.integers(-2 ** 31, 2 ** 31, (5, 32)).astype(np.int32)
    x[1] >>= 20
    rows = [x.sum(1, dtype=np.int64).astype(np.int32), x.min(1), x.max(1),
            np.bitwise_and.reduce(x, 1), np.bitwise_or.reduce(x, 1),
            x.view(np.uint32).max(1).view(np.int32)]
    return Launch(5, [given(x), output("out", (5, 6), "i32")],
                  {"out": exact(np.stack(rows, 1))}, 32)


@cuda("reduce/reduce.cu")
def argmax(random):
    x = normal(random, 3000)
    place = int(x.argmax())
    bits = int(x[place].view(np.uint32)) | 1 << 31
    key = np.array([bits << 32 | 3000 - place], np.uint64)
    return Launch(4, [given(x), changed("key", np.zeros(1, np.uint64)),
                      i32(3000)], {"key": exact(key)}, 64)


@cuda("reduce/reduce.cu")
def moments(random):
    x = normal(random, (3, 500)) + np.float32(4)
    v = x.astype(np.float64)
    mean, variance = v.mean(1), v.var(1)
    # Each merge errs by a few roundings of the mean (<= 10 here) and of the
    # squares' sum; an element passes 4 + 7 merges before the result.
    size = np.abs(v).max(1)
    bound = np.stack([bounds.gamma(3 * 11) * size,
                      bounds.gamma(8 * 11) * (variance + size)], 1)
    return Launch(3, [given(x), output("out", (3, 2), "f32"), i32(500)],
                  {"out": near(np.stack([mean, variance], 1), bound)}, 128)


@cuda("reduce/reduce.cu")
def dot_double(random):
    a, b = random.standard_normal((2, 1000))
    value = np.dot(a.astype(np.longdouble), b.astype(np.longdouble))
    return Launch(1, [given(a), given(b), output("out", 1, "f64"), i32(1000)],
                  {"out": near([value], bounds.gamma(1000, "f64")
                               * np.abs(a * b).sum())}, 128)


@cuda("reduce/scan.cu")
def scan_inclusive(random):
    x = random.integers(-2 ** 31, 2 ** 31, 256).astype(np.int32)
    return Launch(1, [given(x), output("out", 256, "i32")],
                  {"out": exact(np.cumsum(x, dtype=np.int32))}, 256)


@cuda("reduce/scan.cu")
def scan_exclusive(random):
    x = normal(random, 512)
    v = np.concatenate([[0], x.astype(np.float64)[:-1]])
    return Launch(1, [given(x), output("out", 512, "f32")],
                  {"out": near(np.cumsum(v), bounds.gamma(512)
                               * np.cumsum(np.abs(v)))}, 256)


@cuda("reduce/scan.cu")
def compact(random):
    x = random.integers(0, 1000, 1100).astype(np.int32)
    kept = x[x % 3 == 0]
    room = np.full(1100, -1, np.int32)
    expected = room.copy()
    expected[:kept.size] = kept
    return Launch(1, [given(x), changed("out", room),
                      output("count", 1, "i32"), i32(1100)],
                  {"out": exact(expected),
                   "count": exact(np.int32([kept.size]))}, 256)


@cuda("reduce/scan.cu")
def scan_lookback(random):
    x = random.integers(0, 2 ** 20, 40 * 128).astype(np.uint32)
    sums = np.cumsum(x, dtype=np.uint32)
    state = sums[127::128].astype(np.uint64) << np.uint64(2) | np.uint64(2)
    return Launch(40, [
        given(x), output("out", x.size, "u32"),
        changed("state", np.zeros(40, np.uint64)),
        changed("ticket", np.zeros(1, np.uint32))],
        {"out": exact(sums), "state": exact(state),
         "ticket": exact(np.uint32([40]))}, 128)


@cuda("reduce/scan.cu")
def scan_segments(random):
    x = random.integers(-100, 100, (6, 32)).astype(np.int32)
    first = (random.random((6, 32)) < 0.2).astype(np.int32)
    out = np.empty_like(x)
    for row in range(6):
        total = 0
        for lane in range(32):
            total = x[row, lane] + (0 if first[row, lane] else total)
            out[row, lane] = total
    return Launch(6, [given(x), given(first), output("out", (6, 32), "i32")],
                  {"out": exact(out)}, 32)
