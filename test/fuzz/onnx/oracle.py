"""ONNX Runtime as the oracle of one node, of part of a graph or of a model.
Resize is computed exactly (exact_resize.py); ONNX Runtime says only whether it
takes the node."""

import numpy as np
import onnx
import onnx.inliner
import onnxruntime
from onnx import helper

import exact_resize

onnxruntime.set_default_logger_severity(4)


class Rejected(Exception):
    """ONNX Runtime does not run this; the text says why."""


def element_type(dtype):
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))


def model_of(nodes, inputs, outputs, constants, opset, name="g"):
    """A ModelProto. `inputs` and `outputs` are {name: (dtype, dims or None)},
    `constants` {name: array}."""
    graph = helper.make_graph(
        nodes, name,
        [helper.make_tensor_value_info(key, element_type(dtype), dims)
         for key, (dtype, dims) in inputs.items()],
        [helper.make_tensor_value_info(key, element_type(dtype), dims)
         if dtype is not None else helper.make_empty_tensor_value_info(key)
         for key, (dtype, dims) in outputs.items()],
        [onnx.numpy_helper.from_array(np.asarray(value), key)
         for key, value in constants.items()])
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)],
        ir_version=8 if opset < 21 else 10)


def session(model):
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    if any(node.op_type in exact_resize.OPERATORS
           for node in model.graph.node):
        return Stepwise(model)
    return runtime_session(model)


def runtime_session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = \
        onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        return onnxruntime.InferenceSession(
            model.SerializeToString(), options,
            providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's own classes have no base.
        raise Rejected(str(error)) from error


class Stepwise:
    """A model that is computed node by node."""

    def __init__(self, model):
        self.graph = model.graph
        self.opset = next(entry.version for entry in model.opset_import
                          if not entry.domain)
        self.constants = {t.name: onnx.numpy_helper.to_array(t)
                          for t in model.graph.initializer}
        if len(model.graph.node) == 1:  # Rejected before it is run.
            runtime_session(model)

    def run(self, feeds):
        values = {**self.constants, **feeds}
        for node in self.graph.node:
            names = [name for name in node.output if name]
            values.update(zip(names, self.run_node(node, values)))
        return [values[value.name] for value in self.graph.output]

    def run_node(self, node, values):
        read = {name: values[name] for name in read_by(node)
                if name in values}
        model = model_of(
            [node], {name: (value.dtype, value.shape)
                     for name, value in read.items()
                     if name not in self.constants},
            {name: (None, None) for name in node.output if name},
            {name: value for name, value in read.items()
             if name in self.constants}, self.opset)
        found = run(runtime_session(model), {
            name: value for name, value in read.items()
            if name not in self.constants})
        if node.op_type not in exact_resize.OPERATORS:
            return [np.asarray(value) for value in found]
        attributes = {a.name: text(helper.get_attribute_value(a))
                      for a in node.attribute}
        inputs = [values[name] if name else None for name in node.input]
        return [exact_resize.compute(node.op_type, attributes, inputs,
                                     self.opset)]


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def read_by(node):
    """Names that a node reads, those in the graphs of its attributes too."""
    found = {name for name in node.input if name}
    for attribute in node.attribute:
        for inner in attribute.g.node:
            found |= read_by(inner)
    return found


def run(opened, feeds):
    if isinstance(opened, Stepwise):
        return opened.run(feeds)
    try:
        return opened.run(None, feeds)
    except Exception as error:
        raise Rejected(str(error)) from error


def run_model(model, feeds):
    return run(session(model), feeds)
