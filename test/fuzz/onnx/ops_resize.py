"""Resampling."""

import numpy as np

from graph import Reject, is_static
from ops_elementwise import maybe
from registry import op
from values import F16, F32, F64, I32, U8


def picture(g, ranks=(3, 4, 4, 4, 5), dtypes=(F32, F32, F32, F64, U8)):
    rank = g.random.choice(ranks)
    found = g.live(lambda t: t.dtype == F32 and t.rank == rank and
                   all(0 not in size for size in t.dims))
    if found and g.chance(.4):
        return found
    # Long lines have positions at ties and at whole numbers.
    high = g.random.choice([6, 6, 6, 64]) if rank == 3 else 6
    return g.leaf(g.random.choice(list(dtypes)), g.shape(2, 1, 3) +
                  g.shape(rank - 2, 1, high))


@op("Upsample", since=9, weight=.5)
def upsample(g, name):
    if g.opset > 9:
        raise Reject("gone")
    t = picture(g, (4,), (F32,))
    scales = g.const(np.array([1, 1] + [g.random.choice([1, 2, 3, 1.5])
                                        for _ in range(2)], np.float32))
    g.node(name, [t, scales], kind="elementwise",
           mode=g.random.choice([None, "nearest", "linear"]))


def attributes(g, mode):
    modes = ["half_pixel", "asymmetric", "align_corners",
             "pytorch_half_pixel"]
    if g.opset < 13 and mode == "nearest" and g.chance(.1):
        modes = ["tf_half_pixel_for_nn"]
    if g.opset >= 19:
        modes.append("half_pixel_symmetric")
    more = {"mode": None if mode == "nearest" and g.chance(.5) else mode,
            "coordinate_transformation_mode": g.random.choice([None] + modes)}
    if mode == "nearest":
        more["nearest_mode"] = g.random.choice(
            [None, "floor", "ceil", "round_prefer_floor",
             "round_prefer_ceil"])
    if mode == "cubic":
        more["cubic_coeff_a"] = g.random.choice([None, -.5])
        more["exclude_outside"] = g.random.choice([None, 1])
    if g.opset >= 18 and mode != "nearest" and g.chance(.15):
        more["antialias"] = 1
    return more


@op("Resize", since=10, weight=2.5)
def resize(g, name):
    if g.opset == 10:
        t = picture(g, (4,), (F32,))
        scales = g.const(np.array([1, 1] + [g.random.choice([1, 2, 3, .5])
                                            for _ in range(2)], np.float32))
        g.node(name, [t, scales], kind="elementwise",
               mode=g.random.choice([None, "nearest", "linear"]))
        return
    mode = g.random.choice(["nearest", "nearest", "linear", "cubic"])
    t = picture(g, (4,) if mode == "cubic" else (3, 4, 4, 4, 5),
                (F32, F32, F64, U8, I32) if mode == "nearest" else
                (F32, F32, F64))
    more = attributes(g, mode)
    spatial = list(range(2, t.rank))
    roi = None if g.opset >= 13 or g.chance(.3) else \
        g.const(np.zeros(0, np.float32))
    if g.opset >= 18 and g.chance(.3):
        more["axes"] = [a - t.rank if g.chance(.3) else a for a in spatial]
    axes = spatial if "axes" in more else list(range(t.rank))
    by_scales = g.chance(.5)
    if by_scales:
        numbers = [g.random.choice([1, 2, 2, 3, .5, 1.5, .75, 2.5, .7, 1.3,
                                    1 / 3, 2.2, g.random.uniform(.3, 3)])
                   if axis in spatial else 1 for axis in axes]
        inputs = [t, roi, g.const(np.array(numbers, np.float32))]
    else:
        high = g.random.choice([9, 9, 64]) if t.rank == 3 else 9
        dims = [g.size(1, high) if axis in spatial else t.dims[axis]
                for axis in axes]
        if g.opset >= 18 and g.chance(.2) and "axes" in more:
            more["keep_aspect_ratio_policy"] = g.random.choice(
                ["stretch", "not_larger", "not_smaller"])
        empty = None if g.opset >= 13 else g.const(np.zeros(0, np.float32))
        inputs = [t, roi, empty, g.shape_tensor(dims)]
    g.node(name, inputs, kind="elementwise", **more)


@op("GridSample", since=16, weight=1)
def grid_sample(g, name):
    rank = 2 if g.opset < 20 or g.chance(.8) else 3
    dims = [g.size(1, 3), g.size(1, 3)] + g.shape(rank, 1, 5)
    x = g.leaf(F32, dims)
    grid = g.leaf(F32, [dims[0]] + g.shape(rank, 1, 4) + [g.static(rank)],
                  (-1.2, 1.2))
    # Away from the borders between pixels.
    grid.values = [v + np.float32(.011) for v in grid.values]
    names = ["bilinear", "nearest", "bicubic"] if g.opset < 20 else \
        ["linear", "nearest", "cubic"]
    if rank == 3:
        names = names[:2]
    g.node(name, [x, grid], kind="elementwise", mode=g.random.choice(
        [None] + names), padding_mode=g.random.choice(
        [None, "zeros", "border", "reflection"]),
        align_corners=g.random.choice([None, 0, 1]))


@op("AffineGrid", since=20, weight=.6)
def affine_grid(g, name):
    rank = g.random.choice([2, 2, 3])
    batch = g.size(1, 3)
    theta = g.leaf(F32, [batch, g.static(rank), g.static(rank + 1)])
    dims = [batch, g.static(2)] + g.shape(rank, 1, 4)
    g.node(name, [theta, g.shape_tensor(dims)], kind="sum",
           align_corners=g.random.choice([None, 0, 1]))
