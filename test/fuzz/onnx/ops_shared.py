"""Values that are read at their own indices and at others, step by step: a
compiler that computed them again for each reader would never end. Only graphs
of `--shared` have them."""

import numpy as np

from graph import Reject, is_static
from registry import op
from values import F32, F64, I32, I64


def gathered(g, t, axis):
    size = t.dims[axis]
    if not is_static(size):
        return reversed_along(g, t, axis)
    at = [g.random.randrange(-size[0], size[0]) for _ in range(size[0])]
    return g.node("Gather", [t, g.ints(at)], axis=axis)[0]


def gathered_elements(g, t, axis):
    if not all(is_static(size) for size in t.dims):
        return reversed_along(g, t, axis)
    shape = [size[0] for size in t.dims]
    at = np.array([g.random.randrange(shape[axis])
                   for _ in range(int(np.prod(shape)))], np.int64)
    return g.node("GatherElements", [t, g.const(at.reshape(shape))],
                  axis=axis)[0]


def sliced(g, t, axis, start, end, step=1):
    return g.node("Slice", [t, g.ints([start]), g.ints([end]), g.ints([axis]),
                            g.ints([step])])[0]


def reversed_along(g, t, axis):
    return sliced(g, t, axis, -1, -2**63, -1)


def shifted(g, t, axis):
    """Zeros come in at one end."""
    by = g.random.randint(1, 3)
    pads = [0] * (2 * t.rank)
    pads[axis] = by
    padded = g.node("Pad", [t, g.ints(pads)])[0]
    return sliced(g, padded, axis, 0, -by)


def rolled(g, t, axis):
    at = g.random.randint(1, 2)
    return g.node("Concat", [sliced(g, t, axis, at, 2**31 - 1),
                             sliced(g, t, axis, 0, at)], axis=axis)[0]


def transposed(g, t, axis):
    other = g.random.randrange(t.rank)
    if t.dims[axis] != t.dims[other]:
        raise Reject("not square")
    perm = list(range(t.rank))
    perm[axis], perm[other] = other, axis
    return g.node("Transpose", [t], perm=perm)[0]


def doubled(g, t, axis):
    """Every second element, each twice."""
    if any(n % 2 for n in t.dims[axis]):
        raise Reject("not even")
    half = sliced(g, t, axis, g.random.randrange(2), 2**31 - 1, 2)
    return g.node("Concat", [half, half], axis=axis)[0]


WAYS = (gathered, gathered_elements, reversed_along, shifted, rolled,
        transposed, doubled)


@op("SharedValues", since=13, weight=0)
def shared_values(g, name):
    t = g.pick((F32, F32, F64, I64, I32), rank=range(1, 4),
               accept=lambda t: min(map(min, t.dims)) > 0 and t.high() < 1e3)
    ways = [g.random.choice(WAYS) for _ in range(g.random.choice([1, 2, 3]))]
    for step in range(g.random.randint(2, 7)):
        way = g.random.choice(ways)
        other = way(g, t, g.random.randrange(t.rank))
        if t.dtype.kind == "f" and g.chance(.3):
            other = g.node("Tanh", [other], kind="elementwise")[0]
        t = g.node(g.random.choice(["Add", "Sub", "Max", "Min"]),
                   [t, other] if g.chance(.5) else [other, t],
                   kind="elementwise" if t.dtype.kind == "f" else "exact")[0]
