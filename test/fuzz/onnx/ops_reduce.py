"""Reductions, scans along an axis and what normalizes along axes."""

import numpy as np

from graph import Reject
from ops_movement import axes_of, axis_of
from registry import op
from values import F16, F32, F64, I32, I64, I8, U8

DOMAINS = {"ReduceProd": (-3, 3), "ReduceLogSum": (.125, 50),
           "ReduceLogSumExp": (-20, 20), "ReduceSumSquare": (-50, 50)}


@op("ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", since=9, weight=1.5)
@op("ReduceL1", "ReduceL2", "ReduceProd", "ReduceLogSum", "ReduceLogSumExp",
    "ReduceSumSquare", since=9, weight=.7)
def reduce(g, name):
    exact = name in ("ReduceMax", "ReduceMin")
    dtypes = (F32, F64, F16, I32, I64)
    if name in ("ReduceLogSum", "ReduceLogSumExp", "ReduceL2"):
        dtypes = (F32, F64, F16)
    if exact and g.opset >= 12:
        dtypes += (I8, U8)
    t = g.pick(dtypes, domain=DOMAINS.get(name))
    inputs = g.opset >= (13 if name == "ReduceSum" else 18)
    axes = None if g.chance(.15) else axes_of(g, t, empty=inputs)
    if axes is not None and g.opset < 11:
        axes = [axis % t.rank for axis in axes]
    more = {"keepdims": g.random.choice([None, 0, 1])}
    kind = "exact" if exact else "sum"
    if not inputs:
        g.node(name, [t], kind=kind, axes=axes or None, **more)
        return
    if not axes and g.chance(.5):
        more["noop_with_empty_axes"] = 1
    g.node(name, [t, g.ints(axes) if axes is not None else None], kind=kind,
           **more)


@op("ArgMax", "ArgMin", since=9)
def arg(g, name):
    t = g.pick((F32, F64, I32, I64, I8, U8) if g.opset >= 13 else (F32, I32),
               rank=range(1, 6), fresh=.5)
    more = {"select_last_index": g.random.choice([None, 0, 1])} \
        if g.opset >= 12 else {}
    axis = axis_of(g, t, g.opset >= 11)
    if min(t.dims[axis]) < 1:
        raise Reject("an empty axis")
    g.node(name, [t], axis=None if axis == 0 and g.chance(.3) else axis,
           keepdims=g.random.choice([None, 0, 1]), **more)


@op("CumSum", since=11)
@op("CumProd", since=26, weight=.5)
def cumulate(g, name):
    t = g.pick((F32, F64, I32, I64), rank=range(1, 5),
               domain=(-2, 2) if name == "CumProd" else None)
    axis = g.const(np.array(axis_of(g, t), g.random.choice([np.int32,
                                                            np.int64])))
    g.node(name, [t, axis], kind="sum", exclusive=g.random.choice([None, 1]),
           reverse=g.random.choice([None, 1]))


@op("Softmax", "LogSoftmax", since=9, weight=1.5)
def softmax(g, name):
    t = g.pick((F32, F64, F16), rank=range(1, 5), domain=(-30, 30))
    axis = axis_of(g, t, g.opset >= 11)
    g.node(name, [t], kind="sum", axis=None if g.chance(.15) else axis)


@op("Hardmax", since=9, weight=.5)
def hardmax(g, name):
    t = g.pick((F32, F64), rank=range(1, 5), fresh=.6)
    axis = axis_of(g, t, g.opset >= 11)
    g.node(name, [t], axis=None if g.chance(.15) else axis)


@op("LpNormalization", since=9, weight=.6)
def lp_normalization(g, name):
    t = g.pick((F32, F64), rank=range(1, 5), domain=(.0625, 50), fresh=.5)
    g.node(name, [t], kind="sum", axis=axis_of(g, t),
           p=g.random.choice([None, 1, 2]))


@op("MeanVarianceNormalization", since=9, weight=.5)
def mean_variance(g, name):
    t = g.pick([F32], rank=4, low=2, fresh=.6)
    axes = g.random.choice([None, [0, 2, 3], [1], [2, 3], [0, 1, 2, 3]])
    g.node(name, [t], kind="sum", axes=axes)


@op("TopK", since=10, weight=1)
def top_k(g, name):
    t = g.pick((F32, F64, I64, I32) if g.opset >= 11 else (F32, F64),
               rank=range(1, 5), fresh=.6)
    axis = axis_of(g, t)
    low = min(t.dims[axis])
    if low < 1:
        raise Reject("an empty axis")
    k = g.ints([g.random.randint(1, low)])
    if g.symbols and g.chance(.15):
        k = g.size_tensor(t.dims[axis])
    more = {"largest": g.random.choice([None, 0, 1])} if g.opset >= 11 else {}
    g.node(name, [t, k], 2, axis=axis, **more)


@op("GlobalAveragePool", "GlobalMaxPool", since=9, weight=.7)
@op("GlobalLpPool", since=9, weight=.4)
def global_pool(g, name):
    t = g.pick([F32], rank=range(3, 6))
    more = {"p": g.random.choice([None, 1, 2, 3])} \
        if name == "GlobalLpPool" else {}
    g.node(name, [t], kind="exact" if name == "GlobalMaxPool" else "sum",
           **more)
