"""A model with inputs and expected outputs at several assignments of sizes:
what runs, is reduced, and is kept in files."""

import dataclasses
import json

import numpy as np
import onnx

import functions
import oracle
from device import brief


@dataclasses.dataclass
class Case:
    model: onnx.ModelProto
    feeds: list     # For each assignment {input: array}.
    expected: list  # Likewise {output: array}; None where it must be rejected.
    errors: list    # Likewise {output: greatest error, array or number}.
    # Whether values of inputs decide shapes: no package, the model is run.
    by_run: bool = False

    @property
    def operators(self):
        nodes = list(self.model.graph.node) + [
            node for function in self.model.functions
            for node in function.node]
        return sorted({node.op_type for node in nodes if not node.domain})

    def save(self, stem):
        onnx.save(self.model, str(stem) + ".onnx")
        arrays = {}
        for kind in ("feeds", "expected", "errors"):
            for k, values in enumerate(getattr(self, kind)):
                for name, value in (values or {}).items():
                    arrays[f"{kind}/{k}/{name}"] = value
        np.savez(str(stem) + ".npz", **arrays, by_run=np.array(self.by_run),
                 assignments=np.array(len(self.feeds)))


def load(stem):
    with np.load(str(stem) + ".npz") as file:
        count = int(file["assignments"])
        parts = {kind: [{} for _ in range(count)]
                 for kind in ("feeds", "expected", "errors")}
        for key in file.files:
            if "/" in key:
                kind, k, name = key.split("/", 2)
                parts[kind][int(k)][name] = file[key]
        parts["by_run"] = bool(file["by_run"])
    parts["expected"] = [values or None for values in parts["expected"]]
    return Case(onnx.load(str(stem) + ".onnx"), **parts)


def case_of(graph, outputs, constants=False):
    """The case of a grown graph. With `constants` its inputs, which must be
    static, are constants."""
    nodes, inputs, initializers = [], {}, {}
    used = needed(graph, set(outputs))
    for t in graph.tensors.values():
        if t.name not in used:
            continue
        if t.kind == "input" and not constants:
            inputs[t.name] = (t.dtype, t.symbols)
        elif t.kind == "Constant":
            nodes.append(onnx.helper.make_node(
                "Constant", [], [t.name], name=f"Constant_{t.name}",
                value=onnx.numpy_helper.from_array(t.values[0], t.name)))
        elif t.kind in ("input", "initializer"):
            initializers[t.name] = t.values[0]
    nodes += [node.proto() for node in graph.nodes
              if any(name in used for name in node.outputs)]
    model = oracle.model_of(
        nodes, inputs, {name: (graph.tensors[name].dtype, None)
                        for name in outputs}, initializers, graph.opset)
    for value in model.graph.output:
        declare_rank(value, graph.tensors[value.name].rank)
    for index in graph.in_functions:
        functions.wrap(model, index)

    def column(k, names, field):
        return {name: np.asarray(getattr(graph.tensors[name], field)[k])
                for name in names}
    return Case(model,
                [column(k, inputs, "values") for k in range(graph.count)],
                [column(k, outputs, "values") for k in range(graph.count)],
                [column(k, outputs, "errors") for k in range(graph.count)],
                graph.by_run)


def declare_rank(value, rank):
    shape = value.type.tensor_type.shape
    for i in range(rank):
        shape.dim.add().dim_param = f"{value.name}_{i}"


def needed(graph, wanted):
    """The names that the outputs need."""
    used = set(wanted)
    for node in reversed(graph.nodes):
        if used & set(node.outputs):
            used |= {name for name in node.inputs + node.captures if name}
            used |= {name for name in node.outputs if name}
    return used


def describe(case):
    """One line a node, with the types of inputs."""
    lines = []
    for value in case.model.graph.input:
        lines.append(f"{value.name}: " + " / ".join(
            f"{feed[value.name].dtype}{list(feed[value.name].shape)}"
            for feed in case.feeds))
    for value in case.model.graph.initializer:
        array = onnx.numpy_helper.to_array(value)
        lines.append(f"{value.name} = {array.dtype}{list(array.shape)} "
                     + brief(array))
    for function in case.model.functions:
        lines.append(f"function {function.name}({', '.join(function.input)}) "
                     f"is {', '.join(n.op_type for n in function.node)}")
    for node in case.model.graph.node:
        attributes = ", ".join(
            f"{a.name}={attribute_text(a)}" for a in node.attribute)
        lines.append(f"{', '.join(node.output)} = {node.op_type}("
                     f"{', '.join(node.input)}) {{{attributes}}}")
    versions = ", ".join(str(o.version) for o in case.model.opset_import)
    return "\n".join([f"opset {versions}"] + lines)


def attribute_text(attribute):
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return brief(onnx.numpy_helper.to_array(value))
    if isinstance(value, onnx.GraphProto):
        return "<graph>"
    return json.dumps(value.decode() if isinstance(value, bytes) else
                      list(value) if hasattr(value, "__len__") and
                      not isinstance(value, str) else value, default=str)

