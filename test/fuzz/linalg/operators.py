"""More ops of random programs: gathers, scalars, packing, control flow."""

import math

import numpy as np

from program import Simple, Value, empty_text, extract_text, size_text


class Operators:
    """What Generator mixes in."""

    def more(self):
        return [self.gather, self.generate, self.elements, self.pack,
                self.unpack, self.reduce, self.broadcast, self.condition_on_data,
                self.loop, self.pool, self.batch_matmul, self.contract_integers,
                self.insert_element]

    def whole(self, name, result, value):
        """Lines of a tensor `name` that is `value` everywhere; its type is that
        of `result`, which is static."""
        return [f"  {name}e = tensor.empty() : {result.type()}",
                f"  {name}z = arith.constant {value} : {result.element}",
                f"  {name} = linalg.fill ins({name}z : {result.element}) "
                f"outs({name}e : {result.type()}) -> {result.type()}"]

    def static(self, test):
        return self.pick(lambda v: not any(v.dynamic) and 0 not in v.shape and
                         math.prod(v.shape) < 2000 and test(v))

    def gather(self):
        """Rows, by a tensor of indices."""
        a = self.pick(lambda v: v.shape and 0 not in v.shape)
        if a is None:
            return
        n = self.argument((self.random.choice([1, 2, 5]), 1), "i64")
        self.items[-1].data[...] %= a.shape[0]
        n.dynamic = (n.dynamic[0], False)
        shape = (n.shape[0],) + a.shape[1:]
        result = Value(self.name(), shape, a.element,
                       (n.dynamic[0],) + a.dynamic[1:])
        self.add(Simple([a, n], result, [
            f"  {result.name} = tensor.gather {a.name}[{n.name}] gather_dims([0])"
            f" : ({a.type()}, {n.type()}) -> {result.type()}"],
            lambda x, i: x[i[:, 0]]))

    def generate(self):
        shape = tuple(self.random.choice([1, 3, 4, 9])
                      for _ in range(self.random.choice([1, 2])))
        result = Value(self.name(), shape, "i32", (False,) * len(shape))
        block = ", ".join(f"%i{d}: index" for d in range(len(shape)))
        last = len(shape) - 1
        self.add(Simple([], result, [
            f"  {result.name} = tensor.generate {{", f"  ^bb0({block}):",
            f"    %n = arith.muli %i0, %i0 : index",
            f"    %m = arith.subi %n, %i{last} : index",
            "    %v = arith.index_cast %m : index to i32",
            "    tensor.yield %v : i32", f"  }} : {result.type()}"],
            lambda: np.indices(shape)[0] ** 2 - np.indices(shape)[last]))

    def elements(self):
        """A tensor of single elements of another."""
        a = self.pick(lambda v: 0 not in v.shape and v.element != "i1")
        if a is None:
            return
        count = self.random.choice([1, 2, 4])
        at = [tuple(self.random.randrange(n) for n in a.shape)
              for _ in range(count)]
        shape = self.random.choice([(count,), (1, count), (count, 1)])
        result = Value(self.name(), shape, a.element, (False,) * len(shape))
        lines, names = [], []
        for number, position in enumerate(at):
            names.append(f"{result.name}v{number}")
            lines += extract_text(a, position, names[-1])
        lines.append(f"  {result.name} = tensor.from_elements "
                     f"{', '.join(names)} : {result.type()}")
        self.add(Simple([a], result, lines, lambda x: np.array(
            [x[p] for p in at]).reshape(shape)))

    def pack(self):
        a = self.static(lambda v: len(v.shape) == 2 and v.element != "i1")
        if a is None:
            return
        tiles = [self.random.choice([1, 2, 3, 4]) for _ in range(2)]
        outer = [math.ceil(n / t) for n, t in zip(a.shape, tiles)]
        result = Value(self.name(), (*outer, *tiles), a.element, (False,) * 4)

        def compute(x):
            whole = np.zeros([o * t for o, t in zip(outer, tiles)], x.dtype)
            whole[:x.shape[0], :x.shape[1]] = x
            return whole.reshape(outer[0], tiles[0], outer[1],
                                 tiles[1]).transpose(0, 2, 1, 3)
        zero = "0.0" if a.element[0] == "f" else "0"
        self.add(Simple([a], result, [
            f"  {result.name}z = arith.constant {zero} : {a.element}",
            empty_text(result, []),
            f"  {result.name} = linalg.pack {a.name} padding_value("
            f"{result.name}z : {a.element}) inner_dims_pos = [0, 1] "
            f"inner_tiles = {tiles} into {result.name}e : {a.type()} -> "
            f"{result.type()}"], compute))

    def unpack(self):
        a = self.static(lambda v: len(v.shape) == 4)
        if a is None:
            return
        m, n, p, q = a.shape
        shape = (m * p - self.random.randrange(p), n * q)
        result = Value(self.name(), shape, a.element, (False,) * 2)
        self.add(Simple([a], result, [
            empty_text(result, []),
            f"  {result.name} = linalg.unpack {a.name} inner_dims_pos = [0, 1] "
            f"inner_tiles = [{p}, {q}] into {result.name}e : {a.type()} -> "
            f"{result.type()}"],
            lambda x: x.transpose(0, 2, 1, 3).reshape(m * p, n * q)[:shape[0]]))

    def reduce(self):
        a = self.static(lambda v: v.shape and v.element == "i32")
        if a is None:
            return
        dims = sorted(self.random.sample(range(len(a.shape)),
                                         self.random.randrange(
                                             1, len(a.shape) + 1)))
        kept = [d for d in range(len(a.shape)) if d not in dims]
        init = self.argument([a.shape[d] for d in kept], "i32")
        init.dynamic = (False,) * len(kept)
        result = Value(self.name(), init.shape, "i32", init.dynamic)
        op = self.random.choice(["addi", "muli", "maxsi", "xori"])
        function = {"addi": np.add, "muli": np.multiply, "maxsi": np.maximum,
                    "xori": np.bitwise_xor}[op]

        def compute(x, y):
            with np.errstate(over="ignore"):
                for part in np.moveaxis(x, dims, range(len(dims))).reshape(
                        -1, *y.shape):
                    y = function(y, part)
            return y
        self.add(Simple([a, init], result, [
            f"  {result.name} = linalg.reduce {{ arith.{op} }} ins({a.name} : "
            f"{a.type()}) outs({init.name} : {init.type()}) dimensions = {dims}"
        ], compute))

    def broadcast(self):
        a = self.pick(lambda v: len(v.shape) < 3 and math.prod(v.shape) < 500)
        if a is None:
            return
        at = self.random.randrange(len(a.shape) + 1)
        extent = self.random.choice([1, 3, 5])
        result = Value(self.name(), a.shape[:at] + (extent,) + a.shape[at:],
                       a.element, a.dynamic[:at] + (False,) + a.dynamic[at:])
        lines, sizes = [], []
        for dim, hidden in enumerate(a.dynamic):
            if hidden:
                sizes.append(f"{result.name}s{dim}")
                lines += size_text(a, dim, sizes[-1])
        lines += [empty_text(result, sizes),
                  f"  {result.name} = linalg.broadcast ins({a.name} : "
                  f"{a.type()}) outs({result.name}e : {result.type()}) "
                  f"dimensions = [{at}]"]
        self.add(Simple([a], result, lines, lambda x: np.broadcast_to(
            np.expand_dims(x, at), result.shape)))

    def condition_on_data(self):
        """One of two tensors, or of two ways to compute one."""
        a = self.pick(lambda v: v.element == "f32")
        b = a and self.pick(lambda v: v.type() == a.type() and
                            v.shape == a.shape)
        s = self.pick(lambda v: v.element == "i32" and 0 not in v.shape)
        if b is None or s is None:
            return
        result = Value(self.name(), a.shape, "f32", a.dynamic)
        at = [f"{result.name}i{d}" for d in range(len(s.shape))]
        place = tuple(self.random.randrange(n) for n in s.shape)
        lines = [f"  {i} = arith.constant {p} : index"
                 for i, p in zip(at, place)]
        lines += [f"  {result.name}x = tensor.extract {s.name}[{', '.join(at)}] "
                  f": {s.type()}",
                  f"  {result.name}z = arith.constant 0 : i32",
                  f"  {result.name}c = arith.cmpi sgt, {result.name}x, "
                  f"{result.name}z : i32",
                  f"  {result.name} = scf.if {result.name}c -> {a.type()} {{",
                  f"    %m = arith.maximumf {a.name}, {b.name} : {a.type()}",
                  f"    scf.yield %m : {a.type()}", "  } else {",
                  f"    scf.yield {b.name} : {a.type()}", "  }"]
        self.add(Simple([a, b, s], result, lines,
                        lambda x, y, c: np.maximum(x, y) if c[place] > 0
                        else y))

    def loop(self):
        """A few iterations over one tensor."""
        a = self.pick(lambda v: v.element == "i32")
        if a is None:
            return
        count = self.random.choice([0, 1, 3])
        result = Value(self.name(), a.shape, "i32", a.dynamic)
        n = result.name

        def compute(x):
            start = x
            with np.errstate(over="ignore"):
                for _ in range(count):
                    x = np.bitwise_xor(x * start, start)
            return x
        self.add(Simple([a], result, [
            f"  {n}l = arith.constant 0 : index",
            f"  {n}h = arith.constant {count} : index",
            f"  {n}s = arith.constant 1 : index",
            f"  {n} = scf.for %i = {n}l to {n}h step {n}s iter_args(%a = "
            f"{a.name}) -> {a.type()} {{",
            f"    %b = arith.muli %a, {a.name} : {a.type()}",
            f"    %c = arith.xori %b, {a.name} : {a.type()}",
            f"    scf.yield %c : {a.type()}", "  }"], compute))

    def pool(self):
        a = self.static(lambda v: len(v.shape) == 4 and v.element == "f32")
        if a is None:
            return
        window = [self.random.randrange(1, min(3, n) + 1)
                  for n in a.shape[1:3]]
        h, w = (n - k + 1 for n, k in zip(a.shape[1:3], window))
        result = Value(self.name(), (a.shape[0], h, w, a.shape[3]), "f32",
                       (False,) * 4)
        kind = f"tensor<{window[0]}x{window[1]}xf32>"
        name = result.name
        self.add(Simple([a], result, [
            *self.whole(name + "f", result, "-8.0"),
            f"  {name}w = tensor.empty() : {kind}",
            f"  {name} = linalg.pooling_nhwc_max ins({a.name}, {name}w : "
            f"{a.type()}, {kind}) outs({name}f : {result.type()}) -> "
            f"{result.type()}"],
            lambda x: np.max([x[:, i:i + h, j:j + w] for i in range(window[0])
                              for j in range(window[1])], axis=0)))

    def batch_matmul(self):
        a = self.static(lambda v: len(v.shape) == 3 and v.element == "i32")
        if a is None:
            return
        columns = self.random.choice([1, 3, 9])
        b = self.argument((a.shape[0], a.shape[2], columns), "i32")
        result = Value(self.name(), (*a.shape[:2], columns), "i32",
                       (False,) * 3)
        name = result.name
        self.add(Simple([a, b], result, [
            *self.whole(name + "f", result, "0"),
            f"  {name} = linalg.batch_matmul ins({a.name}, {b.name} : "
            f"{a.type()}, {b.type()}) outs({name}f : {result.type()}) -> "
            f"{result.type()}"],
            lambda x, y: np.einsum("bij,bjk->bik", x, y)))

    def contract_integers(self):
        """A product of any two tensors over one dimension of equal size."""
        a = self.static(lambda v: v.shape and v.element == "i32")
        b = a and self.static(lambda v: v.shape and v.element == "i32" and
                              v.shape[0] == a.shape[-1] and
                              math.prod(v.shape) * math.prod(a.shape) < 20000)
        if not b:
            return
        letters = "ijklmnop"
        left, right = letters[:len(a.shape)], \
            letters[len(a.shape) - 1:len(a.shape) + len(b.shape) - 1]
        out = left[:-1] + right[1:]
        order = list(out)
        self.random.shuffle(order)
        out = "".join(order)
        extent = dict(zip(left + right, a.shape + b.shape))
        result = Value(self.name(), tuple(extent[c] for c in out), "i32",
                       (False,) * len(out))
        name, loops = result.name, ", ".join(letters[:len(extent)])
        maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(part)})>"
                         for part in (left, right, out))
        self.add(Simple([a, b], result, [
            *self.whole(name + "f", result, "0"),
            f"  {name} = linalg.contract indexing_maps = [{maps}] ins({a.name}, "
            f"{b.name} : {a.type()}, {b.type()}) outs({name}f : "
            f"{result.type()}) -> {result.type()}"],
            lambda x, y: np.einsum(f"{left},{right}->{out}", x, y)))

    def insert_element(self):
        a = self.pick(lambda v: v.shape and 0 not in v.shape and
                      v.element == "f32")
        s = self.pick(lambda v: v.shape == () and v.element == "f32")
        if a is None or s is None:
            return
        place = tuple(self.random.randrange(n) for n in a.shape)
        result = Value(self.name(), a.shape, "f32", a.dynamic)
        at = [f"{result.name}i{d}" for d in range(len(place))]

        def compute(x, y):
            x = x.copy()
            x[place] = y
            return x
        self.add(Simple([a, s], result, [
            *(f"  {i} = arith.constant {p} : index" for i, p in zip(at, place)),
            f"  {result.name}s = tensor.extract {s.name}[] : {s.type()}",
            f"  {result.name} = tensor.insert {result.name}s into {a.name}"
            f"[{', '.join(at)}] : {a.type()}"], compute))
