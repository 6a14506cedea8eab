"""Sizes at all assignments, and as tensors of a graph.

A size is a tuple: its value at each assignment. A static size is a tuple of
equal numbers.
"""

import numpy as np
import onnx


class Reject(Exception):
    """This node cannot be added here."""


def is_static(size):
    return len(set(size)) == 1


class Sizes:
    """What a Graph does with sizes in the graph itself: Shape, Gather, Concat
    and arithmetic, as exporters write them."""

    def size_tensor(self, size):
        """An int64 tensor [1] with this size: a constant, or by Shape."""
        if is_static(size) and not self.chance(0.03):
            return self.ints([size[0]])
        made = self.plain_size(size)
        while self.chance(0.2):
            made = self.disguised(made)
        return made

    def plain_size(self, size):
        if self.by_run and self.chance(0.3):
            return self.add("x", [np.array([n], np.int64) for n in size],
                            [0] * self.count, "input", [1])
        for t in self.random.sample(list(self.tensors.values()),
                                    len(self.tensors)):
            if size in t.dims and not t.constant:
                axis = t.dims.index(size)
                return self.dimension(t, axis)
        return self.derived_size(size)

    def derived_size(self, size):
        """From another symbol by one addition, product or quotient."""
        for t in self.random.sample(list(self.tensors.values()),
                                    len(self.tensors)):
            for axis, other in enumerate(t.dims):
                if is_static(other) or t.constant:
                    continue
                gaps = {a - b for a, b in zip(size, other)}
                if len(gaps) == 1:
                    return self.node("Add", [self.dimension(t, axis),
                                             self.ints([gaps.pop()])])[0]
                for factor in (2, 3, 4):
                    if all(a == factor * b for a, b in zip(size, other)):
                        return self.node("Mul", [self.dimension(t, axis),
                                                 self.ints([factor])])[0]
        raise Reject("no tensor has this size")

    def disguised(self, t):
        """The same integers by the ways that exporters take."""
        zero, one, two = (self.ints([n]) for n in (0, 1, 2))
        way = self.random.randrange(9)
        if way == 0:
            return self.node("Mul", [t, one])[0]
        if way == 1:
            return self.node("Div", [self.node("Mul", [t, two])[0], two])[0]
        if way == 2:
            return self.node("Identity", [t])[0]
        if way == 3:
            narrow = self.node("Cast", [t], to=onnx.TensorProto.INT32)[0]
            return self.node("Cast", [narrow], to=onnx.TensorProto.INT64)[0]
        if way == 4 and self.opset >= 11:
            minus = self.node("Equal", [t, self.ints([-1])])[0]
            return self.node("Where", [minus, one, t])[0]
        if way == 5 and self.opset >= 10:
            both = self.node("Concat", [t, two], axis=0)[0]
            return self.node("Slice", [both, zero, one])[0]
        if way == 6:
            return self.node("Reshape", [t, self.ints([-1])])[0]
        if way == 7 and self.opset >= 13:
            return self.node("ReduceProd", [t], kind="exact",
                             keepdims=1)[0]
        if way == 8 and self.opset >= 12:
            return self.node("Max", [t, zero])[0]
        return t

    def dimension(self, t, axis):
        """An int64 tensor [1]: a size of `t`."""
        if self.opset >= 15 and self.chance(0.3):
            return self.node("Shape", [t], start=axis, end=axis + 1)[0]
        shape = self.node("Shape", [t])[0]
        if self.chance(0.3) and self.opset >= 10:
            return self.node("Slice", [shape, self.ints([axis]),
                                       self.ints([axis + 1])])[0]
        if self.chance(0.3):
            return self.node("Gather", [shape, self.ints([axis])])[0]
        scalar = self.node("Gather", [shape, self.ints(axis)])[0]
        if self.opset < 13:
            return self.node("Unsqueeze", [scalar], axes=[0])[0]
        return self.node("Unsqueeze", [scalar, self.ints([0])])[0]

    def shape_tensor(self, dims):
        """An int64 tensor with these sizes."""
        if all(is_static(size) for size in dims) and not self.chance(0.05):
            return self.ints([size[0] for size in dims])
        if not dims:
            return self.ints([])
        for t in self.tensors.values():
            if t.dims == list(dims) and not t.constant and self.chance(0.5):
                return self.node("Shape", [t])[0]
        parts = [self.size_tensor(size) for size in dims]
        if len(parts) == 1:
            return parts[0]
        return self.node("Concat", parts, axis=0)[0]
