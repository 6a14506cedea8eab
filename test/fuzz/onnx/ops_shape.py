"""Sizes as values, and tensors made from sizes."""

import numpy as np

from graph import Reject, attribute_tensor, is_static
from oracle import element_type
from registry import op
from values import ALL, F32, F64, I32, I64, NUMBERS, BOOL


@op("Shape", since=9, weight=1)
def shape(g, name):
    t = g.pick(ALL)
    if g.opset >= 15 and g.chance(.5):
        g.node(name, [t], start=g.random.choice([None, -2, 0, 1, 9]),
               end=g.random.choice([None, -1, 1, 2, 9]))
    else:
        g.node(name, [t])


@op("Size", since=9, weight=.6)
def size(g, name):
    g.node(name, [g.pick(ALL)])


@op("ConstantOfShape", since=9, weight=1)
def constant_of_shape(g, name):
    dims = g.shape(g.random.choice([0, 1, 2, 3]))
    value = None
    if g.chance(.7):
        dtype = g.random.choice([F32, I64, I32, F64, BOOL])
        value = attribute_tensor(np.array([g.random.randint(0, 3)], dtype))
    g.node(name, [g.shape_tensor(dims)], value=value)


@op("Range", since=11, weight=1)
def ranges(g, name):
    if g.symbols and g.chance(.5):
        length = g.size_tensor(g.random.choice(list(g.symbols.values())))
        limit = g.node("Squeeze", [length] + (
            [g.ints([0])] if g.opset >= 13 else []))[0]
        start = g.ints(g.random.choice([0, 0, 0, 1, -2]))
        step = g.ints(g.random.choice([1, 1, 1, 2]))
        if g.chance(.2):
            start, limit, step = limit, g.ints(0), g.ints(-1)
        g.node(name, [start, limit, step])
        return
    dtype = g.random.choice([I64, I32, F32, F64])
    start = g.random.randint(-5, 5)
    step = g.random.choice([1, 1, 2, -1, -3]) if dtype.kind == "i" else \
        g.random.choice([.5, -.25, 1, 2])
    count = g.random.randint(0 if g.chance(.1) else 1, 9)
    g.node(name, [g.const(np.array(start, dtype)),
                  g.const(np.array(start + step * count, dtype)),
                  g.const(np.array(step, dtype))])


@op("EyeLike", since=9, weight=.6)
def eye_like(g, name):
    t = g.pick((F32, F64, I64, I32), rank=2)
    to = g.random.choice([None, F32, I64, F64])
    g.node(name, [t], k=g.random.choice([None, 0, 1, -2]),
           dtype=element_type(to) if to else None)


@op("HannWindow", "HammingWindow", "BlackmanWindow", since=17, weight=.3)
def window(g, name):
    g.node(name, [g.const(np.array(g.random.randint(3, 12), g.random.choice(
        [np.int64, np.int32])))], kind="elementwise",
        periodic=g.random.choice([None, 0, 1]))


