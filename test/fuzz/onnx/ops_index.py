"""Gather, scatter and what else reads indices."""

import numpy as np

from graph import Reject, is_static
from ops_movement import axis_of
from registry import op
from values import ALL, BOOL, F16, F32, F64, FLOATS, I32, I64, U8


def indices(g, dims, low, high, dtypes=(I64, I64, I32), constant=None):
    """Valid for each assignment; negative ones too."""
    if high < 1:
        raise Reject("nothing to index")
    negative = -high if low < 0 and g.chance(.5) else 0
    return g.leaf(g.random.choice(list(dtypes)), dims, (negative, high - 1),
                  constant)


@op("Gather", since=9, weight=3)
def gather(g, name):
    t = g.pick(ALL, rank=range(1, 5))
    axis = axis_of(g, t, g.opset >= 11)
    dims = g.shape(g.random.choice([0, 1, 1, 2]), 1, 5)
    low = -1 if g.opset >= 11 else 0
    at = indices(g, dims, low, min(t.dims[axis]),
                 constant=True if g.chance(.4) else None)
    g.node(name, [t, at], axis=None if axis == 0 and g.chance(.5) else axis)


@op("GatherElements", since=11)
def gather_elements(g, name):
    t = g.pick(ALL, rank=range(1, 5))
    axis = axis_of(g, t)
    dims = [size if g.chance(.6) else g.static(g.random.randint(
        1, max(1, min(size)))) for size in t.dims]
    dims[axis] = g.size(1, 5)
    at = indices(g, dims, -1, min(t.dims[axis]))
    g.node(name, [t, at], axis=None if axis == 0 and g.chance(.5) else axis)


@op("GatherND", since=11)
def gather_nd(g, name):
    t = g.pick((F32, I64, I32, F64, BOOL, U8), rank=range(1, 5))
    batch = g.random.choice([0, 0, 1, 2]) if g.opset >= 12 else 0
    if batch >= t.rank:
        batch = 0
    depth = g.random.randint(1, t.rank - batch)
    extents = [min(size) for size in t.dims[batch:batch + depth]]
    if min(extents) < 1:
        raise Reject("nothing to index")
    dims = t.dims[:batch] + g.shape(g.random.choice([0, 1, 1, 2]), 1, 4) + \
        [g.static(depth)]
    at = index_rows(g, dims, extents)
    g.node(name, [t, at], batch_dims=batch or None)


def index_rows(g, dims, extents, unique=False):
    """Index tuples in the last dimension, a different range for each column."""
    at = g.leaf(I64, dims, (0, 0), constant=None)
    arrays = []
    for value in at.values if at.kind == "input" else at.values[:1]:
        rows = value.reshape(-1, len(extents))
        count = len(rows)
        if unique:
            everything = int(np.prod(extents))
            if count > everything:
                raise Reject("more updates than elements")
            flat = g.random.sample(range(everything), count)
            rows = np.array([np.unravel_index(n, extents) for n in flat],
                            np.int64).reshape(count, len(extents))
        else:
            rows = np.array([[g.random.randint(-n if g.chance(.2) else 0,
                                               n - 1) for n in extents]
                             for _ in range(count)],
                            np.int64).reshape(count, len(extents))
        arrays.append(rows.reshape(value.shape))
    at.values = arrays if at.kind == "input" else arrays * g.count
    return at


@op("ScatterND", since=11)
def scatter_nd(g, name):
    t = g.pick((F32, I64, I32, F64), rank=range(1, 5))
    depth = g.random.randint(1, t.rank)
    extents = [min(size) for size in t.dims[:depth]]
    if min(extents) < 1:
        raise Reject("nothing to index")
    reduction = None
    if g.opset >= 16 and g.chance(.5):
        reduction = g.random.choice(["none", "add", "mul"] + (
            ["max", "min"] if g.opset >= 18 else []))
    head = g.shape(g.random.choice([1, 1, 2, 0]), 1, 3)
    at = index_rows(g, head + [g.static(depth)], extents,
                    reduction in (None, "none"))
    updates = g.leaf(t.dtype, head + t.dims[depth:], (-3, 3))
    g.node(name, [t, at, updates], kind="sum", reduction=reduction)


@op("ScatterElements", since=11, weight=1.2)
@op("Scatter", since=9, weight=.4)
def scatter_elements(g, name):
    if name == "Scatter" and g.opset > 10:
        raise Reject("gone")
    t = g.pick((F32, I64, I32, F64), rank=range(1, 4))
    axis = axis_of(g, t, False)
    reduction = None
    if g.opset >= 16 and g.chance(.5):
        reduction = g.random.choice(["none", "add", "mul"] + (
            ["max", "min"] if g.opset >= 18 else []))
    extent = min(t.dims[axis])
    dims = [size if g.chance(.7) else g.static(g.random.randint(
        1, max(1, min(size)))) for size in t.dims]
    dims[axis] = g.static(g.random.randint(1, max(1, min(extent, 4))))
    if extent < 1 or any(0 in size for size in dims):
        raise Reject("nothing to index")
    at = indices(g, dims, 0, extent, (I64, I32))
    if reduction in (None, "none"):
        arrays = []
        for value in at.values if at.kind == "input" else at.values[:1]:
            columns = np.moveaxis(value, axis, -1).copy()
            for row in columns.reshape(-1, columns.shape[-1]):
                row[:] = g.random.sample(range(extent), len(row))
            arrays.append(np.ascontiguousarray(np.moveaxis(
                columns, -1, axis)))
        at.values = arrays if at.kind == "input" else arrays * g.count
    updates = g.leaf(t.dtype, dims, (-3, 3))
    g.node(name, [t, at, updates], kind="sum", reduction=reduction,
           axis=axis - t.rank if g.chance(.3) and g.opset >= 11 else axis)


@op("OneHot", since=11)
def one_hot(g, name):
    depth = g.random.randint(1, 6)
    t = g.leaf(g.random.choice([I64, I32, F32]),
               g.shape(g.random.choice([1, 1, 2, 3]), 1, 4))
    t.values = [np.floor(v).astype(v.dtype) for v in t.values]
    dtype = g.random.choice([F32, I64, I32])
    pair = g.const(np.array([0, 1] if g.chance(.5) else [2, -3], dtype))
    shape = () if g.chance(.5) else (1,)
    if g.symbols and g.chance(.15):
        size = g.size_tensor(g.random.choice(list(g.symbols.values())))
    else:
        size = g.const(np.full(shape, depth, g.random.choice(
            [np.int64, np.int32, np.float32])))
    g.node(name, [t, size, pair],
           axis=g.random.choice([None, -1, 0, g.random.randint(
               -t.rank - 1, t.rank)]))


@op("Compress", since=9, weight=.1)
def compress(g, name):
    t = g.pick((F32, I64), rank=range(1, 4))
    axis = axis_of(g, t, False)
    condition = g.leaf(BOOL, [g.static(max(1, min(t.dims[axis])))])
    g.node(name, [t, condition], axis=axis)


@op("NonZero", since=9, weight=.05)
def non_zero(g, name):
    g.node(name, [g.pick((F32, I64, BOOL), rank=range(1, 4))])


@op("TensorScatter", since=24)
def tensor_scatter(g, name):
    batch, length = g.size(1, 3), g.random.randint(2, 6)
    dims = [batch, g.static(g.random.randint(1, 2)), g.static(length),
            g.static(3)]
    if g.chance(.3):
        dims.pop(1)
    cut = list(dims)
    new = g.random.randint(1, length)
    cut[-2] = g.static(new)
    dtype = g.random.choice([F32, F32, F16, I64])
    mode = g.random.choice([None, "linear", "circular"])
    high = length - new if mode != "circular" else length - 1
    at = g.leaf(I64, [batch], (0, high)) if g.chance(.7) else None
    g.node(name, [g.leaf(dtype, dims), g.leaf(dtype, cut), at], mode=mode,
           axis=g.random.choice([None, -2, len(dims) - 2]))
