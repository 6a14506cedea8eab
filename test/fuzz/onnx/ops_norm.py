"""Normalizations with parameters, and losses."""

import numpy as np

from graph import Reject
from ops_elementwise import eighths, maybe
from registry import op
from values import F16, F32, F64, I32, I64


def channels_first(g, low=2, ranks=range(2, 6)):
    return g.pick([F32], rank=ranks, fresh=.4, low=low, domain=(-30, 30))


@op("BatchNormalization", since=9)
def batch_normalization(g, name):
    x = channels_first(g, 1)
    channels = [x.dims[1]]
    inputs = [x, g.leaf(F32, channels), g.leaf(F32, channels),
              g.leaf(F32, channels), g.leaf(F32, channels, (.25, 4))]
    g.node(name, inputs, kind="sum", epsilon=maybe(g, eighths(g, 0, 1)),
           momentum=maybe(g, .5))


@op("InstanceNormalization", since=9)
def instance_normalization(g, name):
    x = channels_first(g, ranks=range(3, 6))
    channels = [x.dims[1]]
    g.node(name, [x, g.leaf(F32, channels), g.leaf(F32, channels)],
           kind="sum", epsilon=maybe(g, .0625))


@op("LayerNormalization", since=17, weight=1.5)
def layer_normalization(g, name):
    x = g.pick((F32, F64, F16), rank=range(1, 5), low=2, domain=(-30, 30))
    axis = g.random.choice([-1, -1, -1, None] + list(range(-x.rank, x.rank)))
    dims = x.dims[-1 if axis is None else axis:]
    bias = g.leaf(x.dtype, dims) if g.chance(.6) else None
    outputs = [True] if g.chance(.7) or x.dtype != F32 else [True, True, True]
    g.node(name, [x, g.leaf(x.dtype, dims), bias], outputs, kind="sum",
           axis=axis, epsilon=maybe(g, .0625))


@op("RMSNormalization", since=23)
def rms_normalization(g, name):
    x = g.pick((F32, F16), rank=range(1, 5), low=2, domain=(-30, 30))
    axis = g.random.choice([-1, -1, None] + list(range(-x.rank, x.rank)))
    dims = x.dims[-1 if axis is None else axis:]
    g.node(name, [x, g.leaf(x.dtype, dims)], kind="sum", axis=axis,
           epsilon=maybe(g, .0625))


@op("GroupNormalization", since=18)
def group_normalization(g, name):
    groups, each = g.random.choice([1, 2, 3]), g.random.choice([1, 2, 4])
    dims = [g.size(1, 3), g.static(groups * each)] + g.shape(
        g.random.randint(1, 2), 2, 5)
    x = g.leaf(F32, dims)
    scale = [g.static(groups if g.opset < 21 else groups * each)]
    g.node(name, [x, g.leaf(F32, scale), g.leaf(F32, scale)], kind="sum",
           num_groups=groups, epsilon=maybe(g, .0625))


@op("LRN", since=9, weight=.6)
def lrn(g, name):
    x = channels_first(g, 1, [4])
    g.node(name, [x], kind="sum", size=g.random.choice([1, 3, 5, 2]),
           alpha=maybe(g, .125), beta=maybe(g, .5), bias=maybe(g, 2.))


def targets(g, scores, classes):
    dims = [scores.dims[0]] + scores.dims[2:]
    return g.leaf(g.random.choice([I32, I64]), dims, (0, classes - 1))


@op("NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss", since=12,
    weight=.6)
def loss(g, name):
    classes = g.random.randint(1, 5)
    dims = [g.size(1, 4), g.static(classes)] + g.shape(
        g.random.choice([0, 0, 1, 2]), 1, 4)
    scores = g.leaf(F32, dims)
    weight = g.leaf(F32, [g.static(classes)], (.25, 2)) if g.chance(.4) \
        else None
    ignore = g.random.choice([None, None, 0, -1])
    if ignore == 0 and classes == 1:
        raise Reject("nothing is left")
    outputs = [True, g.chance(.4)] if name.startswith("Soft") else 1
    g.node(name, [scores, targets(g, scores, classes), weight], outputs,
           kind="sum", ignore_index=ignore,
           reduction=g.random.choice([None, "none", "sum", "mean"]))
