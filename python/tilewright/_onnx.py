"""Models in one call."""

from __future__ import annotations

import os
from typing import Mapping, Sequence, Union

from ._core import Device, Model
from ._core import open as open_device

def load_onnx(path: Union[str, os.PathLike[str]],
              device: Union[str, Device] = "cpu",
              *,
              input_shapes: Mapping[str, Sequence[int]] = {},
              max_shapes: Mapping[str, Sequence[int]] = {},
              threads: int = 0,
              precision: str = "ieee") -> Model:
    """Compiles an ONNX model (or .mlir at graph level) for a device, and loads
    it there. `device` is one that is open, or the name of one. `input_shapes`
    fixes the shapes of inputs. `max_shapes` has the largest shape of an output, or
    ([size]) of a size by its name in Model.outputs, for sizes that data decides:
    memory is planned for it, and a run fails beyond it. `threads` compile; 0: all. `precision` is
    that of products of f32: ieee, tf32, tf32x3, bf16x3 or bf16x6.

    Raises Error. What compile_model and Device.load_model do in two steps, with
    a package that stays, this does in memory, with none."""
    opened = open_device(device) if isinstance(device, str) else device
    return opened._load_source(path, dict(input_shapes), dict(max_shapes),
                               threads, precision)
