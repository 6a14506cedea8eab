"""The forms that a linalg module may take: one case each, with what it computes
in NumPy. docs/mlir.md lists them (page.py)."""

import dataclasses
import typing

import numpy as np


@dataclasses.dataclass
class Case:
    """`ops` and `form` are the row of the page. `inputs` are arrays in the order
    of the function's arguments; `expected` takes them and gives the results."""
    ops: str
    form: str
    text: str
    inputs: list
    expected: typing.Callable
    devices: tuple
    name: str = ""


CASES = []
# PTX is run where the kernels of GPUs are others.
ALL_DEVICES = ("cpu", "interpreter", "emulator")


def case(ops, form, text, inputs, expected, devices=("cpu", "interpreter")):
    CASES.append(Case(ops, form, text.strip() + "\n", inputs, expected, devices))


def floats(*shape, seed=0, dtype=np.float32):
    generator = np.random.default_rng(seed + sum(shape) + 31 * len(shape))
    return generator.uniform(-2, 2, shape).astype(dtype)


def integers(*shape, low=-9, high=10, dtype=np.int32, seed=0):
    generator = np.random.default_rng(seed + sum(shape))
    return generator.integers(low, high, shape).astype(dtype)


def tuple_of(value):
    return value if isinstance(value, tuple) else (value,)
