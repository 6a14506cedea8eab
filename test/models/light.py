"""light.py TOOL PYPI NAME: one of onnx's light models on arange(n)/n, against
the output that the wheel holds. Exits with 77 (skipped) without the wheel."""

import pathlib
import sys

import numpy as np

import protobuf
import tool

binary, pypi, name = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
folder = pypi / "onnx/onnx/backend/test/data/light"
model = folder / f"light_{name}.onnx"
if not model.exists():
    print(f"skipped: {model} is absent")
    sys.exit(77)
graph_input = protobuf.model_inputs(model.read_bytes())[0]
shape = graph_input.shape
x = (np.arange(np.prod(shape)) / np.prod(shape)).astype(np.float32)
expected = protobuf.read_tensor(
    (folder / f"light_{name}_output_0.pb").read_bytes()).array
(_, found), = tool.run(binary, model, {graph_input.name: x.reshape(shape)})
tool.check_close(name, found, expected)
