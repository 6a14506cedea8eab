"""recorded.py TOOL FOLDER: a model, its inputs and its expected outputs."""

import pathlib
import sys

import numpy as np

import tool

binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
inputs = {path.name[3:-4]: path for path in folder.glob("in.*.npy")}
expected = {path.name[4:-4]: np.load(path) for path in folder.glob("out.*.npy")}
assert inputs and expected, f"{folder}: no in.*.npy or out.*.npy"
outputs = tool.run(binary, folder / "model.onnx", inputs)
assert len(outputs) == len(expected)
for entry, found in outputs:
    tool.check_close(entry["name"], found, expected[entry["name"]])
