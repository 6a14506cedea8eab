"""Operators that arrange elements anew."""

import numpy as np
from onnx import helper

from graph import Reject, is_static
from registry import op
from values import ALL, F16, F32, F64, FLOATS, I32, I64, INTS, NUMBERS, U8


def axis_of(g, t, negative=True):
    if not t.rank:
        raise Reject("a scalar has no axis")
    axis = g.random.randrange(t.rank)
    return axis - t.rank if negative and g.chance(.4) else axis


def axes_of(g, t, empty=False):
    count = g.random.randint(0 if empty else min(1, t.rank), t.rank)
    axes = g.random.sample(range(t.rank), count)
    return [axis - t.rank if g.chance(.3) else axis for axis in axes]


@op("Transpose", weight=2)
def transpose(g, name):
    t = g.pick(ALL)
    perm = list(range(t.rank))
    g.random.shuffle(perm)
    g.node(name, [t], perm=None if g.chance(.15) else perm)


@op("Flatten", since=9)
def flatten(g, name):
    t = g.pick(ALL)
    low = -t.rank if g.opset >= 11 else 0
    axis = g.random.randint(low, t.rank)
    g.node(name, [t], axis=None if axis == 1 and g.chance(.5) else axis)


@op("Squeeze", weight=1.5)
def squeeze(g, name):
    t = g.pick(ALL, accept=lambda t: any(set(s) == {1} for s in t.dims),
               fresh=.1) if g.chance(.8) else g.leaf(
        F32, [g.static(1), g.size(), g.static(1)])
    ones = [i for i, size in enumerate(t.dims) if set(size) == {1}]
    if g.chance(.15) and len(ones) == len([s for s in t.dims if 1 in s]):
        g.node(name, [t])
        return
    axes = g.random.sample(ones, g.random.randint(1, len(ones)))
    axes = [a - t.rank if g.chance(.3) and g.opset >= 11 else a for a in axes]
    if g.opset < 13:
        g.node(name, [t], axes=sorted(axes))
    else:
        g.node(name, [t, g.ints(axes)])


@op("Unsqueeze", weight=2)
def unsqueeze(g, name):
    t = g.pick(ALL, rank=range(5))
    count = g.random.choice([1, 1, 1, 2])
    axes = g.random.sample(range(t.rank + count), count)
    if g.opset < 13:
        g.node(name, [t], axes=sorted(axes))
    else:
        if g.chance(.3):
            axes = [a - t.rank - count for a in axes]
        g.node(name, [t, g.ints(axes)])


def factors(g, number):
    """Two factors of a static size."""
    a = g.random.choice([d for d in range(1, number + 1) if number % d == 0])
    return a, number // a


def merged(g, t):
    """Dimensions of the same elements: neighbours merged, sizes split, sizes
    of 1 put in."""
    dims = list(t.dims)
    for _ in range(g.random.randint(1, 3)):
        choice = g.random.random()
        if choice < .45 and len(dims) >= 2:
            i = g.random.randrange(len(dims) - 1)
            dims[i:i + 2] = [tuple(a * b for a, b in
                                   zip(dims[i], dims[i + 1]))]
        elif choice < .8 and dims:
            i = g.random.randrange(len(dims))
            numbers = dims[i]
            common = int(np.gcd.reduce(numbers)) or 1
            a, _ = factors(g, common)
            parts = [g.static(a), tuple(n // a for n in numbers)]
            g.random.shuffle(parts)
            dims[i:i + 1] = parts
        elif len(dims) < 5:
            dims.insert(g.random.randint(0, len(dims)), g.static(1))
    return dims


@op("Reshape", weight=3)
def reshape(g, name):
    t = g.pick(ALL)
    dims = merged(g, t)
    unknown = [i for i, size in enumerate(dims) if not is_static(size)]
    zero = any(0 in size for size in dims)
    if g.chance(.15) and all(is_static(size) for size in dims):
        shape = g.shape_tensor(dims)
    elif len(unknown) <= 1 and not zero or g.chance(.3) and not zero:
        # Numbers with one -1, and 0 where the size stays.
        numbers, free = [], None
        for i, size in enumerate(dims):
            if i < t.rank and t.dims[i] == size and g.chance(.5):
                numbers.append(0)
            elif is_static(size):
                numbers.append(size[0])
            elif free is None:
                free = i
                numbers.append(-1)
            else:
                raise Reject("two sizes are unknown")
        if free is None and numbers and g.chance(.4):
            i = g.random.randrange(len(numbers))
            numbers[i] = -1
        shape = g.ints(numbers)
    else:
        shape = g.shape_tensor(dims)
    if g.opset < 14 and any(0 in size and (i >= t.rank or t.dims[i] != size)
                            for i, size in enumerate(dims)):
        raise Reject("a size of 0 would mean the operand's")
    allow = 1 if g.opset >= 14 and zero else None
    g.node(name, [t, shape], allowzero=allow)


@op("Expand", since=8, weight=1.5)
def expand(g, name):
    t = g.pick(ALL, rank=range(4))
    dims = [g.size() if set(size) == {1} and g.chance(.7) else size
            for size in t.dims]
    if g.chance(.3):
        dims = [g.size()] + dims
    cut = 0
    while len(dims) - cut > 0 and g.chance(.2):
        cut += 1
    dims = [g.static(1) if g.chance(.15) else size for size in dims[cut:]]
    g.node(name, [t, g.shape_tensor(dims)])


@op("Tile")
def tile(g, name):
    t = g.pick(ALL, rank=range(1, 4))
    repeats = [g.random.choice([1, 1, 2, 3]) for _ in range(t.rank)]
    if g.symbols and g.chance(.15):
        sizes = [g.size() if g.chance(.4) else g.static(r) for r in repeats]
        g.node(name, [t, g.shape_tensor(sizes)])
    else:
        if g.chance(.05):
            repeats[0] = 0
        g.node(name, [t, g.ints(repeats)])


@op("Concat", weight=2.5)
def concat(g, name):
    t = g.pick(ALL, rank=range(1, 6))
    axis = g.random.randrange(t.rank)
    parts = [t]
    for _ in range(g.random.choice([0, 1, 1, 1, 2, 3])):
        def fits(other):
            return other.dtype == t.dtype and other.rank == t.rank and all(
                a == b for i, (a, b) in enumerate(zip(other.dims, t.dims))
                if i != axis)
        found = g.live(fits) if g.chance(.5) else None
        if found is None:
            dims = list(t.dims)
            if not (g.large and g.chance(.6)):
                dims[axis] = g.size(0 if g.chance(.1) else 1)
            found = g.leaf(t.dtype, dims)
        parts.append(found)
    g.random.shuffle(parts)
    g.node(name, parts, axis=axis - t.rank if g.chance(.3) and g.opset >= 11
           else axis)


@op("Split", weight=1.5)
def split(g, name):
    t = g.pick(ALL, rank=range(1, 6))
    axis = g.random.randrange(t.rank)
    low, high = min(t.dims[axis]), max(t.dims[axis])
    attributes = {"axis": axis - t.rank if g.chance(.3) and g.opset >= 11
                  else axis}
    count = g.random.randint(1, max(1, min(4, high)))
    if low == high and g.chance(.6):
        cuts = sorted(g.random.randint(0, high) for _ in range(count - 1))
        sizes = [b - a for a, b in zip([0] + cuts, cuts + [high])]
        if g.opset < 13:
            g.node(name, [t], count, split=sizes, **attributes)
        else:
            g.node(name, [t, g.ints(sizes)], count, **attributes)
        return
    if g.opset >= 18:
        attributes["num_outputs"] = count
    elif any(n % count for n in t.dims[axis]):
        raise Reject("uneven")
    g.node(name, [t], count, **attributes)


def bound(g, sizes):
    if g.extreme and g.chance(.4):
        return g.end()
    choice = g.random.random()
    if choice < .08:
        return g.random.choice([10**9, 2**31 - 1, 2**63 - 1, -10**9, -2**63])
    high = max(sizes) + 1
    return g.random.randint(-high, high)


@op("Slice", weight=3)
def slices(g, name):
    t = g.pick(ALL, rank=range(1, 6))
    count = g.random.choice([1, 1, 2, t.rank])
    axes = g.random.sample(range(t.rank), min(count, t.rank))
    starts, ends, steps = [], [], []
    for axis in axes:
        step = g.random.choice([1, 1, 1, 1, 2, 3, -1, -2]) \
            if g.opset >= 10 else 1
        if g.extreme and g.opset >= 10 and g.chance(.4):
            step = g.end()
        low, high = bound(g, t.dims[axis]), bound(g, t.dims[axis])
        if g.chance(.6) and low >= 0 and high >= 0 and \
                (low > high) == (step > 0):
            low, high = high, low
        starts.append(low)
        ends.append(high)
        steps.append(step)
    if g.opset < 10:
        g.node(name, [t], starts=starts, ends=ends, axes=axes)
        return
    integer = np.int32 if g.chance(.1) else np.int64
    if integer == np.int32:
        starts = [int(np.clip(n, -2**31, 2**31 - 1)) for n in starts]
        ends = [int(np.clip(n, -2**31, 2**31 - 1)) for n in ends]
        steps = [int(np.clip(n, -2**31, 2**31 - 1)) for n in steps]
    begin, end = g.ints(starts, integer), g.ints(ends, integer)
    if g.symbols and len(axes) == 1 and integer == np.int64 and g.chance(.3):
        moved = g.size_tensor(g.random.choice(list(g.symbols.values())))
        if g.chance(.5):
            moved = g.node(g.random.choice(["Sub", "Add"]),
                           [moved, g.ints([g.random.randint(0, 3)])])[0]
        if g.chance(.3):
            begin = moved
        else:
            end = moved
    plain = all(step == 1 for step in steps)
    if axes == list(range(t.rank)) and plain and g.chance(.3):
        g.node(name, [t, begin, end])
        return
    axes = [a - t.rank if g.chance(.3) and g.opset >= 11 else a for a in axes]
    inputs = [t, begin, end, g.ints(axes, integer)]
    if not plain or g.chance(.5):
        inputs.append(g.ints(steps, integer))
    g.node(name, inputs)


@op("Pad", weight=2)
def pad(g, name):
    mode = g.random.choice(["constant", "constant", "reflect", "edge", "wrap"])
    if mode == "wrap" and g.opset < 19:
        mode = "constant"
    t = g.pick((F32, F64, I32, I64, F16, U8) if g.opset >= 13 else (F32, F64),
               rank=range(1, 5))
    sides = [[0, 0] for _ in range(t.rank)]
    low = {"reflect": lambda n: n - 1, "edge": lambda n: 3 if n else 0,
           "constant": lambda n: 3, "wrap": lambda n: n}[mode]
    for i, size in enumerate(t.dims):
        for side in range(2):
            if g.chance(.5):
                sides[i][side] = g.random.randint(
                    0, max(0, min(3, low(min(size)))))
            elif g.chance(.06) and min(size) > 2:
                sides[i][side] = -1
    if g.opset < 11:
        g.node(name, [t], mode=mode, pads=[s[0] for s in sides] +
               [s[1] for s in sides],
               value=g.random.choice([None, 1.5]) if mode == "constant"
               else None)
        return
    value = None
    if mode == "constant" and g.chance(.6):
        value = g.const(np.array(g.random.randint(0, 5), t.dtype))
    axes = None
    if g.opset >= 18 and g.chance(.4):
        axes = g.random.sample(range(t.rank), g.random.randint(1, t.rank))
        sides = [sides[i] for i in axes]
        axes = g.ints([a - t.rank if g.chance(.3) else a for a in axes])
    pads = g.ints([s[0] for s in sides] + [s[1] for s in sides])
    g.node(name, [t, pads, value, axes],
           mode=None if mode == "constant" and g.chance(.5) else mode)


@op("Trilu", since=14)
def trilu(g, name):
    t = g.pick((F32, F64, I64, I32), rank=range(2, 5))
    def diagonal():
        if g.extreme and g.chance(.5):
            return g.end()
        return g.random.randint(-4, 5)
    k = g.ints(diagonal()) if g.chance(.6) else None
    g.node(name, [t, k], upper=g.random.choice([None, 0, 1]))


@op("DepthToSpace", since=11)
def depth_to_space(g, name):
    block = g.random.choice([1, 2, 2, 3])
    t = g.pick((F32, F64), rank=4, accept=lambda t: all(
        n % block**2 == 0 for n in t.dims[1]), fresh=.1) if g.chance(.2) else \
        g.leaf(F32, [g.size(), g.static(block**2 * g.random.randint(1, 3)),
                     g.size(), g.size()])
    g.node(name, [t], blocksize=block,
           mode=g.random.choice([None, "DCR", "CRD"]))


@op("SpaceToDepth", since=9)
def space_to_depth(g, name):
    block = g.random.choice([1, 2, 2, 3])

    def multiple():
        size = g.size(1, 4)
        return tuple(n * block for n in size)
    t = g.leaf(F32, [g.size(1, 3), g.size(1, 3), multiple(), multiple()])
    g.node(name, [t], blocksize=block)


@op("ReverseSequence", since=10)
def reverse_sequence(g, name):
    t = g.pick(ALL, rank=range(2, 5))
    batch, time = g.random.choice([(0, 1), (1, 0)])
    if g.chance(.3) and (batch, time) == (1, 0):
        attributes = {}
    else:
        attributes = {"batch_axis": batch, "time_axis": time}
    if min(t.dims[time]) < 1:
        raise Reject("no time")
    lengths = g.leaf(I64, [t.dims[batch]], (1, min(t.dims[time])))
    g.node(name, [t, lengths], **attributes)


@op("CenterCropPad", since=18)
def center_crop_pad(g, name):
    t = g.pick((F32, I64), rank=range(1, 5))
    if g.chance(.5):
        axes = g.random.sample(range(t.rank), g.random.randint(1, t.rank))
        shape = g.shape_tensor([g.size() for _ in axes])
        g.node(name, [t, shape],
               axes=[a - t.rank if g.chance(.3) else a for a in axes])
    else:
        g.node(name, [t, g.shape_tensor([g.size() for _ in range(t.rank)])])
