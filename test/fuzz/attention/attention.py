"""One random attention: what it is as MLIR, and what it computes.

Queries and keys are multiples of 1/4 from -2 to 2, and what stands between the
products keeps to multiples of small powers of two (see ../linalg/generate.py):
the scores are exact, so that NumPy and a kernel compare the same numbers, and
results differ only by the exponentials, their rounding and the order of sums.
"""

import pathlib
import random
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "linalg"))
from generate import Generator  # noqa: E402
from program import Printer, evaluate  # noqa: E402

# Half the distance of neighbours at 1.
ROUNDING = {"f16": 2.0 ** -11, "bf16": 2.0 ** -8, "f32": 2.0 ** -24}
LOW = "0xFF800000"


class Attention:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        pick = self.random.choice
        self.element = pick(["f16", "f16", "bf16", "f32"])
        batch = [pick([1, 2, 3]) for _ in range(pick([0, 1, 1, 2]))]
        self.batch = [f"b{i}" for i in range(len(batch))]
        self.size = dict(zip(self.batch, batch))
        self.size["q"] = pick([16, 17, 33, 64, 65, 100])
        self.size["k"] = pick([1, 2, 15, 32, 63, 128, 130, 200, 300])
        widest = 192 if self.element == "f32" else 256
        self.size["d"] = pick([8, 16, 16, 32, 40, 64, 72] * 2 + [136, widest])
        self.size["e"] = pick([8, 16, 16, 32, 40, 64] * 2 + [160, widest])
        self.dynamic = {name for name in ["q", "k", *self.batch]
                        if self.random.random() < 0.3}
        self.lines, self.arguments, self.count = [], [], 0
        self.options = pick([[], ["--fast-math"]])
        self.order = ["--landing", pick(["early", "late"]), "--interleave",
                      str(self.random.randrange(100))]
        self.build()

    # Text.

    def fresh(self, stem):
        self.count += 1
        return f"%{stem}{self.count}"

    def type(self, dims, element):
        sizes = ["?" if d in self.dynamic else str(self.size.get(d, 1))
                 for d in dims]
        return "tensor<" + "x".join(sizes + [element]) + ">"

    def argument(self, dims, element, data):
        """An argument; dimensions that are no loop's ("1") have one element."""
        name = self.fresh("arg")
        self.arguments.append((name, self.type(dims, element), data))
        for axis, dim in enumerate(dims):
            if dim in self.dynamic and dim not in self.known:
                self.known[dim] = self.fresh("size")
                self.lines += [
                    f"  {self.known[dim]}i = arith.constant {axis} : index",
                    f"  {self.known[dim]} = tensor.dim {name}, "
                    f"{self.known[dim]}i : {self.type(dims, element)}"]
        return name

    def empty(self, dims, element, fill=None):
        name, type_ = self.fresh("empty"), self.type(dims, element)
        sizes = ", ".join(self.known[d] for d in dims if d in self.dynamic)
        self.lines.append(f"  {name} = tensor.empty({sizes}) : {type_}")
        if fill is None:
            return name
        self.lines += [f"  {name}z = arith.constant {fill} : {element}",
                       f"  {name}f = linalg.fill ins({name}z : {element}) "
                       f"outs({name} : {type_}) -> {type_}"]
        return name + "f"

    def generic(self, loops, reduced, inputs, result, body, fill=None):
        """`inputs`: (name, dims, element); `result`: (dims, element). The body's
        arguments are %a0, .., the result's is %o; it ends with %r."""
        dims, element = result
        init = self.empty(dims, element, fill)

        def subscripts(dims):
            return ", ".join(str(0) if d == "1" else f"l{d}" for d in dims)
        names = ", ".join(f"l{loop}" for loop in loops)
        maps = ", ".join(f"affine_map<({names}) -> ({subscripts(d)})>"
                         for d in [*(i[1] for i in inputs), dims])
        kinds = ", ".join('"reduction"' if loop in reduced else '"parallel"'
                          for loop in loops)
        name = self.fresh("t")
        block = ", ".join([f"%a{i}: {each[2]}"
                           for i, each in enumerate(inputs)] +
                          [f"%o: {element}"])
        self.lines += [
            f"  {name} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{kinds}]}} "
            f"ins({', '.join(i[0] for i in inputs)} : "
            f"{', '.join(self.type(i[1], i[2]) for i in inputs)}) "
            f"outs({init} : {self.type(dims, element)}) {{",
            f"  ^bb0({block}):", *(f"    {line}" for line in body),
            f"    linalg.yield %r : {element}",
            f"  }} -> {self.type(dims, element)}"]
        return name

    def text(self):
        arguments = ", ".join(f"{name}: {type_}"
                              for name, type_, _ in self.arguments)
        type_ = self.type(self.results, "f32")
        return "\n".join([f"func.func @main({arguments}) -> {type_} {{",
                          *self.lines, f"  return {self.result} : {type_}", "}",
                          ""])

    def data(self):
        return [data for _, _, data in self.arguments]

    # The attention.

    def operand(self, dims, width):
        """An operand of a product, its dimensions in a random order, without a
        batch dimension perhaps; and what NumPy multiplies, in order."""
        dims = list(dims)
        if self.batch and dims[-2] != "q" and self.random.random() < 0.25:
            dims.remove(self.batch[-1])
        order = list(dims)
        if self.random.random() < 0.4:
            order[-1], order[-2] = order[-2], order[-1]
        if len(order) > 2 and self.random.random() < 0.4:
            order[-3], order[-2] = order[-2], order[-3]
        shape = [self.size[d] for d in order]
        data = self.numbers.integers(-4 * width, 4 * width + 1, shape)
        data = (data / 4).astype(np.float32)
        name = self.argument(order, "f32", data)
        if self.element != "f32":
            name = self.generic(order, [], [(name, order, "f32")],
                                (order, self.element),
                                [f"%r = arith.truncf %a0 : f32 to "
                                 f"{self.element}"])
        data = data.transpose([order.index(d) for d in dims])
        for axis, dim in enumerate(self.batch):
            if dim not in dims:
                data = np.expand_dims(data, axis)
        return (name, order, self.element), data

    def multiply(self, loops, reduced, inputs, dims):
        body = []
        for i in range(2):
            if self.element == "f32":
                continue
            body.append(f"%x{i} = arith.extf %a{i} : {self.element} to f32")
        names = ["%a0", "%a1"] if self.element == "f32" else ["%x0", "%x1"]
        body += [f"%m = arith.mulf {names[0]}, {names[1]} : f32",
                 "%r = arith.addf %o, %m : f32"]
        return self.generic(loops, reduced, inputs, (dims, "f32"), body, "0.0")

    def mask(self, dims, element):
        """A mask that repeats along some of the dimensions."""
        while True:
            kept = [d for d in dims if self.random.random() < 0.6]
            mapped = [d if d in kept else "1" for d in dims]
            # Leading dimensions may be absent.
            while mapped and mapped[0] == "1" and self.random.random() < 0.6:
                mapped = mapped[1:]
            if mapped:
                break
        shape = [self.size.get(d, 1) for d in mapped]
        if element == "f32":
            data = (self.numbers.integers(-8, 9, shape) / 4).astype(np.float32)
        elif element == "i1":
            data = self.numbers.random(shape) < 0.7
        else:
            data = self.numbers.integers(-9, 10, shape).astype(np.int32)
        name = self.argument(mapped, element, data)
        whole = data.reshape([1] * (len(dims) - len(shape)) + shape)
        return (name, mapped, element), whole

    def function(self, scores, dims, value):
        """One elementwise op of the scores, as a name; and their new value."""
        inputs, given = [(scores, dims, "f32")], [value]
        for _ in range(self.random.choice([0, 1, 1, 2])):
            each, data = self.mask(dims, self.random.choice(["f32", "f32",
                                                             "i1", "i32"]))
            inputs.append(each)
            given.append(data)
        maker = Generator(self.random.randrange(1 << 30))
        leaves = [("arg", i, each[2]) for i, each in enumerate(inputs)]
        booleans = [leaf for leaf in leaves if leaf[-1] == "i1"]
        leaves = [leaf for leaf in leaves if leaf[-1] != "i1"]
        other = maker.expression("f32", leaves, len(dims), 2)
        own = leaves[0]
        condition = (self.random.choice(booleans) if booleans else
                     maker.condition(leaves, len(dims), 2))
        expr = self.random.choice([
            ("addf", own, other, "f32"), ("maximumf", own, other, "f32"),
            ("subf", other, own, "f32"),
            ("select", condition, own, other, "f32")])
        expr = ("grid", expr, "f32")
        printer = Printer([f"%a{i}" for i in range(len(inputs))])
        last = printer.emit(expr)
        one = "%one = arith.constant 1.0 : f32"
        body = [line.strip() for line in printer.lines] + [
            one, f"%r = arith.mulf {last}, %one : f32"]
        name = self.generic(dims, [], inputs, (dims, "f32"), body)
        grid = np.indices(value.shape, dtype=np.int64)
        given = [np.broadcast_to(g, value.shape) for g in given]
        return name, evaluate(expr, given, grid).astype(np.float32)

    def hide(self, scores, dims, value):
        """Masks scores by -infinity: by a boolean tensor, or causally."""
        inputs = [(scores, dims, "f32")]
        if self.random.random() < 0.5:
            each, seen = self.mask(dims, "i1")
            inputs.append(each)
            body = []
        else:
            rank = len(dims)
            shift = self.random.choice([0, 0, 3, -2, -70])
            body = [f"%i = linalg.index {rank - 2} : index",
                    f"%j = linalg.index {rank - 1} : index",
                    f"%s = arith.constant {shift} : index",
                    "%is = arith.addi %i, %s : index",
                    "%a1 = arith.cmpi sge, %is, %j : index"]
            grid = np.indices(value.shape)
            seen = grid[-2] + shift >= grid[-1]
        body += [f"%low = arith.constant {LOW} : f32",
                 "%r = arith.select %a1, %a0, %low : f32"]
        name = self.generic(dims, [], inputs, (dims, "f32"), body)
        return name, np.where(seen, value, np.float32(-np.inf))

    def build(self):
        self.known = {}
        b, pick = self.batch, self.random.choice
        scores, rows = [*b, "q", "k"], [*b, "q"]
        self.results = [*b, "q", "e"]
        q, left = self.operand([*b, "q", "d"], 2)
        k, right = self.operand([*b, "k", "d"], 2)
        v, values = self.operand([*b, "k", "e"], 4)
        name = self.multiply([*scores, "d"], ["d"], [q, k], scores)
        value = (left @ np.swapaxes(right, -1, -2)).astype(np.float32)
        scale = pick([0.125, 0.25, 0.5])
        name = self.generic(
            scores, [], [(name, scores, "f32")], (scores, "f32"),
            [f"%c = arith.constant {scale} : f32",
             "%r = arith.mulf %a0, %c : f32"])
        value = np.broadcast_to(value * np.float32(scale),
                                [self.size[d] for d in scores])
        for _ in range(pick([0, 1, 1, 2, 3])):
            name, value = self.function(name, scores, value)
        if self.random.random() < 0.4:
            name, value = self.hide(name, scores, value)
        weights = self.softmax(name, scores, rows, v)
        self.result = self.multiply([*self.results[:-1], "e", "k"], ["k"],
                                    [weights, v], self.results)
        self.value, self.values = value, values

    def softmax(self, name, scores, rows, v):
        combiner = self.random.choice(["maximumf", "maxnumf"])
        top = self.generic(scores, ["k"], [(name, scores, "f32")],
                           (rows, "f32"), [f"%r = arith.{combiner} %o, %a0 : "
                                           "f32"], LOW)
        powers = self.generic(
            scores, [], [(name, scores, "f32"), (top, rows, "f32")],
            (scores, "f32"), ["%d = arith.subf %a0, %a1 : f32",
                              "%r = math.exp %d : f32"])
        total = self.generic(scores, ["k"], [(powers, scores, "f32")],
                             (rows, "f32"), ["%r = arith.addf %o, %a0 : f32"],
                             "0.0")
        inverse = self.random.random() < 0.3
        if inverse:
            total = self.generic(rows, [], [(total, rows, "f32")],
                                 (rows, "f32"),
                                 ["%one = arith.constant 1.0 : f32",
                                  "%r = arith.divf %one, %a0 : f32"])
        self.dropsNaN = self.random.random() < 0.4
        body = [f"%w = arith.{'mulf' if inverse else 'divf'} %a0, %a1 : f32"]
        last = "%w"
        if self.dropsNaN:
            body += ["%n = arith.cmpf uno, %w, %w : f32",
                     "%z = arith.constant 0.0 : f32",
                     "%g = arith.select %n, %z, %w : f32"]
            last = "%g"
        if self.element == "f32":
            body += ["%one = arith.constant 1.0 : f32",
                     f"%r = arith.mulf {last}, %one : f32"]
        else:
            body.append(f"%r = arith.truncf {last} : f32 to {self.element}")
        return (self.generic(scores, [], [(powers, scores, "f32"),
                                          (total, rows, "f32")],
                             (scores, self.element), body), scores,
                self.element)

    # What it computes.

    def expected(self):
        """The result in f64, and how far a result may be from it: each weight
        is rounded to the element type, and exponentials and sums of f32 differ
        by the last places."""
        value = self.value.astype(np.float64)
        with np.errstate(invalid="ignore"):
            top = value.max(axis=-1, keepdims=True)
            powers = np.exp(value - top)
            weights = powers / powers.sum(axis=-1, keepdims=True)
        if self.dropsNaN:
            weights = np.where(np.isnan(weights), 0, weights)
        values = self.values.astype(np.float64)
        result = weights @ values
        sums = np.nan_to_num(weights) @ np.abs(values)
        keys = self.size["k"]
        place = 2.0 ** -24 * (8 + keys) + (2.0 ** -20 if self.options else 0)
        # What rounds to a subnormal of f16 is off by up to its least one.
        least = 2.0 ** -25 * keys if self.element == "f16" else 0
        return result, sums * (ROUNDING[self.element] * 1.01 + place) + \
            least * np.abs(values).max() + 1e-30
