"""sm_90a: barriers in memory, clusters, bulk copies, tensor maps."""

import numpy as np

from harness.case import (HOPPER, Launch, TensorMap, changed, cuda, given,
                          i32, output, scratch)
from harness.compare import exact
from harness.numbers import small_integers, wrap

ONLY = (HOPPER,)


def _fold(rows, factor):
    """((row 0 * factor + row 1) * factor + ...) in 32 bits."""
    total = 0
    for row in rows:
        total = (total * factor + row.astype(np.int64)) & 0xffffffff
    return np.asarray(total).astype(np.uint32).view(np.int32)


@cuda("hopper/barrier.cu")
def library_barrier(random):
    x = random.integers(-999, 999, 64).astype(np.int32)
    t, total = np.arange(64), x.copy()
    for phase in range(4):
        total = total * 3 + total[(t * 5 + phase) & 63]
    return Launch(1, [given(x), output("out", 64, "i32")],
                  {"out": exact(total)}, 64)


@cuda("hopper/barrier.cu")
def library_pipeline(random):
    x = random.integers(-999, 999, (5, 128)).astype(np.int32)
    # Each thread reads four words, backward from the end of a stage.
    rows = [row[::-1].reshape(32, 4)[:, k] for row in x for k in range(4)]
    return Launch(1, [given(x), output("out", 32, "i32"), i32(5)],
                  {"out": exact(_fold(rows, 3))}, 32)


@cuda("hopper/barrier.cu")
def copy_arrive(random):
    x = random.integers(-999, 999, 101).astype(np.int32)
    tile = np.pad(x, (0, 27)).reshape(4, 32)
    return Launch(1, [given(x), output("out", (4, 32), "i32"), i32(101)],
                  {"out": exact(tile[:, np.arange(32) ^ 5])}, 32)


@cuda("hopper/bulk.cu", targets=ONLY)
def bulk_copy(random):
    x = small_integers(random, 1024, "f32")
    return Launch(4, [given(x), output("y", 1024, "f32")],
                  {"y": exact(x * 2 + 1)}, 256)


@cuda("hopper/bulk.cu", targets=ONLY)
def bulk_ring(random):
    x = random.integers(-999, 999, (11, 32)).astype(np.int32)
    lane = np.arange(32)
    rows = [row[lane ^ i % 32] for i, row in enumerate(x)]
    return Launch(1, [given(x), output("out", 32, "i32"), i32(11)],
                  {"out": exact(_fold(rows, 5))}, 64)


@cuda("hopper/bulk.cu", targets=ONLY)
def bulk_reduce(random):
    x = random.integers(-999, 999, (6, 64)).astype(np.int32)
    total = x.sum(0, dtype=np.int32)
    return Launch(6, [
        given(x), changed("sum", np.full(64, 5, np.int32)),
        changed("least", np.full(64, -900, np.int32)),
        changed("fsum", np.full(64, 0.5, np.float32))],
        {"sum": exact(total + np.int32(5)),
         "least": exact(np.minimum(x.min(0), -900).astype(np.int32)),
         "fsum": exact((total + 0.5).astype(np.float32))}, 64)


@cuda("hopper/cluster.cu", targets=ONLY)
def cluster_sum(random):
    x = random.integers(-999, 999, (2, 4, 64)).astype(np.int32)
    t = np.arange(64)
    rows = [x[:, rank, t ^ rank] for rank in range(4)]
    out = np.repeat(_fold(rows, 7)[:, None], 4, 1)
    return Launch(8, [given(x), output("out", x.shape, "i32")],
                  {"out": exact(out)}, 64, cluster=4)


@cuda("hopper/cluster.cu", targets=ONLY)
def cluster_histogram(random):
    x = (random.standard_normal(3000) * 40 + 128).clip(0, 255).astype(np.uint8)
    bins = np.bincount(x, minlength=256) + 3
    return Launch(4, [given(x), changed("bins", np.full(256, 3, np.uint32)),
                      i32(3000)],
                  {"bins": exact(bins.astype(np.uint32))}, 128, cluster=2)


@cuda("hopper/cluster.cu", targets=ONLY)
def cluster_ring(random):
    x = random.integers(-999, 999, (2, 4, 32)).astype(np.int32)
    value, rank = x, np.arange(4, dtype=np.int32)[:, None]
    for _ in range(5):
        value = np.roll(np.roll(value, 1, 1), -1, 2) * 3 + rank
    return Launch(8, [given(x), output("out", x.shape, "i32"), i32(5)],
                  {"out": exact(value.astype(np.int32))}, 32, cluster=4)


@cuda("hopper/cluster.cu", targets=ONLY)
def cluster_multicast(random):
    x = random.integers(-999, 999, (2, 4, 32)).astype(np.int32)
    out = np.empty_like(x)
    for rank in range(4):
        rows = [np.roll(x[:, i], -rank, 1) for i in range(4)]
        out[:, rank] = _fold(rows, 5) - x[:, 2] * x[:, 3, ::-1]
    return Launch(8, [given(x), output("out", x.shape, "i32")],
                  {"out": exact(out)}, 32, cluster=4)


@cuda("hopper/cluster.cu", targets=ONLY)
def cluster_arrive(random):
    x = random.integers(-999, 999, (3, 2, 32)).astype(np.int32)
    sums = x.reshape(3, 2, 16, 2).sum(2)[:, ::-1]
    sums[:, 1, 0] += 1000
    return Launch(6, [given(x), output("out", (3, 2, 2), "i32")],
                  {"out": exact(sums.astype(np.int32))}, 32, cluster=2)


@cuda("hopper/cluster.cu", targets=ONLY)
def cluster_registers(random):
    out = np.array([[x // 2, y // 2, 3, 2, x % 2, y % 2, 2, 2,
                     y % 2 * 2 + x % 2, 4] for y in range(4)
                    for x in range(6)], np.uint32)
    return Launch((6, 4), [output("out", out.shape, "u32")],
                  {"out": exact(out)}, 1, cluster=(2, 2))


def tensor_map(buffer, box, swizzle="none", steps=None):
    """A tensor map over a whole row-major array; `box` and `steps` as NumPy
    orders them."""
    shape = buffer.shape if buffer.array is None else buffer.array.shape
    return TensorMap(buffer, buffer.dtype, shape[::-1], box[::-1],
                     swizzle=swizzle, steps=steps and steps[::-1])


@cuda("hopper/tma.cu", targets=ONLY)
def tma_edges(random):
    x = small_integers(random, (37, 84), "f32")
    first = np.full((40, 92), -9, np.float32)
    out = first.copy()
    # The boxes begin 5 columns and 3 rows before the matrix.
    y, z = np.arange(48)[:, None], np.arange(96)
    added = y % 16 * 100 + z % 32
    wide = np.zeros((48, 96), np.float32)
    wide[3:40, 5:89] = x
    wide += added
    out[:, :91] = wide[3:43, 5:96]
    return Launch((3, 3), [tensor_map(given(x), (16, 32)),
                           tensor_map(changed("out", first), (16, 32))],
                  {"out": exact(out)}, 32)


def _swizzled(tile, span):
    """The bytes of a box, its rows as wide as the span, as TMA writes it from
    a multiple of 1024 bytes: bits 4-6 of an address ^= bits 7-9, as many as
    the span has."""
    data = np.frombuffer(np.ascontiguousarray(tile).tobytes(), np.uint8)
    place = np.arange(data.size)
    place ^= (place >> 7 & (span // 16 - 1)) << 4
    out = np.empty_like(data)
    out[place] = data
    return out.view(np.uint32)


@cuda("hopper/tma.cu", targets=ONLY)
def tma_swizzles(random):
    x = random.integers(0, 2 ** 32, (40, 64)).astype(np.uint32)
    out = np.full((3, 512), 77, np.uint32)
    for k, (row, column, span) in enumerate(
            [(0, 0, 32), (1, 2, 64), (5, 8, 128)]):
        words = span // 4
        box = x[row:row + 16, column:column + words]
        out[k, :16 * words] = _swizzled(box, span)
    maps = [tensor_map(given(x), (16, span // 4), f"{span}B")
            for span in (32, 64, 128)]
    return Launch(1, maps + [changed("out", np.full_like(out, 77))],
                  {"out": exact(out)}, 64)


@cuda("hopper/tma.cu", targets=ONLY)
def tma_transpose(random):
    x = random.integers(0, 2 ** 16, (128, 192)).astype(np.uint16)
    return Launch((3, 2), [
        tensor_map(given(x), (64, 64), "128B"),
        tensor_map(output("out", (192, 128), "u16"), (64, 64), "128B")],
        {"out": exact(np.ascontiguousarray(x.T))}, 128)


@cuda("hopper/tma.cu", targets=ONLY)
def tma_ranks(random):
    a = random.integers(0, 2 ** 16, (5, 6, 8)).astype(np.uint16)
    b = random.integers(0, 2 ** 16, (3, 4, 4, 4, 8)).astype(np.uint16)
    # Coordinates -2, 3, 1 of a box of 8, 4, 3; elements outside are zero.
    around = np.pad(a, ((0, 0), (0, 1), (2, 0)))
    box_a = around[1:4, 3:7, :8]
    # A step of 2 along the middle dimension, its last element outside.
    box_b = np.pad(b, ((0, 0), (0, 0), (0, 1), (0, 0), (0, 0)))[
        1:3, 2:4, 0:5:2, 1:3, :]
    return Launch(1, [
        tensor_map(given(a), (3, 4, 8)),
        tensor_map(given(b), (2, 2, 6, 2, 8), steps=(1, 1, 2, 1, 1)),
        output("out3", (3, 4, 8), "u16"),
        output("out5", (2, 2, 3, 2, 8), "u16")],
        {"out3": exact(box_a), "out5": exact(box_b)}, 64)


@cuda("hopper/tma.cu", targets=ONLY)
def tma_reduce(random):
    x = random.integers(-999, 999, (4, 8, 16)).astype(np.int32)
    first_total = np.full((12, 32), 0.5, np.float32)
    first_most = np.full((12, 32), -500, np.int32)
    total, most = first_total.copy(), first_most.copy()
    for block, tile in enumerate(x):
        for row, column in np.ndindex(8, 16):
            at = block * 8 - 4 + column
            if not 0 <= at < 32:
                continue
            if row + 2 < 12:
                total[row + 2, at] += tile[row, column]
            if row >= 1:
                most[row - 1, at] = max(most[row - 1, at], tile[row, column])
    return Launch(4, [
        tensor_map(changed("sum", first_total), (8, 16)),
        tensor_map(changed("most", first_most), (8, 16)),
        given(x)], {"sum": exact(total), "most": exact(most)}, 128)


@cuda("hopper/tma.cu", targets=ONLY)
def tma_multicast(random):
    x = small_integers(random, (16, 24), "f32")
    out = np.empty((6, 64), np.float32)
    for block in range(6):
        tiles = [x[8 * k:8 * k + 8, block // 2 * 8:block // 2 * 8 + 8].ravel()
                 for k in range(2)]
        t = np.arange(64)
        out[block] = np.where(t % 2, tiles[1], tiles[0]) * (block % 2 + 1)
    return Launch(6, [tensor_map(given(x), (8, 8)),
                      output("out", (6, 64), "f32")],
                  {"out": exact(out)}, 64, cluster=2)


@cuda("hopper/tma.cu", targets=ONLY)
def tma_replace(random):
    x = small_integers(random, (3, 10, 16), "f32")
    other = given(np.zeros((4, 16), np.float32))
    out = np.zeros((3, 8, 8), np.float32)
    out[:, :6] = x[:, 4:, 4:12]
    return Launch(3, [tensor_map(other, (8, 8)), given(x),
                      scratch((3, 128), "u8"),
                      output("out", (3, 8, 8), "f32"), i32(10)],
                  {"out": exact(out)}, 64)


@cuda("hopper/hints.cu")
def cache_hints(random):
    x = small_integers(random, (300, 4), "f32")
    out = x[:, ::-1].copy()
    out[:, 3] += x[:, 1]
    return Launch(3, [given(x), output("out", x.shape, "f32"), i32(300)],
                  {"out": exact(out)}, 128)


@cuda("hopper/hints.cu", targets=ONLY)
def elected(random):
    x = random.integers(-999, 999, 64).astype(np.int32)
    out = np.repeat(1000 + x.reshape(2, 32).sum(1), 32)
    return Launch(1, [given(x), output("out", 64, "i32")],
                  {"out": exact(out.astype(np.int32))}, 64)


@cuda("hopper/hints.cu", targets=ONLY)
def wide_atomics(random):
    place = np.array([[2 ** 64 - 100, 5]], np.uint64)
    low = np.arange(1, 65, dtype=np.uint64)
    total = int(low.sum())
    expected = wrap([[2 ** 64 - 100 + total, 5 + 3 * total]], "u64")
    out = np.tile(np.uint64([7, 8]), (64, 1))
    return Launch(1, [changed("place", place), changed("out", out)],
                  {"place": exact(expected),
                   "out": exact(np.stack([low, ~low], 1))}, 64)
