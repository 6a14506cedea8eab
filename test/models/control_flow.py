"""control_flow.py TOOL PYPI [--count N] [--seed S] [--device D]
[--interpret INTERPRET-MODEL]: If, Loop, Scan,
recurrent networks, counters and selections of ONNX that only a run can decide.
Runs random models, nested, with sizes that change, on several inputs each from
one package, and compares with ONNX Runtime. With --interpret, that program
walks the package's steps, and no session does. Exits with 77 without the
wheels."""

import argparse
import concurrent.futures
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

import tool
from convolutions import forked, wheels

WIDTH = 4
BOUNDED = ["Tanh", "Sigmoid", "ScaledTanh", "HardSigmoid", "Softsign"]
UNBOUNDED = ["Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "Elu", "Softplus"]


class Value:
    """A tensor of floats [rows, WIDTH]; equal `rows` are equal sizes."""

    def __init__(self, name, rows):
        self.name, self.rows = name, rows


class Model:
    """A random model over x [N, WIDTH], y [N, WIDTH], m and c, of one integer
    and one bool."""

    def __init__(self, draw, depth=2):
        from onnx import helper, numpy_helper
        self.draw, self.helper = draw, helper
        self.numpy = numpy_helper
        self.names = 0
        self.sizes = 0
        self.constants = {}
        # The integers that may be read where nodes are being written.
        self.numbers = ["m"]
        nodes = []
        pool = [Value("x", "N"), Value("y", "N")]
        pool += self.statements(nodes, pool, depth, draw.randint(2, 5))
        results = [value for value in pool[2:][-4:]]
        outputs = []
        for value in results or pool[:1]:
            name = self.name("out")
            nodes.append(helper.make_node("Identity", [value.name], [name]))
            outputs.append(self.info(name))
        graph = helper.make_graph(
            nodes, "random",
            [helper.make_tensor_value_info("x", 1, ["N", WIDTH]),
             helper.make_tensor_value_info("y", 1, ["N", WIDTH]),
             helper.make_tensor_value_info("m", 7, []),
             helper.make_tensor_value_info("c", 9, [])],
            outputs, [numpy_helper.from_array(value, name)
                      for name, value in self.constants.items()])
        self.proto = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    # Parts.
    def name(self, kind="v"):
        self.names += 1
        return f"{kind}{self.names}"

    def rows(self):
        self.sizes += 1
        return f"r{self.sizes}"

    def info(self, name, shape=(None, WIDTH), dtype=1):
        return self.helper.make_tensor_value_info(name, dtype, list(shape))

    def constant(self, value):
        value = np.asarray(value)
        name = f"k_{value.dtype}_{value.tobytes().hex()[:40]}_{value.ndim}"
        self.constants[name] = value
        return name

    def add(self, nodes, op, inputs, outputs=1, **attributes):
        names = [self.name() for _ in range(outputs)]
        nodes.append(self.helper.make_node(op, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    # Statements: each returns new values.
    def statements(self, nodes, pool, depth, count):
        pool, made = list(pool), []
        for _ in range(count):
            kinds = [self.unary, self.unary, self.binary, self.product,
                     self.cut, self.joined, self.chosen, self.recurrent,
                     self.counted, self.told, self.sized]
            if depth:
                kinds += [self.branch, self.loop, self.loop, self.scan]
            new = self.draw.choice(kinds)(nodes, pool, depth)
            pool += new
            made += new
        return made

    def pick(self, pool):
        return self.draw.choice(pool)

    def unary(self, nodes, pool, _):
        value = self.pick(pool)
        op = self.draw.choice(["Tanh", "Neg", "Sigmoid", "Sin"])
        return [Value(self.add(nodes, op, [value.name]), value.rows)]

    def binary(self, nodes, pool, _):
        value = self.pick(pool)
        same = [other for other in pool if other.rows == value.rows]
        op = self.draw.choice(["Add", "Sub", "Max"])
        total = self.add(nodes, op, [value.name, self.pick(same).name])
        return [Value(self.add(nodes, "Tanh", [total]), value.rows)]

    def product(self, nodes, pool, _):
        value = self.pick(pool)
        weights = np.random.default_rng(3).normal(size=(WIDTH, WIDTH))
        name = self.constant(weights.astype(np.float32) / 2)
        return [Value(self.add(nodes, "MatMul", [value.name, name]),
                      value.rows)]

    def cut(self, nodes, pool, _):
        value = self.pick(pool)
        end = self.constant(np.array([self.draw.choice([0, 1, 3, 7])]))
        zero = self.constant(np.array([0]))
        return [Value(self.add(nodes, "Slice", [value.name, zero, end, zero]),
                      self.rows())]

    def joined(self, nodes, pool, _):
        names = [self.pick(pool).name for _ in range(2)]
        both = self.add(nodes, "Concat", names, axis=0)
        end, zero = self.constant(np.array([20])), self.constant(np.array([0]))
        return [Value(self.add(nodes, "Slice", [both, zero, end, zero]),
                      self.rows())]

    def chosen(self, nodes, pool, _):
        """The rows whose sum is more than a number that it is not likely to be
        but for rounding, as 0 is where rows of zeros come first."""
        value = self.pick(pool)
        one = self.constant(np.array([1]))
        least = self.constant(np.float32(.0173))
        sums = self.add(nodes, "ReduceSum", [value.name, one], keepdims=0)
        mask = self.add(nodes, "Greater", [sums, least])
        if self.draw.random() < .5:
            return [Value(self.add(nodes, "Compress", [value.name, mask],
                                   axis=0), self.rows())]
        places = self.add(nodes, "NonZero", [mask])
        points = self.add(nodes, "Transpose", [places], perm=[1, 0])
        return [Value(self.add(nodes, "GatherND", [value.name, points]),
                      self.rows())]

    def recurrent(self, nodes, pool, _):
        """Rows are steps; an empty sequence is refused by ONNX Runtime."""
        value = self.pick(pool)
        op = self.draw.choice(["RNN", "GRU", "LSTM"])
        gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[op]
        some = np.random.default_rng(gates)
        one = self.constant(np.array([1]))
        first = self.constant(np.zeros((1, WIDTH), np.float32))
        rows = self.add(nodes, "Concat", [first, value.name], axis=0)
        steps = self.add(nodes, "Unsqueeze", [rows, one])
        weights = [self.constant(some.normal(size=(1, gates * WIDTH, WIDTH))
                                 .astype(np.float32)) for _ in "wr"]
        attributes = {"direction": self.draw.choice(["forward", "reverse"])}
        if self.draw.random() < .4:
            count = {"RNN": 1, "GRU": 2, "LSTM": 3}[op]
            attributes["activations"] = [self.draw.choice(BOUNDED + UNBOUNDED)
                                         for _ in range(count)]
            attributes["activation_alpha"] = [.25, .5, .75][:count]
            attributes["activation_beta"] = [.5, .25, .125][:count]
        # Else small differences grow from step to step.
        isUnbounded = set(attributes.get("activations", ())) & set(UNBOUNDED)
        if isUnbounded or self.draw.random() < .3:
            attributes["clip"] = .5
        if op == "LSTM":
            attributes["input_forget"] = self.draw.choice([0, 1])
        if op == "GRU":
            attributes["linear_before_reset"] = self.draw.choice([0, 1])
        result = self.add(nodes, op, [steps] + weights, hidden_size=WIDTH,
                          **attributes)
        both = self.constant(np.array([1, 2]))
        return [Value(self.add(nodes, "Squeeze", [result, both]), self.rows())]

    # Integers: what the host knows where the program counts.
    def number(self, nodes, pool=None):
        value = self.draw.choice(self.numbers)
        if pool and self.draw.random() < .3:
            # From elements: the run reads it.
            tall = self.add(nodes, "Tanh", [self.pick(pool).name])
            total = self.add(nodes, "ReduceSum", [tall], keepdims=0)
            value = self.add(nodes, "Cast", [total], to=7)
        op = self.draw.choice(["", "", "Add", "Sub", "Mul", "Div", "Mod", "Min"])
        if not op:
            return value
        some = [-1, 2] if op == "Mul" else [-3, -2, 2, 5]
        other = self.constant(np.int64(self.draw.choice(some)))
        return self.add(nodes, op, [value, other])

    def count(self, nodes, pool, least, most):
        """An integer in one dimension, within bounds."""
        one = self.constant(np.array([1]))
        value = self.add(nodes, "Reshape", [self.number(nodes, pool), one])
        value = self.add(nodes, "Max", [value, self.constant(np.int64(least))])
        return self.add(nodes, "Min", [value, self.constant(np.int64(most))])

    def some_rows(self, nodes, pool):
        """At least one row."""
        first = self.constant(np.full((1, WIDTH), .5, np.float32))
        return self.add(nodes, "Concat", [first, self.pick(pool).name], axis=0)

    def counted(self, nodes, pool, _):
        """As many rows as an integer says, negative ones too; not all."""
        one = self.constant(np.array([1]))
        end = self.add(nodes, "Reshape", [self.number(nodes, pool), one])
        zero = self.constant(np.array([0]))
        ends = [zero, end] if self.draw.random() < .5 else [
            end, self.constant(np.array([2**60]))]
        ends.append(zero)
        if self.draw.random() < .4:
            two = self.constant(np.array([2]))
            # Odd, so not 0.
            step = self.add(nodes, "Add", [self.add(nodes, "Mul", [
                self.add(nodes, "Reshape", [self.number(nodes), one]), two]),
                one])
            ends.append(step)
        return [Value(self.add(nodes, "Slice", [self.pick(pool).name] + ends),
                      self.rows())]

    def sized(self, nodes, pool, _):
        """An operator that takes a size as an operand."""
        kind = self.draw.choice([self.filled, self.tiled, self.padded,
                                 self.expanded, self.best, self.ranged,
                                 self.resized, self.scaled, self.scaled,
                                 self.split, self.distinct])
        return [Value(name, self.rows()) for name in kind(nodes, pool)]

    def shape(self, nodes, pool, least=0):
        width = self.constant(np.array([WIDTH]))
        count = self.count(nodes, pool, least, 6)
        return self.add(nodes, "Concat", [count, width], axis=0)

    def filled(self, nodes, pool):
        value = self.helper.make_tensor("value", 1, [1], [.75])
        return [self.add(nodes, "ConstantOfShape", [self.shape(nodes, pool)],
                         value=value)]

    def tiled(self, nodes, pool):
        one = self.constant(np.array([1]))
        repeats = self.add(nodes, "Concat", [self.count(nodes, pool, 0, 2), one],
                           axis=0)
        return [self.add(nodes, "Tile", [self.pick(pool).name, repeats])]

    def padded(self, nodes, pool):
        zero = self.constant(np.array([0]))
        ends = [self.count(nodes, pool, 0, 2) for _ in range(2)]
        pads = self.add(nodes, "Concat", [ends[0], zero, ends[1], zero], axis=0)
        mode = self.draw.choice(["constant", "edge"])
        return [self.add(nodes, "Pad", [self.some_rows(nodes, pool), pads],
                         mode=mode)]

    def row(self, nodes, pool):
        """Small changes of a value stay small in iterations."""
        zero, some = self.constant(np.array([0])), self.constant(np.float32(.1))
        total = self.add(nodes, "ReduceSum", [self.pick(pool).name, zero])
        return self.add(nodes, "Mul", [total, some])

    def expanded(self, nodes, pool):
        row = self.add(nodes, "Sin", [self.row(nodes, pool)])
        return [self.add(nodes, "Expand", [row, self.shape(nodes, pool)])]

    def best(self, nodes, pool):
        return self.add(nodes, "TopK", [self.some_rows(nodes, pool),
                                        self.count(nodes, pool, 0, 1)], 2,
                        axis=0)[:1]

    def ranged(self, nodes, pool):
        start, end, step = (self.constant(np.int64(n)) for n in (0, 0, 1))
        one = self.constant(np.array([1]))
        none = self.constant(np.array([], np.int64))
        end = self.add(nodes, "Reshape",
                       [self.count(nodes, pool, -2, 6), none])
        numbers = self.add(nodes, "Range", [start, end, step])
        column = self.add(nodes, "Unsqueeze", [self.add(
            nodes, "Cast", [numbers], to=1), one])
        total = self.add(nodes, "Add", [column, self.row(nodes, pool)])
        return [self.add(nodes, "Sin", [total])]

    def resized(self, nodes, pool):
        return [self.add(nodes, "Resize", [self.some_rows(nodes, pool), "", "",
                                           self.shape(nodes, pool, 1)],
                         mode="nearest", nearest_mode="floor",
                         coordinate_transformation_mode="asymmetric")]

    def scaled(self, nodes, pool):
        """By a quotient of sizes or by halves that a kernel computes. No more
        rows than ONNX Runtime has exact quotients for."""
        end, zero = self.constant(np.array([20])), self.constant(np.array([0]))
        rows = self.add(nodes, "Slice", [self.some_rows(nodes, pool), zero, end,
                                         zero])
        size = self.add(nodes, "Cast", [self.count(nodes, pool, 1, 6)], to=1)
        if self.draw.random() < .5:
            shape = self.add(nodes, "Shape", [rows], start=0, end=1)
            number = self.add(nodes, "Cast", [shape], to=1)
            scale = self.add(nodes, "Div", [size, number])
        else:
            # A square root is no quotient.
            half = self.constant(np.float32(.25))
            scale = self.add(nodes, "Sqrt", [self.add(nodes, "Mul", [
                half, self.add(nodes, "Mul", [size, size])])])
        one = self.constant(np.ones(1, np.float32))
        scales = self.add(nodes, "Concat", [scale, one], axis=0)
        return [self.add(nodes, "Resize", [rows, "", scales], mode="linear",
                         coordinate_transformation_mode="asymmetric")]

    def split(self, nodes, pool):
        rows = self.some_rows(nodes, pool)
        size = self.add(nodes, "Shape", [rows], start=0, end=1)
        first = self.count(nodes, pool, 0, 1)
        rest = self.add(nodes, "Sub", [size, first])
        lengths = self.add(nodes, "Concat", [first, rest], axis=0)
        return self.add(nodes, "Split", [rows, lengths], 2, axis=0)

    def distinct(self, nodes, pool):
        three = self.constant(np.float32(3))
        value = self.add(nodes, "Mul", [self.pick(pool).name, three])
        values = self.add(nodes, "Unique", [self.add(nodes, "Floor", [value])])
        one = self.constant(np.array([1]))
        column = self.add(nodes, "Unsqueeze", [values, one])
        return [self.add(nodes, "Add", [self.add(nodes, "Sin", [column]),
                                        self.row(nodes, pool)])]

    def told(self, nodes, pool, _):
        """Another value if an integer is small, or with the integer in it."""
        value, number = self.pick(pool), self.number(nodes, pool)
        if self.draw.random() < .5:
            real = self.add(nodes, "Cast", [number], to=1)
            total = self.add(nodes, "Add", [value.name, real])
            return [Value(self.add(nodes, "Sin", [total]), value.rows)]
        negative = self.add(nodes, "Neg", [value.name])
        isSmall = self.add(nodes, "Less", [number, self.limit()])
        return [Value(self.add(nodes, "Where",
                               [isSmall, value.name, negative]), value.rows)]

    def limit(self):
        return self.constant(np.int64(self.draw.choice([-1, 0, 1, 2])))

    def condition(self, nodes, pool):
        if self.draw.random() < .3:
            return "c"
        if self.draw.random() < .3:
            op = self.draw.choice(["Less", "Greater", "Equal"])
            return self.add(nodes, op, [self.number(nodes, pool), self.limit()])
        total = self.add(nodes, "ReduceSum", [self.pick(pool).name], keepdims=0)
        limit = self.constant(np.float32(self.draw.uniform(-2, 2)))
        return self.add(nodes, "Less", [total, limit])

    def graph(self, nodes, name, inputs, outputs):
        return self.helper.make_graph(nodes, name, inputs, outputs)

    def given(self, nodes, value):
        """A value under a name of its own, as a result of a graph."""
        return self.add(nodes, "Identity", [value])

    def branch(self, nodes, pool, depth):
        condition = self.condition(nodes, pool)
        count = self.draw.randint(1, 2)
        sides, rows = {}, []
        for side in ("then_branch", "else_branch"):
            inner, outer = [], list(self.numbers)
            inside = pool + self.statements(inner, pool, depth - 1,
                                            self.draw.randint(0, 3))
            self.numbers = outer
            chosen = [self.pick(inside) for _ in range(count)]
            rows.append([value.rows for value in chosen])
            names = [self.given(inner, value.name) for value in chosen]
            sides[side] = self.graph(inner, side, [],
                                     [self.info(name) for name in names])
        names = self.add(nodes, "If", [condition], count, **sides)
        names = names if count > 1 else [names]
        return [Value(name, a if a == b else self.rows())
                for name, a, b in zip(names, *rows)]

    def count_of_loop(self, nodes, pool):
        kind = self.draw.choice(["constant", "data", "rows", "long"])
        if kind == "constant":
            return self.constant(np.int64(self.draw.choice([0, 1, 3])))
        if kind == "data":
            return "m"
        if kind == "long":
            return self.constant(np.int64(17))
        shape = self.add(nodes, "Shape", [self.pick(pool).name])
        zero = self.constant(np.int64(0))
        return self.add(nodes, "Gather", [shape, zero], axis=0)

    def loop(self, nodes, pool, depth):
        draw = self.draw
        count = self.count_of_loop(nodes, pool)
        start = [self.pick(pool) for _ in range(draw.randint(1, 3))]
        carried = [Value(self.name("s"), self.rows()) for _ in start]
        number, on = self.name("i"), self.name("on")
        counter, first = self.name("n"), self.number(nodes)
        if draw.random() < .5:
            first = self.constant(np.int64(draw.choice([-2, 0, 1, 3])))
        outer = list(self.numbers)
        self.numbers += [number, counter]
        inner = []
        inside = pool + carried
        inside += self.statements(inner, inside, depth - 1, draw.randint(1, 3))
        next_values = []
        for value in carried:
            chosen = self.pick([value] + carried + inside[-3:])
            next_values.append(self.given(inner, chosen.name))
        following = self.given(inner, self.number(inner, inside))
        again = self.given(inner, on if draw.random() < .5 else
                           self.condition(inner, inside))
        scans = []
        if draw.random() < .6:
            total = self.add(inner, "ReduceSum", [self.pick(inside).name,
                             self.constant(np.array([0]))], keepdims=0)
            scans.append(self.given(inner, self.add(inner, "Tanh", [total])))
        self.numbers = outer
        body = self.graph(
            inner, "body",
            [self.info(number, (), 7), self.info(on, (), 9)] +
            [self.info(counter, (), 7)] +
            [self.info(value.name) for value in carried],
            [self.info(again, (), 9), self.info(following, (), 7)] +
            [self.info(n) for n in next_values] +
            [self.info(scan, (WIDTH,)) for scan in scans])
        condition = "" if draw.random() < .6 else self.condition(nodes, pool)
        names = self.add(nodes, "Loop",
                         [count, condition, first] + [v.name for v in start],
                         1 + len(start) + len(scans), body=body)
        self.numbers.append(names[0])
        return [Value(name, self.rows()) for name in names[1:]]

    def scan(self, nodes, pool, depth):
        """Over rows: a state [WIDTH], and two outputs [WIDTH] of each row."""
        value = self.pick(pool)
        if value.rows != "N":  # ONNX Runtime refuses to scan nothing.
            value = Value(self.some_rows(nodes, pool), self.rows())
        state, row = self.name("s"), self.name("row")
        inner = []
        total = self.add(inner, "Add", [state, row])
        after = self.given(inner, self.add(inner, "Sin", [total]))
        given = [self.given(inner, self.add(inner, op, [state, row]))
                 for op in ("Mul", "Sub")]
        body = self.graph(inner, "body",
                          [self.info(state, (WIDTH,)), self.info(row, (WIDTH,))],
                          [self.info(name, (WIDTH,))
                           for name in (after, *given)])
        directions = [self.draw.choice([0, 1]) for _ in range(3)]
        zeros = self.constant(np.zeros(WIDTH, np.float32))
        names = self.add(nodes, "Scan", [zeros, value.name], 3, body=body,
                         num_scan_inputs=1,
                         scan_input_directions=directions[:1],
                         scan_output_directions=directions[1:])
        return [Value(name, value.rows) for name in names[1:]]


def runs_of(generator):
    for rows, count in ((5, 2), (1, 0), (3, 18)):
        yield {"x": generator.normal(size=(rows, WIDTH)).astype(np.float32),
               "y": generator.normal(size=(rows, WIDTH)).astype(np.float32),
               "m": np.array(count, np.int64),
               "c": np.array(generator.random() < .5)}


def difference(name, found, expected):
    if found.shape != expected.shape:
        return f"{name}: shape {found.shape}, expected {expected.shape}"
    error = np.abs(found.astype(np.float64) - expected)
    wrong = ~(error <= 1e-4 + 1e-3 * np.abs(expected))
    if wrong.any():
        return f"{name}: {wrong.sum()} of {wrong.size} differ, {error.max()}"
    return None


def oracle_of(path):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options,
                                        providers=["CPUExecutionProvider"])


def interpreted(binary, number, folder):
    """What is wrong with a model on the reference interpreter."""
    import onnx
    import onnxruntime
    model = Model(random.Random(number))
    folder = folder / str(number)
    folder.mkdir(parents=True)
    onnx.save(model.proto, folder / "model.onnx")
    oracle = oracle_of(folder / "model.onnx")
    for run, inputs in enumerate(runs_of(np.random.default_rng(number))):
        try:
            outputs = oracle.run(None, inputs)
        except onnxruntime.capi.onnxruntime_pybind11_state.Fail:
            continue  # It refuses some empty tensors.
        record = folder / str(run)
        record.mkdir()
        for name, value in inputs.items():
            np.save(record / f"in.{name}.npy", value)
        for output, value in zip(oracle.get_outputs(), outputs):
            np.save(record / f"out.{output.name}.npy", value)
    result = forked.run([binary, str(folder)], capture_output=True, text=True,
                        timeout=300, check=False)
    return result.stderr if result.returncode else None


def problem(binary, number, folder, device):
    import onnx
    import onnxruntime
    model = Model(random.Random(number))
    path, package = folder / f"{number}.onnx", folder / f"{number}.twp"
    onnx.save(model.proto, path)
    oracle = oracle_of(path)
    target = "sm_80" if device == "emulator" else device
    try:
        result = forked.run([binary, "compile", str(path), "--target", target,
                             "-o", str(package)], capture_output=True,
                            text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "the compilation does not end"
    if result.returncode:
        return result.stderr
    for inputs in runs_of(np.random.default_rng(number)):
        try:
            expected = oracle.run(None, inputs)
        except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
            if len(inputs["x"]):  # It refuses some empty tensors.
                return f"ONNX Runtime: {error}"
            continue
        try:
            found = tool.run(binary, package, inputs, ["--device", device])
        except tool.Failure as failure:
            return f"{len(inputs['x'])} rows, m {inputs['m']}: {failure}"
        for (entry, array), wanted in zip(found, expected):
            if wrong := difference(entry["name"], array, wanted):
                return f"{len(inputs['x'])} rows, m {inputs['m']}: {wrong}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("pypi")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--interpret", metavar="INTERPRET-MODEL")
    parser.add_argument("--keep", help="a folder for the models that fail")
    options = parser.parse_args()
    if missing := wheels.use(options.pypi):
        print(f"skipped: {missing}")
        sys.exit(77)
    failures = 0
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        folder = pathlib.Path(options.keep or name)
        numbers = range(options.seed, options.seed + options.count)

        def check(number):
            if options.interpret:
                return interpreted(options.interpret, number, folder)
            return problem(options.tool, number, folder, options.device)

        where = "the interpreter" if options.interpret else options.device
        for number, wrong in zip(numbers, pool.map(check, numbers)):
            if wrong:
                failures += 1
                print(f"model {number} on {where}: {wrong}")
    print(f"{options.count} models, {failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
