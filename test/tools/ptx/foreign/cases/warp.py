"""Warps: votes, shuffles, divergence, barriers, special registers."""

import numpy as np

from harness.case import Launch, changed, cuda, given, i32, output
from harness.compare import exact
from harness.numbers import wrap


def _mask(lanes):
    return sum(1 << int(lane) for lane in lanes)


def _c_divide(v, by):
    return int(v / by)


@cuda("warp/warp.cu")
def votes(random):
    x = random.integers(-100, 100, (3, 32)).astype(np.int32)
    x[2] = random.integers(1, 80, 32)
    third = set(range(0, 32, 3))
    others = [lane for lane in range(16) if lane not in third]
    out = np.zeros((3, 32, 6), object)
    for b, row in enumerate(x.tolist()):
        same = 1 if b == 1 or len(set(row)) == 1 else 0
        for lane, v in enumerate(row):
            out[b, lane, 0] = _mask(i for i in range(32) if row[i] > 0)
            out[b, lane, 1] = (min(row) > -90) | (max(row) > 90) << 1
            out[b, lane, 2] = _mask(
                i for i in range(32)
                if _c_divide(row[i], 16) == _c_divide(v, 16))
            out[b, lane, 3:5] = [0xffffffff if same else 0, same]
            if lane in third:
                out[b, lane, 5] = _mask(i for i in third if row[i] & 1)
            elif lane < 16:
                out[b, lane, 5] = _mask(
                    i for i in others
                    if np.fmod(row[i], 4) == np.fmod(v, 4)) << 8
    return Launch(3, [given(x), output("out", (3, 32, 6), "u32")],
                  {"out": exact(wrap(out, "u32"))}, 32)


@cuda("warp/warp.cu")
def shuffles(random):
    x = random.integers(-2 ** 30, 2 ** 30, 32).astype(np.int32)
    lane = np.arange(32)
    keep = lambda source, good: np.where(good, source, lane)
    eight, sixteen = lane // 8 * 8, lane // 16 * 16
    sources = [
        lane * 7 % 32, keep(lane - 3, lane >= 3), keep(lane + 5, lane < 27),
        lane ^ 9, eight + (lane + 3) % 8,
        keep(lane - 2, lane - 2 >= sixteen),
        keep(lane + 6, lane + 6 < eight + 8),
        # Beyond its segment of 8, a lane keeps its own value or reads from
        # lower segments.
        keep(lane ^ 12, (lane ^ 12) < eight + 8),
        keep(lane + 1, lane < 31)]
    rows = [x[source] for source in sources]
    rows.append(np.where(lane < 12, x[np.minimum(lane + 20, 31)], -7))
    return Launch(1, [given(x), output("out", (10, 32), "i32")],
                  {"out": exact(np.array(rows, np.int32))}, 32)


def _collatz(v):
    n, steps = abs(v), 0
    while n not in (0, 1):
        n = 3 * n + 1 if n % 2 else n // 2
        if steps > 40:
            break
        steps += 1
    return steps


@cuda("warp/warp.cu")
def divergence(random):
    x = random.integers(-100, 100, (4, 32)).astype(np.int32)
    x[3] = -95
    first = np.full((4, 32), 12345, np.int32)
    out = first.astype(object)
    for b, row in enumerate(x.tolist()):
        total = sum(_collatz(v) for v in row if v >= -90)
        for lane, v in enumerate(row):
            if v < -90:
                continue
            if lane & 1:
                result = total + (1000 if v & 2 else 2000)
            else:
                result = [total ^ 77, (total - 5) * 2, total * 2,
                          total][v & 3]
            out[b, lane] = result
    return Launch(4, [given(x), changed("out", first)],
                  {"out": exact(wrap(out, "i32"))}, 32)


@cuda("warp/warp.cu")
def lane_relay(random):
    lanes = np.arange(32, dtype=np.int32)
    return Launch(1, [changed("turn", np.zeros(1, np.int32)),
                      output("out", 32, "i32")],
                  {"turn": exact(np.int32([32])), "out": exact(lanes * 4)}, 32)


@cuda("warp/warp.cu")
def named_barriers(random):
    x = random.integers(-999, 999, (5, 64)).astype(np.int32)
    return Launch(1, [given(x), output("out", 64, "i32"), i32(5)],
                  {"out": exact((2 * x[:, ::-1]).sum(0, dtype=np.int32))}, 128)


@cuda("warp/warp.cu")
def counting_barriers(random):
    x = random.integers(-100, 100, 96).astype(np.int32)
    value = int((x > 0).sum()) | 1 << 16 | int((x > 98).any()) << 17
    return Launch(1, [given(x), output("out", 96, "i32")],
                  {"out": exact(np.full(96, value, np.int32))}, 96)


@cuda("warp/warp.cu")
def registers(random):
    block, t = np.divmod(np.arange(96), 48)
    lane = t % 32
    ones = np.ones(96, np.int64)
    rows = [48 * ones, 2 * ones, (1 << lane) - 1, 2 ** 32 - (1 << lane),
            1 << lane, 32 * ones, block, 0 * ones]
    return Launch((1, 2), [output("out", (96, 8), "u32")],
                  {"out": exact(np.stack(rows, 1).astype(np.uint32))}, 48)
