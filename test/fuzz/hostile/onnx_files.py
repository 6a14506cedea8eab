"""ONNX models, changed by fields: small ones written here, and those of the
onnx package where it is."""

import sys

from reader import ROOT, Reader
import mutate_onnx

sys.path.append(str(ROOT / "test/models"))
# pylint: disable=wrong-import-position
from bad_input import X, Y, interface, message, model, node  # noqa: E402


def attribute(name, kind, field, value):
    return (5, message((1, name), (field, value), (20, kind)))


def tensor(name, dims, kind=1, data=None):
    """Of type f32 (1) or i64 (7)."""
    count = 4 if kind == 1 else 8
    for size in dims:
        count *= size
    return message(*[(1, size) for size in dims], (2, kind), (8, name),
                   (9, data if data is not None else bytes(count)))


def integers(name, values):
    return tensor(name, [len(values)], 7,
                  b"".join(v.to_bytes(8, "little", signed=True)
                           for v in values))


def graph(nodes, inputs, outputs):
    return message(*[(1, entry) for entry in nodes], (2, "inner"),
                   *[(11, entry) for entry in inputs],
                   *[(12, entry) for entry in outputs])


def _control():
    """If and Loop, whose graphs read outer values."""
    yes = graph([node("Relu", ["x"], ["t"])], [], [interface("t", [2, 3])])
    no = graph([node("Neg", ["x"], ["e"])], [], [interface("e", [2, 3])])
    body = graph(
        [node("Add", ["v", "x"], ["w"]), node("Identity", ["c"], ["d"])],
        [interface("i", [], 7), interface("c", [], 9),
         interface("v", [2, 3])],
        [interface("d", [], 9), interface("w", [2, 3])])
    choose = node("If", ["p"], ["z"]) + message(
        attribute("then_branch", 5, 6, yes), attribute("else_branch", 5, 6, no))
    loop = node("Loop", ["n", "p", "z"], ["y"]) + message(
        attribute("body", 5, 6, body))
    return model([choose, loop], [X, interface("p", [], 9)], [Y],
                 initializers=[tensor("n", [], 7, (3).to_bytes(8, "little"))])


def _function():
    inner = message((1, "Twice"), (4, "a"), (5, "o"),
                    (7, node("Add", ["a", "a"], ["o"])),
                    (9, message((1, ""), (2, 17))), (10, "f"))
    call = node("Twice", ["x"], ["t"]) + message((7, "f"))
    return (model([call, node("Relu", ["t"], ["y"])], [X], [Y]) +
            message((8, message((1, "f"), (2, 1))), (25, inner)))


def _external():
    where = message((1, "location"), (2, "w.bin"))
    weight = message((1, 3), (2, 1), (8, "w"), (13, where),
                     (13, message((1, "offset"), (2, "0"))),
                     (13, message((1, "length"), (2, "12"))), (14, 1))
    return model([node("Add", ["x", "w"], ["y"])], [X], [Y],
                 initializers=[weight])


def _shapes():
    """Sizes that become values, and values that become sizes."""
    return model(
        [node("Shape", ["x"], ["s"]), node("Gather", ["s", "first"], ["g"]),
         node("Concat", ["g", "rest"], ["to"]) +
         message(attribute("axis", 2, 3, 0)),
         node("Reshape", ["x", "to"], ["r"]),
         node("Slice", ["r", "begin", "end", "axes", "steps"], ["q"]),
         node("Expand", ["q", "wide"], ["e"]),
         node("Tile", ["e", "repeats"], ["y"])],
        [interface("x", ["N", 6])], [interface("y", ["A", "B"])],
        initializers=[integers("first", [0]), integers("rest", [6]),
                      integers("begin", [1]), integers("end", [5]),
                      integers("axes", [1]), integers("steps", [2]),
                      integers("wide", [1, 2]), integers("repeats", [2, 1])])


def _windows():
    conv = node("Conv", ["x", "w"], ["c"]) + message(
        (5, message((1, "pads"), (8, 1), (8, 1), (8, 1), (8, 1), (20, 7))),
        (5, message((1, "strides"), (8, 2), (8, 1), (20, 7))),
        (5, message((1, "dilations"), (8, 1), (8, 1), (20, 7))),
        attribute("group", 2, 3, 1))
    pool = node("MaxPool", ["c"], ["p"]) + message(
        (5, message((1, "kernel_shape"), (8, 2), (8, 2), (20, 7))))
    pad = node("Pad", ["p", "by"], ["d"])
    resize = node("Resize", ["d", "", "", "to"], ["y"]) + message(
        attribute("mode", 3, 4, "linear"))
    return model([conv, pool, pad, resize], [interface("x", [1, 2, 6, 6])],
                 [interface("y", [1, 3, 8, 8])],
                 initializers=[tensor("w", [3, 2, 3, 3]),
                               integers("by", [0, 0, 1, 0, 0, 0, 0, 1]),
                               integers("to", [1, 3, 8, 8])])


SAMPLES = {
    "control": _control, "function": _function, "external": _external,
    "shapes": _shapes, "windows": _windows,
    "layers": lambda: model(
        [node("Gemm", ["x", "w", "b"], ["h"]) +
         message(attribute("transB", 2, 3, 1)),
         node("Softmax", ["h"], ["y"]) + message(attribute("axis", 2, 3, 1))],
        [interface("x", ["N", 4])], [interface("y", ["N", 3])],
        initializers=[tensor("w", [3, 4]), tensor("b", [3])]),
}
# What reads a model; the first two alone without limits of time that a large
# model may reach.
WAYS = [
    ["compile", "m.onnx", "--no-cache", "--emit", "graph"],
    ["compile", "m.onnx", "--no-cache", "-o", "m.twp"],
    ["compile", "m.onnx", "--no-cache", "-o", "m.twp", "--json"],
    ["compile", "m.onnx", "--no-cache", "--target", "sm_90a", "-o", "m.twp"],
    ["run", "m.onnx", "--device", "cpu", "--threads", "1"],
    ["run", "m.onnx", "--device", "interpreter"],
    ["run", "m.onnx", "--device", "emulator", "--threads", "1"],
]
MOST = 200000


class Onnx(Reader):
    """Models in ONNX's format."""
    name, weight, needs_compiler = "onnx", 5, True

    def prepare(self):
        self.samples = [make() for make in SAMPLES.values()]
        self.paths = []
        if self.session.pypi:
            self.paths = sorted(
                self.session.pypi.glob("onnx/onnx/backend/test/data/**/"
                                       "model.onnx"))
            self.paths = [p for p in self.paths if p.stat().st_size < MOST]
        self.note = f"{len(self.samples)} samples written here, " + (
            f"{len(self.paths)} of the onnx package" if self.paths else
            "none of the onnx package: it is absent")

    def make(self, random):
        pick = random.random()
        data = random.choice(self.samples)
        if self.paths and pick < 0.7:
            data = random.choice(self.paths).read_bytes()
        self.write("m.onnx", mutate_onnx.mutate(random, data))
        self.write("w.bin", bytes(random.choice([0, 11, 12, 4096])))
        way = random.choice(WAYS)
        reads = [self.session.tool, *WAYS[1]] if way[0] == "run" else None
        return [self.tool(*way, reads=reads, json="--json" in way)]


class TensorProtos(Reader):
    """Inputs as ONNX's tensors, .pb."""
    name, weight, needs_compiler = "pb", 1, True

    def prepare(self):
        self.write_model()
        self.samples = [tensor("x", [2, 3]), integers("x", [1, 2, 3]),
                        message((1, 2), (1, 3), (2, 1), (8, "x"),
                                (4, bytes(24))),
                        message((1, 6), (2, 22), (8, "x"), (9, bytes(3)))]

    def write_model(self):
        path = self.session.samples / "relu.onnx"
        path.write_bytes(model([node("Relu", ["x"], ["y"])], [X], [Y]))
        self.session.prepare(self.session.tool, "compile", path, "--no-cache",
                             "-o", "relu.twp")

    def make(self, random):
        self.write("x.pb", mutate_onnx.mutate(
            random, random.choice(self.samples), "Tensor"))
        return [self.tool("run", self.session.samples / "relu.twp", "--device",
                          "cpu", "--threads", "1", "--input", "x=x.pb")]
