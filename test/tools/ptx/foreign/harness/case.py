"""A kernel to run: its source, how it is compiled and launched, its inputs and
what it must write. `cases/` holds them; @cuda and @triton register them."""

import dataclasses
import re
import struct
import zlib

import numpy as np

from . import numbers

AMPERE, ADA, HOPPER = "sm_80", "sm_89", "sm_90a"
ALL = (AMPERE, ADA, HOPPER)


@dataclasses.dataclass
class Buffer:
    """Global memory: `array` first stands in it (None: uninitialized memory
    of `shape`); it is read back as the output `name` unless that is None."""
    array: np.ndarray | None
    dtype: str
    name: str | None = None
    shape: tuple = ()
    size = 8

    def json(self, file):
        """`file` is where the array was written, None without one."""
        entry = {"buffer": file or {"shape": list(self.shape),
                                    "dtype": self.dtype}}
        if file and self.dtype not in numbers.NAMES.values():
            entry["dtype"] = self.dtype
        if self.name:
            entry["output"] = self.name
        return entry


def given(array, dtype=None):
    """A buffer that is only read."""
    return Buffer(array, dtype or numbers.NAMES[array.dtype])


def changed(name, array, dtype=None):
    """A buffer that is read and written."""
    return Buffer(array, dtype or numbers.NAMES[array.dtype], name)


def output(name, shape, dtype):
    """A buffer that is only written; each element must be."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return Buffer(None, dtype, name, shape)


def scratch(shape, dtype):
    """Room for the kernel alone."""
    return Buffer(None, dtype, None, tuple(shape))


@dataclasses.dataclass
class Scalar:
    dtype: str
    value: float

    @property
    def size(self):
        return np.dtype(numbers.STORAGE[self.dtype]).itemsize

    def json(self, _):
        return {"scalar": self.dtype, "value": self.value}


@dataclasses.dataclass
class Bytes:
    """A structure passed by value."""
    data: bytes

    @property
    def size(self):
        return len(self.data)

    def json(self, _):
        return {"bytes": self.data.hex()}


class Null:
    size = 8

    def json(self, _):
        return {"null": True}


@dataclasses.dataclass
class TensorMap:
    """A tensor map over `buffer`, or over that of the argument `of`. Shapes,
    strides (bytes, of dimensions 1 and up) and box begin with the innermost
    dimension, and so do `steps`: one of every so many elements of the box is
    loaded."""
    of: "int | Buffer"
    dtype: str
    shape: tuple
    box: tuple
    strides: tuple | None = None
    swizzle: str = "none"
    fill: str = "zeros"
    steps: tuple | None = None
    size = 128

    def json(self, file):
        strides = self.strides
        if strides is None:
            width = np.dtype(numbers.STORAGE[self.dtype]).itemsize
            strides = np.cumprod((width,) + tuple(self.shape[:-1]))[1:]
        of = self.of if isinstance(self.of, int) else self.of.json(file)
        return {"tensorMap": {
            "of": of, "dtype": self.dtype,
            "shape": [int(n) for n in self.shape],
            "strides": [int(n) for n in strides],
            "box": [int(n) for n in self.box],
            "elementStrides": list(self.steps or (1,) * len(self.box)),
            "swizzle": self.swizzle, "interleave": "none",
            "oobFill": self.fill}}


def i32(value):
    return Scalar("i32", int(value))


def f32(value):
    """The decimal form given is that of the nearest f32."""
    return Scalar("f32", float(np.float32(value)))


def packed(layout, *values):
    """A C structure by Python's struct layout (native alignment spelled out
    with x)."""
    return Bytes(struct.pack("<" + layout, *values))


@dataclasses.dataclass
class Launch:
    """`expected` maps each output's name to exact, near or that. `block` and
    `shared` (dynamic, bytes) of Triton's kernels are its own choice."""
    grid: "int | tuple"
    arguments: list
    expected: dict
    block: "int | tuple" = 0
    cluster: "int | tuple" = 1
    shared: int = 0

    def buffers(self):
        """(argument index, buffer), those inside tensor maps too."""
        for index, argument in enumerate(self.arguments):
            if isinstance(argument, TensorMap):
                argument = argument.of
            if isinstance(argument, Buffer):
                yield index, argument


@dataclasses.dataclass
class Case:
    name: str      # group.function
    tool: str      # "nvcc" or "triton"
    source: str    # file below cuda/ or triton/
    entry: str     # the kernel's name in it
    targets: tuple
    options: object
    make: object   # (random) -> Launch

    def launch(self):
        random = np.random.default_rng(zlib.crc32(self.name.encode()))
        with np.errstate(all="ignore"):  # References meet Inf and NaN.
            return self.make(random)


@dataclasses.dataclass
class TritonOptions:
    """types: of the parameters that are not constants, as Triton writes them,
    in order; pointers and the integers named in `divisible` are multiples of
    16. A constant "tl.float32" is that type."""
    types: tuple
    constants: dict
    options: dict
    divisible: tuple = ()


CASES = []


def _register(make, **fields):
    group = make.__module__.split(".")[-1]
    name = f"{group}.{make.__name__}"
    if any(case.name == name for case in CASES):
        raise ValueError(f"two cases are called {name}")
    CASES.append(Case(name=name, make=make, **fields))
    return make


def cuda(source, entry=None, options=(), targets=ALL):
    """A kernel of cuda/`source`; `entry` is the case's name by default.
    `options` are nvcc's."""
    def register(make):
        return _register(make, tool="nvcc", source=source,
                         entry=entry or make.__name__, options=tuple(options),
                         targets=targets)
    return register


def triton(source, types, constants=(), targets=(AMPERE, HOPPER), divisible=(),
           **options):
    """The kernel `file.py:name` of triton/; `types` is a string of types
    parted by spaces, `options` are Triton's (num_warps, ...)."""
    file, entry = source.split(":")

    def register(make):
        return _register(
            make, tool="triton", source=file, entry=entry, targets=targets,
            options=TritonOptions(tuple(types.split()), dict(constants),
                                  options, tuple(divisible)))
    return register


def selected(patterns):
    """The cases whose name holds one of the patterns (regular expressions);
    all without any."""
    return [case for case in CASES if not patterns or
            any(re.search(pattern, case.name) for pattern in patterns)]
