"""ONNX Runtime as the oracle of one node, of part of a graph or of a model."""

import numpy as np
import onnx
import onnxruntime
from onnx import helper

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


def run(opened, feeds):
    try:
        return opened.run(None, feeds)
    except Exception as error:
        raise Rejected(str(error)) from error


def run_model(model, feeds):
    return run(session(model), feeds)
