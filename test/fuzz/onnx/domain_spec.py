"""What a generator of domains.py makes: one node, with its operands."""

import dataclasses

import numpy as np


@dataclasses.dataclass
class Spec:
    op: str
    inputs: list
    feeds: dict       # Inputs of the model.
    constants: dict   # Initializers.
    attributes: dict = dataclasses.field(default_factory=dict)
    outputs: list = dataclasses.field(default_factory=lambda: ["y"])
    domain: str = "com.microsoft"
    version: int = 3  # Of ai.onnx.ml.
    # {input: {axis: name of a size}}.
    symbols: dict = dataclasses.field(default_factory=dict)
    units: int = 0    # What an integer may be off by.
    relative: float = 1e-5
    # Compared with onnx's reference, where ONNX Runtime is wrong.
    by_reference: bool = False


def floats(r, *shape, scale=1.0, dtype=np.float32):
    generator = np.random.default_rng(r.getrandbits(32))
    return (generator.standard_normal(shape) * scale).astype(dtype)


def integers(r, *shape, dtype=np.uint8):
    generator = np.random.default_rng(r.getrandbits(32))
    info = np.iinfo(dtype)
    return generator.integers(info.min, info.max + 1, shape).astype(dtype)
