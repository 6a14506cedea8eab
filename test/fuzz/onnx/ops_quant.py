"""Quantization."""

import numpy as np

from graph import Reject, is_static
from ops_contract import scale, zero_point
from oracle import element_type
from registry import op
from values import F16, F32, I8, I16, I32, U8, U16


def parameters(g, t, dtype, axis, zero=True):
    """Scale and zero point of a tensor or of each index of an axis."""
    dims = [] if axis is None else [t.dims[axis]]
    if dims and not is_static(dims[0]):
        factors = g.leaf(F32, dims, (0, 3))
        factors.values = [np.exp2(np.floor(v)).astype(np.float32)
                          for v in factors.values]
    else:
        factors = scale(g, tuple(size[0] for size in dims))
    point = zero_point(g, dtype, dims) if zero else None
    return factors, point


@op("QuantizeLinear", since=10, weight=1.5)
def quantize(g, name):
    t = g.pick([F32], domain=(-1000, 1000))
    types = [U8, U8, I8] + ([U16, I16] if g.opset >= 21 else [])
    dtype = g.random.choice(types)
    axis = None
    if g.opset >= 13 and t.rank and g.chance(.4):
        axis = g.random.randrange(t.rank)
    factors, point = parameters(g, t, dtype, axis, dtype != U8 or g.chance(.6))
    more = {}
    if axis is not None and not (axis == 1 and g.chance(.5)):
        more["axis"] = axis - t.rank if g.chance(.3) else axis
    if point is None and g.opset >= 21 and g.chance(.5):
        more["output_dtype"] = element_type(g.random.choice(types))
    g.node(name, [t, factors, point], **more)


@op("DequantizeLinear", since=10, weight=1.5)
def dequantize(g, name):
    types = [U8, I8, I32] + ([U16, I16] if g.opset >= 21 else [])
    t = g.pick(types, fresh=.4)
    axis = None
    if g.opset >= 21 and t.rank and g.chance(.3):
        axis = g.random.randrange(t.rank)
        if is_static(t.dims[axis]):
            return blocked(g, name, t, axis)
    if g.opset >= 13 and t.rank and g.chance(.4):
        axis = g.random.randrange(t.rank)
    else:
        axis = None
    factors, point = parameters(g, t, t.dtype, axis,
                                t.dtype != I32 and g.chance(.6))
    more = {}
    if axis is not None and not (axis == 1 and g.chance(.5)):
        more["axis"] = axis - t.rank if g.chance(.3) else axis
    g.node(name, [t, factors, point], kind="elementwise", **more)


def blocked(g, name, t, axis):
    number = t.dims[axis][0]
    block = g.random.choice([n for n in range(1, number + 1)
                             if number % n == 0] or [1])
    dims = list(t.dims)
    dims[axis] = g.static(number // block)
    factors = g.leaf(F32, dims, (.125, 2))
    point = zero_point(g, t.dtype, dims) if t.dtype != I32 else None
    g.node(name, [t, factors, point], kind="elementwise", axis=axis,
           block_size=block)


@op("DynamicQuantizeLinear", since=11, weight=.6)
def dynamic_quantize(g, name):
    t = g.pick([F32], domain=(-1000, 1000), fresh=.6)
    if any(not value.size for value in t.values):
        raise Reject("nothing to quantize")
    y, factor, point = g.node(name, [t], 3, kind="elementwise")
    for k, value in enumerate(t.values):
        # Away from the borders between integers.
        steps = value / factor.values[k]
        if np.any(np.abs(steps - np.floor(steps) - .5) < 1e-3):
            raise Reject("a value between two integers")
