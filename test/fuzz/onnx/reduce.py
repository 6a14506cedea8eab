"""Makes a failing case small: fewer outputs, fewer nodes, inner values as
inputs, smaller sizes, for as long as it fails the same way."""

import copy
import dataclasses

import numpy as np
import onnx

import oracle
from case import Case, declare_rank
from mismatch import first_rejected, loose

TRIALS = 150


def reduce(case, runner, verdict):
    if verdict.kind == "accepted":
        alone = first_rejected(case)
        if alone and runner.check(alone).kind == "accepted":
            return alone
        return case
    if any(values is None for values in case.expected):
        return case
    return Reducer(case, runner, verdict).run()


class Reducer:
    def __init__(self, case, runner, verdict):
        self.case, self.runner, self.verdict = case, runner, verdict
        self.trials = TRIALS
        self.values = inner_values(case)

    def same(self, case):
        """Whether `case` fails as the first one did."""
        if case is None or self.trials <= 0:
            return False
        self.trials -= 1
        found = self.runner.check(case)
        if found.kind != self.verdict.kind:
            return False
        if found.kind == "rejected":
            return stem(found.reason) == stem(self.verdict.reason)
        return True

    def take(self, case):
        if not self.same(case):
            return False
        self.case = case
        return True

    def run(self):
        if self.values is None:
            return self.case
        if self.verdict.assignment is not None:
            self.take(self.at([self.verdict.assignment]))
        self.fewer_outputs()
        self.one_node()
        while self.cut_once() or self.fewer_outputs():
            pass
        self.smaller()
        return self.case

    def at(self, assignments):
        """With some of the assignments only. Symbols stay."""
        case = self.case
        if len(case.feeds) == len(assignments):
            return None
        self.values = [self.values[k] for k in assignments]
        return dataclasses.replace(case, **{
            name: [getattr(case, name)[k] for k in assignments]
            for name in ("feeds", "expected", "errors")})

    def fewer_outputs(self):
        names = [value.name for value in self.case.model.graph.output]
        for name in names:
            if len(names) > 1 and self.take(self.build([name], set())):
                return True
        return False

    def one_node(self):
        """A node alone, whose inputs are inputs."""
        for node in self.case.model.graph.node:
            if node.op_type == "Constant":
                continue
            outputs = [name for name in node.output if name]
            if self.take(self.build(outputs, set(node.input))):
                return

    def cut_once(self):
        """Makes one inner value an input."""
        model = self.case.model
        made = [name for node in model.graph.node if node.op_type != "Constant"
                for name in node.output if name]
        outputs = [value.name for value in model.graph.output]
        for name in reversed(made):
            if name not in outputs and \
                    self.take(self.build(outputs, {name})):
                return True
        return False

    def build(self, outputs, cut):
        """The part that computes `outputs`, with the values `cut` given."""
        case, graph = self.case, self.case.model.graph
        used, nodes = set(outputs), []
        for node in reversed(graph.node):
            if used & set(node.output) and not (
                    set(node.output) - {""} <= cut):
                nodes.append(node)
                used |= set(node.input) | captured(node)
        nodes.reverse()
        made = {name for node in nodes for name in node.output if name}
        initial = [t for t in graph.initializer if t.name in used - made]
        given = {t.name for t in initial}
        names = sorted(name for name in used - made - given if name)
        inputs = {}
        for name in names:
            if any(name not in column for column in self.values):
                return None
            inputs[name] = self.declared(name)
        if not nodes or not set(outputs) <= made:
            return None
        columns = self.values
        dtypes = {name: (columns[0][name].dtype, None) for name in outputs}
        model = oracle.model_of(nodes, inputs, dtypes, {},
                                case.model.opset_import[0].version)
        model.graph.initializer.extend(initial)
        for value in model.graph.output:
            declare_rank(value, columns[0][value.name].ndim)
        errors = [{name: case.errors[k].get(name, loose(columns[k][name]))
                   for name in outputs} for k in range(len(columns))]
        model.functions.extend(case.model.functions)
        del model.opset_import[:]
        model.opset_import.extend(case.model.opset_import)
        return Case(model, [{n: c[n] for n in names} for c in columns],
                    [{n: c[n] for n in outputs} for c in columns], errors,
                    case.by_run)

    def declared(self, name):
        for value in self.case.model.graph.input:
            if value.name == name:
                dims = value.type.tensor_type.shape.dim
                return self.values[0][name].dtype, [
                    d.dim_param or (d.dim_value if d.HasField("dim_value")
                                    else None) for d in dims]
        shapes = [column[name].shape for column in self.values]
        symbols = symbols_of(self.case)
        dims = []
        for i, sizes in enumerate(zip(*shapes)):
            same = [s for s, other in symbols.items() if other == sizes]
            dims.append(sizes[0] if len(set(sizes)) == 1 and len(sizes) > 1
                        else same[0] if same else f"{name}_{i}"
                        if len(sizes) > 1 else sizes[0])
        return self.values[0][name].dtype, dims

    def smaller(self):
        """One assignment: each size of inputs and constants made smaller,
        expected values computed anew."""
        if len(self.case.feeds) != 1:
            return
        sizes = sorted({n for array in arrays_of(self.case)
                        for n in array.shape if n > 1}, reverse=True)
        for size in sizes:
            for less in {1, 2, size - 1}:
                if less < size and self.take(shrunk(self.case, size, less)):
                    break


def captured(node):
    return {name for a in node.attribute if a.type == onnx.AttributeProto.GRAPH
            for inner in a.g.node for name in inner.input}


def stem(reason):
    """A rejection without the node it names."""
    return reason.split("node", 1)[0] + reason.rsplit(":", 1)[-1]


def inner_values(case):
    """Every value of the model at each assignment, by ONNX Runtime."""
    model = copy.deepcopy(case.model)
    have = {value.name for value in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in have:
                model.graph.output.append(
                    onnx.helper.make_empty_tensor_value_info(name))
    names = [value.name for value in model.graph.output]
    try:
        opened = oracle.session(model)
        columns = []
        for feed, expected in zip(case.feeds, case.expected):
            found = dict(zip(names, map(np.asarray, oracle.run(opened, feed))))
            columns.append({**found, **feed, **expected})
        return columns
    except oracle.Rejected:
        return None


def symbols_of(case):
    found = {}
    for value in case.model.graph.input:
        for i, dim in enumerate(value.type.tensor_type.shape.dim):
            if dim.dim_param:
                found[dim.dim_param] = tuple(feed[value.name].shape[i]
                                             for feed in case.feeds)
    return found


def arrays_of(case):
    return list(case.feeds[0].values()) + [
        onnx.numpy_helper.to_array(t) for t in case.model.graph.initializer]


def shrunk(case, size, less):
    """All dimensions of `size` cut to `less`, or None where that is no
    model."""
    def cut(array):
        return np.ascontiguousarray(array[tuple(
            slice(less) if n == size else slice(None) for n in array.shape)])
    model = copy.deepcopy(case.model)
    feed = {name: cut(value).reshape(cut(value).shape)
            for name, value in case.feeds[0].items()}
    for value in model.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            if not dim.dim_param and dim.dim_value == size:
                dim.dim_value = less
    for t in model.graph.initializer:
        array = onnx.numpy_helper.to_array(t)
        if size in array.shape:
            t.CopyFrom(onnx.numpy_helper.from_array(cut(array), t.name))
    names = [value.name for value in model.graph.output]
    try:
        found = list(map(np.asarray, oracle.run_model(model, feed)))
    except oracle.Rejected:
        return None
    if any(a.ndim != case.expected[0][n].ndim for n, a in zip(names, found)):
        return None
    return Case(model, [feed], [dict(zip(names, found))],
                [{n: loose(a) for n, a in zip(names, found)}], case.by_run)
