"""LSTM, GRU, RNN, attention and other operators of sequences."""

import numpy as np

from graph import Reject
from ops_elementwise import maybe
from registry import op
from values import BOOL, F16, F32, F64, I32, I64

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STATES = {"LSTM": 2, "GRU": 1, "RNN": 1}


@op("LSTM", "GRU", "RNN", since=9, weight=1)
def recurrent(g, name):
    steps, batch = g.size(1, 4, symbolic=g.chance(.1)), g.size(1, 3)
    width, hidden = g.random.randint(1, 4), g.random.randint(1, 4)
    direction = g.random.choice([None, "forward", "reverse", "bidirectional"])
    count = 2 if direction == "bidirectional" else 1
    gates = GATES[name]
    layout = g.random.choice([0, 0, 0, 1]) if g.opset >= 14 else 0
    x = g.leaf(F32, [batch, steps, g.static(width)] if layout else
               [steps, batch, g.static(width)])

    def fixed(*numbers):
        return g.leaf(F32, [g.static(n) for n in numbers],
                      constant=None if g.chance(.3) else True)
    inputs = [x, fixed(count, gates * hidden, width),
              fixed(count, gates * hidden, hidden),
              fixed(count, 2 * gates * hidden) if g.chance(.6) else None]
    lengths = None
    if g.chance(.08):
        least = min(steps)
        lengths = g.leaf(I32, [batch], (min(1, least), least))
    inputs.append(lengths)
    state = [g.static(count), batch, g.static(hidden)]
    if layout:
        state = [batch, g.static(count), g.static(hidden)]
    for _ in range(STATES[name]):
        inputs.append(g.leaf(F32, state) if g.chance(.4) else None)
    if name == "LSTM" and g.chance(.3):
        inputs.append(fixed(count, 3 * hidden))
    more = {"direction": direction, "hidden_size": hidden,
            "layout": layout or None}
    if name == "GRU":
        more["linear_before_reset"] = g.random.choice([None, 0, 1])
    flags = [g.chance(.7) for _ in range(STATES[name] + 1)]
    if not any(flags):
        flags[0] = True
    g.node(name, inputs, flags, kind="sum", **more)


def hide(g, mask):
    """Hides keys in a mask, of one row in four all of them."""
    def hidden(value):
        out = value.copy()
        rows = out.reshape(-1, out.shape[-1]) if out.size else out[:0]
        for row in rows:
            row[...] = [seen if g.chance(.7) else unseen for seen in row]
            row[0] = seen
            if g.chance(.25):
                row[...] = unseen
        return out
    seen, unseen = (True, False) if mask.dtype == BOOL else (0., -np.inf)
    mask.values = [hidden(value) for value in mask.values]
    if mask.constant:
        mask.values = [mask.values[0]] * g.count


def known_keys(g, batch, keys):
    """How many keys each element of the batch has; none too."""
    made = g.leaf(I64, [batch], (0, 0), constant=False)
    made.values = [np.array([g.random.randint(0, most) for _ in range(count)],
                            np.int64) for count, most in zip(batch, keys)]
    return made


@op("Attention", since=23, weight=2)
def attention(g, name):
    batch, queries, keys = g.size(1, 3), g.size(1, 5), g.size(1, 6)
    groups, size = g.random.choice([1, 2, 3]), g.random.choice([1, 2, 4, 8])
    heads = groups * g.random.choice([1, 1, 2])
    value = g.random.choice([size, size, 3])
    more = {}
    flat = g.chance(.3)

    def tensor(length, count, width):
        dims = [batch, g.static(count), length, g.static(width)]
        if flat:
            dims = [batch, length, g.static(count * width)]
        return g.leaf(F32, dims)
    if flat:
        more.update(q_num_heads=heads, kv_num_heads=groups)
    inputs = [tensor(queries, heads, size), tensor(keys, groups, size),
              tensor(keys, groups, value)]
    if g.chance(.3):
        more["is_causal"] = 1
    mask = None
    if g.chance(.4):
        dims = g.random.choice([[queries, keys],
                                [g.static(1), queries, keys],
                                [batch, g.static(1), queries, keys],
                                [batch, g.static(heads), queries, keys]])
        mask = g.leaf(F32 if g.chance(.5) else BOOL, dims)
        # Most rows see a key; some are masked everywhere.
        if g.chance(.7):
            hide(g, mask)
    inputs.append(mask)
    if g.opset >= 24 and "is_causal" not in more and g.chance(.3):
        inputs += [None, None, known_keys(g, batch, keys)]
    more["scale"] = maybe(g, .5)
    more["softcap"] = g.random.choice([None, None, 2.])
    g.node(name, inputs, 1, kind="sum", **more)


@op("RotaryEmbedding", since=23, weight=1)
def rotary(g, name):
    batch, heads, length = g.size(1, 3), g.random.randint(1, 3), g.size(1, 5)
    size = 2 * g.random.randint(1, 4)
    more = {"interleaved": g.random.choice([None, 0, 1])}
    part = size
    if g.chance(.3) and size > 2:
        part = 2 * g.random.randint(1, size // 2 - 1)
        more["rotary_embedding_dim"] = part
    dims = [batch, g.static(heads), length, g.static(size)]
    if g.chance(.3) or "rotary_embedding_dim" in more:
        more["num_heads"] = heads
    if "num_heads" in more and g.chance(.5):
        dims = [batch, length, g.static(heads * size)]
    half = g.static(part // 2)
    if g.chance(.5):
        rows = g.random.randint(3, 9)
        tables = [g.static(rows), half]
        at = g.leaf(I64, [batch, length], (0, rows - 1))
    else:
        tables, at = [batch, length, half], None
    g.node(name, [g.leaf(F32, dims), g.leaf(F32, tables),
                  g.leaf(F32, tables), at], kind="sum", **more)


@op("DFT", since=17, weight=.7)
def dft(g, name):
    t = g.leaf(g.random.choice([F32, F32, F64]),
               g.shape(g.random.choice([1, 2]), 1, 6) +
               [g.static(g.random.choice([1, 2]))])
    if t.rank == 2:
        t = g.leaf(t.dtype, [g.size(1, 3)] + t.dims)
    axis = g.random.choice([1, 1, t.rank - 2, -2])
    length = None
    if g.chance(.3):
        length = g.ints(g.random.randint(1, 7))
    inverse = g.random.choice([None, 0, 1])
    onesided = None
    if t.dims[-1][0] == 1 and not inverse and g.chance(.4):
        onesided = 1
    if g.opset < 20:
        g.node(name, [t, length], kind="sum", axis=axis, inverse=inverse,
               onesided=onesided)
    else:
        where = g.ints(axis) if g.chance(.7) else None
        g.node(name, [t, length, where], kind="sum", inverse=inverse,
               onesided=onesided)
