"""Models in one call."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Mapping, Sequence, Union

from ._core import Device, Model, compile_model
from ._core import open as open_device

def load_onnx(path: Union[str, os.PathLike[str]],
              device: Union[str, Device] = "cpu",
              *,
              input_shapes: Mapping[str, Sequence[int]] = {},
              max_shapes: Mapping[str, Sequence[int]] = {},
              threads: int = 0) -> Model:
    """Compiles an ONNX model (or .mlir at graph level) for a device, and loads
    it there. `device` is one that is open, or the name of one. `input_shapes`
    fixes the shapes of inputs, `max_shapes` says how large dynamic ones will
    be, so that memory can be planned. `threads` compile; 0: all.

    Raises Error. What compile_model and Device.load_model do in two steps, with
    a package that stays, this does with one that goes."""
    opened = open_device(device) if isinstance(device, str) else device
    target = opened.targets[0] if opened.targets else "cpu"
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        package = pathlib.Path(folder, pathlib.Path(path).stem + ".twp")
        compile_model(path, package, targets=[target],
                      input_shapes=input_shapes, max_shapes=max_shapes,
                      threads=threads)
        return opened.load_model(package)
