"""Convolutions and pooling."""

import numpy as np

from graph import Reject, is_static
from ops_contract import scale, zero_point
from ops_elementwise import maybe
from registry import op
from values import F16, F32, F64, I8, U8


def window(g, rank, kernel, stride=True):
    """Attributes of a window: kernel, strides, dilations, pads."""
    more = {"kernel_shape": kernel}
    if stride and g.chance(.5):
        more["strides"] = [g.random.choice([1, 1, 2, 3]) for _ in range(rank)]
    if g.chance(.25):
        more["dilations"] = [g.random.choice([1, 1, 2]) for _ in range(rank)]
    choice = g.random.random()
    if choice < .45:
        more["pads"] = [g.random.randint(0, 2) for _ in range(2 * rank)]
    elif choice < .7:
        more["auto_pad"] = g.random.choice(["SAME_UPPER", "SAME_LOWER",
                                            "VALID"])
        if more["auto_pad"] != "VALID":
            more.pop("dilations", None)
    elif choice < .75:
        more["auto_pad"] = "NOTSET"
    return more


def spatial(g, rank, low=3, high=9):
    return [g.size(low, high, symbolic=g.chance(.6)) for _ in range(rank)]


def image(g, rank, dtypes=(F32,), channels=None):
    """An input [N, C, ...] with static channels."""
    def fits(t):
        return is_static(t.dims[1]) and (channels is None or
                                         t.dims[1][0] == channels)
    found = g.live(lambda t: t.dtype in dtypes and t.rank == rank + 2 and
                   fits(t) and g.within(t, (-100, 100)))
    if found and g.chance(.5):
        return found
    return g.leaf(g.random.choice(list(dtypes)),
                  [g.size(1, 3), g.static(channels or g.random.randint(1, 6))]
                  + spatial(g, rank, high=9 if rank < 3 else 5))


def kernel_shape(g, rank):
    return [g.random.choice([1, 1, 2, 3, 3, 4] if rank < 3 else [1, 2])
            for _ in range(rank)]


def grouped(g, channels):
    """Groups, and output channels."""
    if not channels:
        raise Reject("no channels")
    group = g.random.choice([n for n in range(1, channels + 1)
                             if channels % n == 0])
    if g.chance(.6):
        group = 1
    return group, group * g.random.randint(1, 4 if group < 3 else 2)


@op("Conv", since=9, weight=3)
def conv(g, name):
    rank = g.random.choice([1, 2, 2, 2, 3])
    x = image(g, rank, g.random.choice([[F32]] * 4 + [[F64, F16]]))
    channels = x.dims[1][0]
    group, filters = grouped(g, channels)
    kernel = kernel_shape(g, rank)
    w = g.leaf(x.dtype, [g.static(n) for n in [filters, channels // group]
                         + kernel], constant=None if g.chance(.5) else True)
    bias = g.leaf(x.dtype, [g.static(filters)]) if g.chance(.5) else None
    more = window(g, rank, kernel)
    if g.chance(.3):
        del more["kernel_shape"]
    g.node(name, [x, w, bias], kind="sum", group=group if group > 1 else
           maybe(g, 1), **more)


@op("ConvInteger", since=10)
def conv_integer(g, name):
    rank = g.random.choice([1, 2, 2])
    x = image(g, rank, [U8, I8] if g.chance(.2) else [U8])
    channels = x.dims[1][0]
    group, filters = grouped(g, channels)
    kernel = kernel_shape(g, rank)
    w = g.leaf(g.random.choice([U8, I8]), [
        g.static(n) for n in [filters, channels // group] + kernel])
    zx = zero_point(g, x.dtype) if g.chance(.5) else None
    zw = zero_point(g, w.dtype) if g.chance(.4) else None
    g.node(name, [x, w, zx, zw], group=group, **window(g, rank, kernel))


@op("QLinearConv", since=10)
def qlinear_conv(g, name):
    rank = g.random.choice([1, 2, 2])
    dtype = g.random.choice([U8, I8])
    x = image(g, rank, [dtype])
    channels = x.dims[1][0]
    group, filters = grouped(g, channels)
    kernel = kernel_shape(g, rank)
    w = g.leaf(dtype, [g.static(n) for n in
                       [filters, channels // group] + kernel], constant=True)
    each = g.chance(.4)
    zw = g.const(np.zeros((filters,) if each else (), dtype))
    bias = g.leaf(np.dtype(np.int32), [g.static(filters)], (-100, 100),
                  constant=True) if g.chance(.5) else None
    g.node(name, [x, scale(g), zero_point(g, dtype), w,
                  scale(g, (filters,) if each else ()), zw, scale(g),
                  zero_point(g, dtype), bias], group=group,
           **window(g, rank, kernel))


@op("ConvTranspose", since=9, weight=1.5)
def conv_transpose(g, name):
    rank = g.random.choice([1, 2, 2, 3])
    x = image(g, rank)
    channels = x.dims[1][0]
    group = grouped(g, channels)[0]
    filters = g.random.randint(1, 3)
    kernel = kernel_shape(g, rank)
    w = g.leaf(F32, [g.static(n) for n in [channels, filters] + kernel],
               constant=None if g.chance(.3) else True)
    bias = g.leaf(F32, [g.static(filters * group)]) if g.chance(.5) else None
    more = window(g, rank, kernel)
    strides = more.get("strides", [1] * rank)
    if g.chance(.2):
        more["strides"] = list(kernel)
        strides = kernel
    if g.chance(.25):
        more["output_padding"] = [g.random.randrange(max(1, s))
                                  for s in strides]
    if g.chance(.15) and all(is_static(s) for s in x.dims[2:]):
        more.pop("output_padding", None)
        more.pop("pads", None)
        more["output_shape"] = [s[0] * n + g.random.randint(0, 1)
                                for s, n in zip(x.dims[2:], strides)]
    g.node(name, [x, w, bias], kind="sum", group=group, **more)


@op("MaxPool", since=10, weight=2)
def max_pool(g, name):
    rank = g.random.choice([1, 2, 2, 2, 3])
    x = image(g, rank, g.random.choice([[F32]] * 4 + [[F64]] + (
        [[U8, I8]] if g.opset >= 12 else [])))
    more = window(g, rank, kernel_shape(g, rank))
    if "pads" in more:
        more["pads"] = [min(p, (k - 1)) for p, k in
                        zip(more["pads"], more["kernel_shape"] * 2)]
    g.node(name, [x], [True, g.chance(.2)],
           ceil_mode=g.random.choice([None, 0, 1]),
           storage_order=g.random.choice([None, None, 0, 1]), **more)


@op("AveragePool", since=10, weight=2)
@op("LpPool", since=11, weight=.7)
def average_pool(g, name):
    rank = g.random.choice([1, 2, 2, 2, 3])
    x = image(g, rank)
    more = window(g, rank, kernel_shape(g, rank))
    if "pads" in more:
        more["pads"] = [min(p, (k - 1)) for p, k in
                        zip(more["pads"], more["kernel_shape"] * 2)]
    if name == "AveragePool":
        if g.opset < 19:
            more.pop("dilations", None)
        more["count_include_pad"] = g.random.choice([None, 0, 1])
        more["ceil_mode"] = g.random.choice([None, 0, 1])
    else:
        if g.opset < 18:
            more.pop("dilations", None)
        else:
            more["ceil_mode"] = g.random.choice([None, 0, 1])
        more["p"] = g.random.choice([None, 1, 2, 3])
    g.node(name, [x], kind="sum", **more)


@op("Col2Im", since=18, weight=.7)
def col2im(g, name):
    size = [g.random.randint(2, 6) for _ in range(2)]
    block = [g.random.randint(1, n) for n in size]
    more = {}
    strides, dilations, pads = [1, 1], [1, 1], [0] * 4
    if g.chance(.4):
        strides = more["strides"] = [g.random.choice([1, 2]) for _ in range(2)]
    if g.chance(.3):
        pads = more["pads"] = [g.random.randint(0, 1) for _ in range(4)]
    if g.chance(.2):
        dilations = more["dilations"] = [1, g.random.choice([1, 2])]
    count = 1
    for i in range(2):
        extent = size[i] + pads[i] + pads[i + 2] - \
            dilations[i] * (block[i] - 1) - 1
        if extent < 0:
            raise Reject("the block is larger")
        count *= extent // strides[i] + 1
    channels = g.random.randint(1, 3)
    x = g.leaf(F32, [g.size(1, 3), g.static(channels * block[0] * block[1]),
                     g.static(count)])
    g.node(name, [x, g.ints(size), g.ints(block)], kind="sum", **more)
