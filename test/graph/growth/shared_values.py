"""Graphs that repeat one step, in which a value is read in more than one way: a
compiler that computes it again for each reader grows exponentially. Import
`wheels` of test/fuzz/onnx, and call `use`, before building one."""

import functools

SIZE = 16


class Graph:
    """A model in the making: f32 values of SIZE x SIZE."""

    def __init__(self):
        from onnx import helper, numpy_helper
        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes, self.constants = [], []

    def constant(self, value, dtype):
        import numpy as np
        name = f"c{len(self.constants)}"
        self.constants.append(
            self.numpy_helper.from_array(np.array(value, dtype), name))
        return name

    def ints(self, *values):
        return self.constant(values, "int64")

    def op(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(
            self.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def model(self, result, element):
        import onnx
        types = [self.helper.make_tensor_value_info(
            name, element, [SIZE, SIZE]) for name in ("x", result)]
        graph = self.helper.make_graph(self.nodes, "shared", types[:1],
                                       types[1:], self.constants)
        model = self.helper.make_model(
            graph, opset_imports=[self.helper.make_opsetid("", 18)])
        model.ir_version = 9
        onnx.checker.check_model(model)
        return model


def shuffled(g):
    return g.ints(*((7 * i + 3) % SIZE for i in range(SIZE)))


def slice_of(g, x, start, end, step=1):
    return g.op("Slice", x, g.ints(start), g.ints(end), g.ints(1),
                g.ints(step))


def shifted(g, x, by):
    """Zeros come in from the left."""
    padded = g.op("Pad", x, g.ints(0, by, 0, 0))
    return slice_of(g, padded, 0, SIZE)


def gather(g, x, step):
    return g.op("Add", x, g.op("Gather", x, shuffled(g), axis=step % 2))


def gather_elements(g, x, step):
    rows = [[(i * 5 + j) % SIZE for j in range(SIZE)] for i in range(SIZE)]
    return g.op("Add", x, g.op("GatherElements", x,
                               g.constant(rows, "int64"), axis=1))


def gather_behind(g, x, step):
    return g.op("Add", x, g.op("Gather", g.op("Tanh", x), shuffled(g), axis=1))


def reverse(g, x, step):
    return g.op("Add", x, slice_of(g, x, SIZE - 1, -SIZE - 1, -1))


def reverse_sequence(g, x, step):
    lengths = g.ints(*(1 + i % SIZE for i in range(SIZE)))
    return g.op("Add", x, g.op("ReverseSequence", x, lengths, batch_axis=0,
                               time_axis=1))


def shift(g, x, step):
    return g.op("Add", x, shifted(g, x, 1 + (step * step) % (SIZE - 1)))


def two_shifts(g, x, step):
    return g.op("Mul", shifted(g, x, 1), shifted(g, x, 2 + step % 3))


def roll(g, x, step):
    at = 1 + step % (SIZE - 1)
    rolled = g.op("Concat", slice_of(g, x, at, SIZE), slice_of(g, x, 0, at),
                  axis=1)
    return g.op("Add", x, rolled)


def transpose(g, x, step):
    return g.op("Sub", x, g.op("Transpose", g.op("Exp", x), perm=[1, 0]))


def strided(g, x, step):
    """Halves, each of every second element, side by side."""
    halves = [slice_of(g, x, start, SIZE, 2) for start in (0, 1)]
    return g.op("Concat", g.op("Add", *halves), g.op("Sub", *halves), axis=1)


def in_place(g, x, step):
    return g.op("Add", g.op("Sigmoid", x), g.op("Tanh", g.op("Mul", x, x)))


def rows(g, x, step):
    return g.op("Sub", x, g.op("ReduceMean", x, g.ints(step % 2), keepdims=1))


SHAPES = (gather, gather_elements, gather_behind, reverse, reverse_sequence,
          shift, two_shifts, roll, transpose, strided, in_place, rows)


def own_index(steps):
    """x[x], of vectors of indices."""
    g, x = Graph(), "x"
    for _ in range(steps):
        x = g.op("GatherElements", x, x, axis=1)
    return g.model(x, 7)


def build(shape, steps):
    g, x = Graph(), "x"
    for step in range(steps):
        x = shape(g, x, step)
    return g.model(x, 1)


BUILDERS = {shape.__name__: functools.partial(build, shape)
            for shape in SHAPES} | {"own_index": own_index}
