"""Programs of linalg on tensors: what they are as MLIR, and what they compute.

The meaning is written down here once more, in NumPy and without any code of the
compiler: a generic is its body at each point of its loops, reductions in
lexicographic order. Floats are multiples of small powers of two and stay small
(see generate.py), so that sums and products are exact in any order, and results
are compared bit for bit.
"""

import dataclasses
import itertools

import numpy as np

DTYPES = {"f32": np.float32, "i8": np.int8, "i16": np.int16, "i32": np.int32,
          "i64": np.int64, "i1": np.bool_}


@dataclasses.dataclass
class Value:
    """A tensor: its name, size and element; which dimensions the type hides."""
    name: str
    shape: tuple
    element: str
    dynamic: tuple

    def type(self):
        sizes = ["?" if d else str(s) for s, d in zip(self.shape, self.dynamic)]
        return "tensor<" + "x".join(sizes + [self.element]) + ">"


# Scalar expressions: tuples (op, operands..., element).

def element_of(expr):
    return expr[-1]


def walk(expr):
    yield expr
    for part in expr[1:-1]:
        if isinstance(part, tuple):
            yield from walk(part)


BINARY = {
    "addf": np.add, "subf": np.subtract, "mulf": np.multiply,
    "maximumf": np.maximum, "minimumf": np.minimum,
    "addi": np.add, "subi": np.subtract, "muli": np.multiply,
    "maxsi": np.maximum, "minsi": np.minimum, "andi": np.bitwise_and,
    "ori": np.bitwise_or, "xori": np.bitwise_xor,
}
COMPARE = {"ogt": np.greater, "ole": np.less_equal, "sgt": np.greater,
           "sle": np.less_equal, "eq": np.equal}


def evaluate(expr, given, indices):
    """The value of a scalar expression at all points of arrays."""
    op, *parts, element = expr
    if op == "arg":
        return given[parts[0]]
    if op == "const":
        return DTYPES[element](parts[0])
    if op == "index":
        return indices[parts[0]].astype(DTYPES[element])
    a = evaluate(parts[0], given, indices)
    if op == "cmp":
        return COMPARE[parts[2]](a, evaluate(parts[1], given, indices))
    if op == "select":
        return np.where(a, evaluate(parts[1], given, indices),
                        evaluate(parts[2], given, indices))
    if op == "grid":
        return np.clip(np.floor(a * np.float32(4)) * np.float32(0.25),
                       np.float32(-4), np.float32(4))
    if op == "convert":
        return np.asarray(a).astype(DTYPES[element])
    b = evaluate(parts[1], given, indices)
    with np.errstate(over="ignore"):
        return BINARY[op](a, b).astype(DTYPES[element])


class Printer:
    """Scalar expressions as the ops of a body."""

    def __init__(self, arguments):
        self.arguments, self.lines, self.known = arguments, [], {}

    def fresh(self, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"    {name} = {text}")
        return name

    def emit(self, expr):
        if expr not in self.known:
            self.known[expr] = self.create(expr)
        return self.known[expr]

    def create(self, expr):
        op, *parts, element = expr
        if op == "arg":
            return self.arguments[parts[0]]
        if op == "const":
            text = repr(float(parts[0])) if element[0] == "f" else str(parts[0])
            return self.fresh(f"arith.constant {text} : {element}")
        if op == "index":
            index = self.fresh(f"linalg.index {parts[0]} : index")
            if element != "f32":
                return self.fresh(f"arith.index_cast {index} : index to {element}")
            number = self.fresh(f"arith.index_cast {index} : index to i32")
            return self.fresh(f"arith.sitofp {number} : i32 to f32")
        a = self.emit(parts[0])
        if op == "convert":
            return self.convert(a, element_of(parts[0]), element)
        if op == "grid":
            return self.grid(a)
        b = self.emit(parts[1])
        if op == "cmp":
            kind = element_of(parts[0])
            name = "cmpf" if kind == "f32" else "cmpi"
            predicate = "oeq" if (name, parts[2]) == ("cmpf", "eq") else parts[2]
            return self.fresh(f"arith.{name} {predicate}, {a}, {b} : {kind}")
        if op == "select":
            c = self.emit(parts[2])
            return self.fresh(f"arith.select {a}, {b}, {c} : {element}")
        return self.fresh(f"arith.{op} {a}, {b} : {element}")

    def convert(self, a, source, target):
        if source == target:
            return a
        if target == "f32":
            return self.fresh(f"arith.sitofp {a} : {source} to f32")
        if source == "f32":
            return self.fresh(f"arith.fptosi {a} : f32 to {target}")
        wider = int(source[1:]) < int(target[1:])
        name = "extui" if source == "i1" else "extsi" if wider else "trunci"
        return self.fresh(f"arith.{name} {a} : {source} to {target}")

    def grid(self, a):
        """To a multiple of 1/4 between -4 and 4."""
        four = self.fresh("arith.constant 4.0 : f32")
        low = self.fresh("arith.constant -4.0 : f32")
        part = self.fresh("arith.constant 0.25 : f32")
        a = self.fresh(f"arith.mulf {a}, {four} : f32")
        a = self.fresh(f"math.floor {a} : f32")
        a = self.fresh(f"arith.mulf {a}, {part} : f32")
        a = self.fresh(f"arith.maximumf {a}, {low} : f32")
        return self.fresh(f"arith.minimumf {a}, {four} : f32")


# Subscripts: (terms {loop: coefficient}, constant, divisor or None, kind).

@dataclasses.dataclass(frozen=True)
class Subscript:
    """sum of loop * coefficient + constant, perhaps `floordiv` or `mod` by."""
    terms: tuple = ()
    constant: int = 0
    by: tuple = ()

    def at(self, indices):
        value = self.constant
        for loop, factor in self.terms:
            value = value + indices[loop] * factor
        if self.by:
            name, divisor = self.by
            value = value // divisor if name == "floordiv" else value % divisor
        return value

    def __str__(self):
        parts = [f"d{loop}" if factor == 1 else f"d{loop} * {factor}"
                 for loop, factor in self.terms]
        text = " + ".join(parts + ([str(self.constant)] if self.constant or
                                   not parts else []))
        return f"({text}) {self.by[0]} {self.by[1]}" if self.by else text

    def plain(self):
        """The loop that it is, or None."""
        if len(self.terms) == 1 and self.terms[0][1] == 1 and \
                not self.constant and not self.by:
            return self.terms[0][0]
        return None


def map_text(loops, subscripts):
    names = ", ".join(f"d{i}" for i in range(loops))
    return f"affine_map<({names}) -> ({', '.join(map(str, subscripts))})>"


class Argument:
    """A tensor that the caller gives."""

    def __init__(self, result, data):
        self.results, self.reads = [result], []
        self.data = np.asarray(data, DTYPES[result.element])


class Node:
    """An op: `text` gives its lines, `compute` its results."""

    def __init__(self, reads, results):
        self.reads, self.results = reads, results


def size_text(value, dim, name):
    """Lines that give dimension `dim` of a value, as an index."""
    if not value.dynamic[dim]:
        return [f"  {name} = arith.constant {value.shape[dim]} : index"]
    return [f"  {name}c = arith.constant {dim} : index",
            f"  {name} = tensor.dim {value.name}, {name}c : {value.type()}"]


def extract_text(value, position, name):
    """Lines that read one element as the scalar `name`."""
    at = [f"{name}i{dim}" for dim in range(len(position))]
    return [f"  {index} = arith.constant {where} : index"
            for index, where in zip(at, position)] + [
                f"  {name} = tensor.extract {value.name}[{', '.join(at)}] : "
                f"{value.type()}"]


def empty_text(result, sizes):
    """An empty tensor of the result's type; `sizes` names the dynamic ones."""
    return (f"  {result.name}e = tensor.empty({', '.join(sizes)}) : "
            f"{result.type()}")


class Generic(Node):
    """`inputs` and `inits` are (Value or ("fill", number) or None, subscripts);
    `yields` an expression for each result. `scalars` are elements of tensors,
    (Value, position), that the body reads from outside."""

    def __init__(self, loops, kinds, inputs, inits, yields, results,
                 scalars=()):
        reads = [v for v, _ in inputs] + [v for v, _ in inits
                                          if isinstance(v, Value)]
        reads += [v for v, _ in scalars]
        self.scalars = scalars
        super().__init__(reads, results)
        self.loops, self.kinds = loops, kinds
        self.inputs, self.inits, self.yields = inputs, inits, yields

    def compute(self, data):
        parallel = [i for i, k in enumerate(self.kinds) if k == "parallel"]
        reduced = [i for i, k in enumerate(self.kinds) if k != "parallel"]
        grid = np.indices([self.loops[i] for i in parallel], dtype=np.int64)
        outs = []
        for (init, _), result in zip(self.inits, self.results):
            kind = DTYPES[result.element]
            whole = np.zeros(result.shape, kind)
            if isinstance(init, Value):
                whole = np.array(data[init.name])
            elif init:
                whole[...] = init[1]
            outs.append(whole)
        for point in itertools.product(*(range(self.loops[i]) for i in reduced)):
            indices = [None] * len(self.loops)
            for axis, loop in enumerate(parallel):
                indices[loop] = grid[axis]
            for at, loop in zip(point, reduced):
                indices[loop] = np.full(grid.shape[1:], at, np.int64)

            def place(subscripts):
                return tuple(np.broadcast_to(s.at(indices), grid.shape[1:])
                             for s in subscripts)
            given = [data[v.name][place(s)] for v, s in self.inputs]
            given += [out[place(s)] for out, (_, s) in zip(outs, self.inits)]
            given += [data[v.name][at] for v, at in self.scalars]
            new = [evaluate(y, given, indices) for y in self.yields]
            for out, (_, s), value in zip(outs, self.inits, new):
                out[place(s)] = value
        return outs

    def loop_sizes(self, tag):
        """Lines that give the dynamic loops' sizes, and their names."""
        lines, names = [], {}
        for value, subscripts in self.inputs + [
                (v, s) for v, s in self.inits if isinstance(v, Value)]:
            for dim, subscript in enumerate(subscripts):
                loop = subscript.plain()
                if loop is not None and loop not in names:
                    names[loop] = f"%{tag}l{loop}"
                    lines += size_text(value, dim, names[loop])
        return lines, names

    def text(self):
        tag = self.results[0].name[1:]
        lines, sizes = self.loop_sizes(tag)
        inits = []
        for (init, subscripts), result in zip(self.inits, self.results):
            if isinstance(init, Value):
                inits.append(init.name)
                continue
            dynamic = [sizes[s.plain()]
                       for s, d in zip(subscripts, result.dynamic) if d]
            lines.append(empty_text(result, dynamic))
            inits.append(result.name + "e")
            if init:
                number = (repr(float(init[1])) if result.element == "f32" else
                          "true" if init[1] is True else
                          "false" if init[1] is False else str(init[1]))
                lines += [f"  {result.name}z = arith.constant {number} : "
                          f"{result.element}",
                          f"  {result.name}f = linalg.fill ins({result.name}z : "
                          f"{result.element}) outs({result.name}e : "
                          f"{result.type()}) -> {result.type()}"]
                inits[-1] = result.name + "f"
        maps = [map_text(len(self.loops), s)
                for _, s in self.inputs + self.inits]
        kinds = ", ".join(f'"{k}"' for k in self.kinds)
        types = [r.type() for r in self.results]
        elements = [v.element for v, _ in self.inputs] + [r.element for r in
                                                          self.results]
        arguments = [f"%a{i}" for i in range(len(elements))]
        scalars = []
        for number, (value, position) in enumerate(self.scalars):
            scalars.append(f"%{tag}x{number}")
            lines += extract_text(value, position, scalars[-1])
        printer = Printer(arguments + scalars)
        yielded = [printer.emit(y) for y in self.yields]
        count = f":{len(types)}" if len(types) > 1 else ""
        ins = ""
        if self.inputs:
            ins = (f" ins({', '.join(v.name for v, _ in self.inputs)} : "
                   f"{', '.join(v.type() for v, _ in self.inputs)})")
        block = ", ".join(f"{a}: {e}" for a, e in zip(arguments, elements))
        lines += [
            f"  %{tag}g{count} = linalg.generic {{indexing_maps = "
            f"[{', '.join(maps)}], iterator_types = [{kinds}]}}{ins} "
            f"outs({', '.join(inits)} : {', '.join(types)}) {{",
            f"  ^bb0({block}):", *printer.lines,
            f"    linalg.yield {', '.join(yielded)} : "
            f"{', '.join(r.element for r in self.results)}",
            f"  }} -> ({', '.join(types)})"]
        for number, result in enumerate(self.results):
            suffix = f"#{number}" if len(types) > 1 else ""
            lines.append(f"  {result.name} = tensor.cast %{tag}g{suffix} : "
                         f"{result.type()} to {result.type()}")
        return lines


class Simple(Node):
    """One op of another kind: its lines and its function are given."""

    def __init__(self, reads, result, lines, function):
        super().__init__(reads, [result])
        self.lines, self.function = lines, function

    def text(self):
        return self.lines

    def compute(self, data):
        found = self.function(*(data[v.name] for v in self.reads))
        return [np.asarray(found, DTYPES[self.results[0].element])]


class Program:
    def __init__(self, items, outputs):
        self.items, self.outputs = items, outputs

    def live(self):
        """The items that the outputs need, in order."""
        wanted = {v.name for v in self.outputs}
        kept = []
        for item in reversed(self.items):
            if any(r.name in wanted for r in item.results):
                kept.append(item)
                wanted |= {v.name for v in item.reads}
        return kept[::-1]

    def arguments(self):
        return [i for i in self.live() if isinstance(i, Argument)]

    def text(self):
        arguments = ", ".join(f"{a.results[0].name}: {a.results[0].type()}"
                              for a in self.arguments())
        lines = [line for item in self.live() if isinstance(item, Node)
                 for line in item.text()]
        types = ", ".join(v.type() for v in self.outputs)
        names = ", ".join(v.name for v in self.outputs)
        return "\n".join([f"func.func @main({arguments}) -> ({types}) {{",
                          *lines, f"  return {names} : {types}", "}", ""])

    def values(self):
        data = {}
        for item in self.live():
            results = ([item.data] if isinstance(item, Argument)
                       else item.compute(data))
            for value, array in zip(item.results, results):
                assert array.shape == value.shape, (value, array.shape)
                data[value.name] = array
        return data

    def expected(self):
        data = self.values()
        return [data[v.name] for v in self.outputs]
