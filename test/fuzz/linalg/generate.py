"""Random programs: chains of generics and of tensor's ops that read each other.

Floats are multiples of 1/4 from -4 to 4 at the end of each op (`grid`), and a
body multiplies at most twice: all arithmetic is exact in f32.
"""

import math
import random

import numpy as np

from operators import Operators
from program import (DTYPES, Argument, Generic, Program, Simple, Subscript,
                     Value, element_of, empty_text, size_text, walk)

SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33]


class Generator(Operators):
    def __init__(self, seed, empty=False):
        self.random = random.Random(seed)
        self.items, self.values = [], []
        self.count = 0
        self.isDynamic = self.random.random() < 0.5
        self.hasEmpty = self.random.random() < 0.08 or empty

    # Values.

    def name(self):
        self.count += 1
        return f"%t{self.count}"

    def size(self):
        if self.hasEmpty and self.random.random() < 0.15:
            return 0
        return self.random.choice(SIZES)

    def hide(self, shape):
        """Which dimensions are `?`."""
        return tuple(self.isDynamic and self.random.random() < 0.6
                     for _ in shape)

    def argument(self, shape, element):
        value = Value(self.name(), tuple(shape), element, self.hide(shape))
        generator = np.random.default_rng(self.random.randrange(1 << 30))
        if element == "f32":
            data = generator.integers(-8, 9, shape) / 4
        elif element == "i1":
            data = generator.integers(0, 2, shape)
        else:
            data = generator.integers(-9, 10, shape)
        self.items.append(Argument(value, data.astype(DTYPES[element])))
        self.values.append(value)
        return value

    def add(self, node):
        self.items.append(node)
        self.values += node.results

    def pick(self, test=lambda value: True):
        """A value, more often a recent one; None if none passes the test."""
        good = [v for v in self.values if test(v)]
        if not good:
            return None
        return good[-1 - min(int(self.random.expovariate(0.7)), len(good) - 1)]

    # Scalar expressions.

    def constant(self, element):
        if element == "f32":
            return ("const", self.random.randrange(-6, 7) / 4, element)
        if element == "i1":
            return ("cmp", ("const", 0, "i32"),
                    ("const", self.random.choice([0, 1]), "i32"), "eq", "i1")
        return ("const", self.random.randrange(-7, 8), element)

    def leaf(self, element, leaves, loops):
        same = [e for e in leaves if element_of(e) == element]
        if same and self.random.random() < 0.75:
            return self.random.choice(same)
        if loops and element != "i1" and self.random.random() < 0.35:
            return ("index", self.random.randrange(loops), element)
        other = [e for e in leaves if element_of(e) != element and
                 element != "i1"]
        if other and self.random.random() < 0.5:
            return ("convert", self.random.choice(other), element)
        return self.constant(element)

    def condition(self, leaves, loops, depth):
        kind = self.random.choice(["f32", "i32"])
        predicates = ["ogt", "ole", "eq"] if kind == "f32" else ["sgt", "sle",
                                                                "eq"]
        return ("cmp", self.expression(kind, leaves, loops, depth - 1),
                self.expression(kind, leaves, loops, depth - 1),
                self.random.choice(predicates), "i1")

    def expression(self, element, leaves, loops, depth):
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf(element, leaves, loops)
        if element == "i1":
            return self.condition(leaves, loops, depth)
        if self.random.random() < 0.2:
            return ("select", self.condition(leaves, loops, depth),
                    self.expression(element, leaves, loops, depth - 1),
                    self.expression(element, leaves, loops, depth - 1), element)
        names = (["addf", "subf", "maximumf", "minimumf"] if element == "f32"
                 else ["addi", "subi", "muli", "maxsi", "minsi", "andi", "ori",
                       "xori"])
        if element == "f32" and depth == 1:
            names.append("mulf")
        return (self.random.choice(names),
                self.expression(element, leaves, loops, depth - 1),
                self.expression(element, leaves, loops, depth - 1), element)

    def final(self, expr):
        return ("grid", expr, "f32") if element_of(expr) == "f32" else expr

    # Generics.

    def subscripts(self, loops, isPlain):
        """Subscripts of a new operand, and its shape."""
        order = list(range(len(loops)))
        self.random.shuffle(order)
        order = order[:self.random.randrange(len(order) + 1)]
        parts, shape = [], []
        for loop in order:
            size, roll = loops[loop], self.random.random()
            if isPlain or roll < 0.7 or 0 in loops:
                parts.append(Subscript(((loop, 1),)))
                shape.append(size)
            elif roll < 0.8:
                factor = self.random.choice([2, 3])
                parts.append(Subscript(((loop, factor),),
                                       self.random.randrange(2)))
                shape.append((size - 1) * factor + 2)
            elif roll < 0.87:
                parts.append(Subscript(((loop, -1),), size - 1))
                shape.append(size)
            elif roll < 0.94:
                other = self.random.randrange(len(loops))
                if other == loop:
                    parts.append(Subscript(((loop, 1),)))
                    shape.append(size)
                else:
                    parts.append(Subscript(((loop, 1), (other, 1))))
                    shape.append(size + loops[other] - 1)
            else:
                by = self.random.choice([2, 3, 4])
                parts += [Subscript(((loop, 1),), 0, ("floordiv", by)),
                          Subscript(((loop, 1),), 0, ("mod", by))]
                shape += [(size - 1) // by + 1, by]
        if not isPlain and self.random.random() < 0.1:
            extent = self.random.randrange(1, 4)
            parts.append(Subscript((), self.random.randrange(extent)))
            shape.append(extent)
        return parts, shape

    def mapped(self, value, loops):
        """Subscripts that read an existing value, with new loops for sizes that
        no loop has."""
        parts = []
        for size in value.shape:
            same = [i for i, s in enumerate(loops) if s == size]
            used = [p.plain() for p in parts]
            free = [i for i in same if i not in used]
            roll = self.random.random()
            if size > 0 and roll < 0.08:
                parts.append(Subscript((), self.random.randrange(size)))
            elif free and roll < 0.85:
                parts.append(Subscript(((self.random.choice(free), 1),)))
            elif same and roll < 0.2:
                parts.append(Subscript(((self.random.choice(same), 1),)))
            else:
                loops.append(size)
                parts.append(Subscript(((len(loops) - 1, 1),)))
        return parts

    def operands(self):
        loops, inputs = [], []
        for _ in range(self.random.choice([1, 1, 2, 2, 3])):
            value = self.pick()
            if value is None or len(loops) > 4:
                break
            before = list(loops)
            subscripts = self.mapped(value, loops)
            if math.prod(loops) > 4000 or len(loops) > 5:
                loops[:] = before
                continue
            inputs.append((value, subscripts))
        while len(loops) < 1 or (len(loops) < 4 and self.random.random() < 0.2):
            loops.append(self.random.choice([1, 2, 3, 5]))
        return loops, inputs

    def cover(self, loops, kinds, inputs):
        """Each reduction loop stands alone in a subscript of an input."""
        seen = {s.plain() for _, subscripts in inputs for s in subscripts}
        missing = [i for i, k in enumerate(kinds)
                   if k == "reduction" and i not in seen]
        if missing:
            value = self.argument([loops[i] for i in missing], "f32")
            inputs.append((value, [Subscript(((i, 1),)) for i in missing]))

    def combiner(self, element, accumulator, leaves, loops):
        item = self.expression(element, leaves, loops, 2)
        if element == "f32":
            item = ("grid", item, "f32")
            names = ["addf", "addf", "maximumf", "minimumf"]
        else:
            names = ["addi", "muli", "maxsi", "minsi", "xori", "andi", "ori"]
        roll = self.random.random()
        if roll < 0.6:
            pair = [accumulator, item]
            self.random.shuffle(pair)
            return (self.random.choice(names), *pair, element)
        if roll < 0.75:
            other = "subf" if element == "f32" else "subi"
            return self.final((other, item, accumulator, element))
        if roll < 0.9:
            return ("select", ("cmp", item, accumulator,
                               "ogt" if element == "f32" else "sgt", "i1"),
                    item, accumulator, element)
        return self.final(self.expression(element, leaves + [accumulator],
                                          loops, 2))

    def generic(self):
        loops, inputs = self.operands()
        isReduction = self.random.random() < 0.45
        kinds = ["reduction" if isReduction and self.random.random() < 0.45
                 else "parallel" for _ in loops]
        self.cover(loops, kinds, inputs)
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            subscripts, shape = self.subscripts(loops, False)
            if math.prod(shape) < 4000:
                element = self.random.choice(["f32", "f32", "i32", "i64", "i8"])
                inputs.append((self.argument(shape, element), subscripts))
        parallel = [i for i, k in enumerate(kinds) if k == "parallel"]
        isReduction = len(parallel) < len(loops)
        count = self.random.choice([1, 1, 1, 2, 3])
        self.random.shuffle(parallel)
        leaves = [("arg", i, v.element) for i, (v, _) in enumerate(inputs)]
        scalars = self.scalars()
        leaves += [("arg", len(inputs) + count + i, v.element)
                   for i, (v, _) in enumerate(scalars)]
        inits, yields, results = [], [], []
        for number in range(count):
            if not isReduction and self.random.random() < 0.3:
                self.random.shuffle(parallel)
            subscripts = [Subscript(((i, 1),)) for i in parallel]
            element = self.random.choice(["f32", "f32", "f32", "i32", "i64",
                                          "i16", "i8"])
            own = ("arg", len(inputs) + number, element)
            init = self.init(subscripts, [loops[i] for i in parallel], element)
            if isReduction:
                reads = leaves + ([("arg", len(inputs) + n, r.element)
                                   for n, r in enumerate(results)]
                                  if self.random.random() < 0.4 else [])
                value = self.combiner(element, own, reads, len(loops))
            else:
                reads = leaves + ([own] if init else [])
                value = self.final(self.expression(element, reads, len(loops),
                                                   3))
            if init is None and any(own == part for part in walk(value)):
                init = ("fill", 1)
            inits.append((init, subscripts))
            yields.append(value)
            results.append(self.result(init, subscripts, loops, inputs, element))
        # A later result may read the accumulator of an earlier one.
        used = {part[1] for value in yields for part in walk(value)
                if part[0] == "arg"}
        inits = [(("fill", 1) if init is None and len(inputs) + n in used
                  else init, s) for n, (init, s) in enumerate(inits)]
        self.add(Generic(loops, kinds, inputs, inits, yields, results, scalars))

    def scalars(self):
        """Elements of tensors that a body reads from outside."""
        found = []
        while self.random.random() < 0.15:
            value = self.pick(lambda v: 0 not in v.shape)
            if value:
                found.append((value, tuple(self.random.randrange(n)
                                           for n in value.shape)))
        return found

    def init(self, subscripts, shape, element):
        roll = self.random.random()
        if roll < 0.35:
            return None
        if roll < 0.65:
            return ("fill", self.random.choice([0, 1, -2]))
        same = self.pick(lambda v: list(v.shape) == shape and
                         v.element == element)
        return same or (self.argument(shape, element)
                        if math.prod(shape) < 4000 else None)

    def result(self, init, subscripts, loops, inputs, element):
        shape = tuple(loops[s.plain()] for s in subscripts)
        if isinstance(init, Value):
            return Value(self.name(), shape, element, init.dynamic)
        known = {s.plain() for _, subs in inputs for s in subs}
        dynamic = tuple(self.isDynamic and s.plain() in known and
                        self.random.random() < 0.6 for s in subscripts)
        return Value(self.name(), shape, element, dynamic)

    # Other ops.

    def elementwise(self):
        a = self.pick(lambda v: v.element in ("f32", "i32"))
        if a is None:
            return
        result = Value(self.name(), a.shape, a.element, a.dynamic)
        if a.element == "f32":
            op = self.random.choice(["maximumf", "minimumf"])
            function = np.maximum if op == "maximumf" else np.minimum
        else:
            op = self.random.choice(["addi", "xori", "muli"])
            function = {"addi": np.add, "xori": np.bitwise_xor,
                        "muli": np.multiply}[op]
        b = self.pick(lambda v: v.type() == a.type() and
                      v.shape == a.shape)
        self.add(Simple([a, b], result, [
            f"  {result.name} = arith.{op} {a.name}, {b.name} : {a.type()}"],
            function))

    def collapse(self):
        a = self.pick(lambda v: len(v.shape) > 1)
        if a is None:
            return
        at = self.random.randrange(len(a.shape) - 1)
        shape = a.shape[:at] + (a.shape[at] * a.shape[at + 1],) + \
            a.shape[at + 2:]
        dynamic = a.dynamic[:at] + (a.dynamic[at] or a.dynamic[at + 1],) + \
            a.dynamic[at + 2:]
        result = Value(self.name(), shape, a.element, dynamic)
        groups = [[i] for i in range(len(a.shape))]
        groups[at:at + 2] = [[at, at + 1]]
        self.add(Simple([a], result, [
            f"  {result.name} = tensor.collapse_shape {a.name} {groups} : "
            f"{a.type()} into {result.type()}"], lambda x: x.reshape(shape)))

    def expand(self):
        a = self.pick(lambda v: len(v.shape) in (1, 2, 3))
        if a is None:
            return
        at = self.random.randrange(len(a.shape))
        factors = [f for f in (1, 2, 3, 4) if a.shape[at] % f == 0]
        inner = self.random.choice(factors)
        shape = a.shape[:at] + (a.shape[at] // inner, inner) + a.shape[at + 1:]
        dynamic = a.dynamic[:at] + (a.dynamic[at], False) + a.dynamic[at + 1:]
        result = Value(self.name(), shape, a.element, dynamic)
        lines, sizes = [], []
        for dim, size in enumerate(shape):
            if not dynamic[dim]:
                sizes.append(str(size))
                continue
            source = dim - (1 if dim > at + 1 else 0)
            name = f"{result.name}s{dim}"
            lines += size_text(a, source, name)
            if dim == at:
                lines += [f"  {name}k = arith.constant {inner} : index",
                          f"  {name}q = arith.divsi {name}, {name}k : index"]
                name += "q"
            sizes.append(name)
        groups = [[i + (1 if i > at else 0)] for i in range(len(a.shape))]
        groups[at] = [at, at + 1]
        lines.append(f"  {result.name} = tensor.expand_shape {a.name} {groups} "
                     f"output_shape [{', '.join(sizes)}] : {a.type()} into "
                     f"{result.type()}")
        self.add(Simple([a], result, lines, lambda x: x.reshape(shape)))

    def slice(self):
        a = self.pick(lambda v: v.shape and 0 not in v.shape)
        if a is None:
            return
        offsets, sizes, strides = [], [], []
        for size in a.shape:
            stride = self.random.choice([1, 1, 2, 3])
            offset = self.random.randrange(size)
            most = (size - 1 - offset) // stride + 1
            offsets.append(offset)
            strides.append(stride)
            sizes.append(self.random.randrange(1, most + 1))
        result = Value(self.name(), tuple(sizes), a.element,
                       (False,) * len(sizes))
        self.add(Simple([a], result, [
            f"  {result.name} = tensor.extract_slice {a.name}{offsets} {sizes} "
            f"{strides} : {a.type()} to {result.type()}"],
            lambda x: x[tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in
                              zip(offsets, sizes, strides))]))

    def insert(self):
        a = self.pick(lambda v: v.shape and 0 not in v.shape)
        b = a and self.pick(lambda v: v.element == a.element and
                            len(v.shape) == len(a.shape) and
                            not any(v.dynamic) and 0 not in v.shape and
                            all(m <= n for m, n in zip(v.shape, a.shape)))
        if b is None:
            return
        offsets, strides = [], []
        for whole, part in zip(a.shape, b.shape):
            stride = self.random.choice([1, 1, 2])
            if (part - 1) * stride + 1 > whole:
                stride = 1
            offsets.append(self.random.randrange(
                whole - (part - 1) * stride))
            strides.append(stride)
        result = Value(self.name(), a.shape, a.element, a.dynamic)

        def compute(x, y):
            x = x.copy()
            x[tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in
                    zip(offsets, b.shape, strides))] = y
            return x
        self.add(Simple([a, b], result, [
            f"  {result.name} = tensor.insert_slice {b.name} into {a.name}"
            f"{offsets} {list(b.shape)} {strides} : {b.type()} into "
            f"{a.type()}"], compute))

    def pad(self):
        a = self.pick(lambda v: v.shape and v.element == "f32" and
                      math.prod(v.shape) < 1000)
        if a is None:
            return
        low = [self.random.choice([0, 0, 1, 3]) for _ in a.shape]
        high = [self.random.choice([0, 0, 1, 2]) for _ in a.shape]
        shape = tuple(n + l + h for n, l, h in zip(a.shape, low, high))
        result = Value(self.name(), shape, a.element, a.dynamic)
        number = self.random.choice([0.0, 1.5, -2.0])
        block = ", ".join(f"%i{d}: index" for d in range(len(shape)))
        self.add(Simple([a], result, [
            f"  {result.name}p = arith.constant {number} : f32",
            f"  {result.name} = tensor.pad {a.name} low{low} high{high} {{",
            f"  ^bb0({block}):", f"    tensor.yield {result.name}p : f32",
            f"  }} : {a.type()} to {result.type()}"],
            lambda x: np.pad(x, list(zip(low, high)),
                             constant_values=number)))

    def concat(self):
        a = self.pick(lambda v: v.shape)
        if a is None:
            return
        at = self.random.randrange(len(a.shape))
        b = self.pick(lambda v: v.element == a.element and
                      len(v.shape) == len(a.shape) and
                      all(m == n and p == q or d == at for d, (m, n, p, q) in
                          enumerate(zip(a.shape, v.shape, a.dynamic,
                                        v.dynamic))))
        shape = a.shape[:at] + (a.shape[at] + b.shape[at],) + a.shape[at + 1:]
        dynamic = a.dynamic[:at] + (a.dynamic[at] or b.dynamic[at],) + \
            a.dynamic[at + 1:]
        result = Value(self.name(), shape, a.element, dynamic)
        self.add(Simple([a, b], result, [
            f"  {result.name} = tensor.concat dim({at}) {a.name}, {b.name} : "
            f"({a.type()}, {b.type()}) -> {result.type()}"],
            lambda x, y: np.concatenate([x, y], at)))

    def transpose(self):
        a = self.pick(lambda v: len(v.shape) > 1)
        if a is None:
            return
        order = list(range(len(a.shape)))
        self.random.shuffle(order)
        result = Value(self.name(), tuple(a.shape[i] for i in order), a.element,
                       tuple(a.dynamic[i] for i in order))
        lines, sizes = [], []
        for dim, source in enumerate(order):
            if result.dynamic[dim]:
                sizes.append(f"{result.name}s{dim}")
                lines += size_text(a, source, sizes[-1])
        lines += [empty_text(result, sizes),
                  f"  {result.name} = linalg.transpose ins({a.name} : "
                  f"{a.type()}) outs({result.name}e : {result.type()}) "
                  f"permutation = {order}"]
        self.add(Simple([a], result, lines, lambda x: x.transpose(order)))

    def matmul(self):
        a = self.pick(lambda v: len(v.shape) == 2 and v.element == "f32" and
                      v.shape[1] <= 64)
        if a is None:
            return
        b = self.argument((a.shape[1], self.random.choice([1, 3, 8, 20])), "f32")
        result = Value(self.name(), (a.shape[0], b.shape[1]), "f32",
                       (a.dynamic[0], b.dynamic[1]))
        lines, sizes = [], []
        for dim, source in enumerate((a, b)):
            if result.dynamic[dim]:
                sizes.append(f"{result.name}s{dim}")
                lines += size_text(source, dim, sizes[-1])
        lines += [empty_text(result, sizes),
                  f"  {result.name}z = arith.constant 0.0 : f32",
                  f"  {result.name}f = linalg.fill ins({result.name}z : f32) "
                  f"outs({result.name}e : {result.type()}) -> {result.type()}",
                  f"  {result.name}m = linalg.matmul ins({a.name}, {b.name} : "
                  f"{a.type()}, {b.type()}) outs({result.name}f : "
                  f"{result.type()}) -> {result.type()}",
                  f"  {result.name}h = arith.constant 4.0 : f32",
                  f"  {result.name}l = linalg.fill ins({result.name}h : f32) "
                  f"outs({result.name}e : {result.type()}) -> {result.type()}",
                  f"  {result.name}n = arith.negf {result.name}l : "
                  f"{result.type()}",
                  f"  {result.name}x = arith.maximumf {result.name}m, "
                  f"{result.name}n : {result.type()}",
                  f"  {result.name}q = arith.minimumf {result.name}x, "
                  f"{result.name}l : {result.type()}",
                  f"  {result.name}r = arith.mulf {result.name}q, "
                  f"{result.name}l : {result.type()}",
                  f"  {result.name}t = math.floor {result.name}r : "
                  f"{result.type()}",
                  f"  {result.name} = arith.divf {result.name}t, "
                  f"{result.name}l : {result.type()}"]
        self.add(Simple([a, b], result, lines, lambda x, y: np.floor(
            np.clip(x @ y, -4, 4) * 4) / 4))

    def run(self):
        for _ in range(self.random.choice([1, 2])):
            shape = [self.size() for _ in range(self.random.randrange(4))]
            if math.prod(shape) < 4000:
                self.argument(shape, self.random.choice(["f32", "f32", "i32"]))
        if not self.values:
            self.argument([5], "f32")
        others = [self.elementwise, self.collapse, self.expand, self.slice,
                  self.insert, self.pad, self.concat, self.transpose,
                  self.matmul, *self.more()]
        for _ in range(self.random.randrange(2, 9)):
            if self.random.random() < 0.6:
                self.generic()
            else:
                self.random.choice(others)()
        read = {v.name for item in self.items for v in item.reads}
        results = [r for item in self.items if item.reads or
                   isinstance(item, Generic) for r in item.results]
        outputs = [r for r in results if r.name not in read][-4:]
        # What others read may be a result too, even twice.
        outputs += [r for r in results if self.random.random() < 0.15]
        return Program(self.items, outputs or self.values[-1:])
