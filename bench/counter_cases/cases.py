"""What a case is: its arrays, and how far a result may be off."""

import dataclasses
import typing

import ml_dtypes
import numpy

from .launches import Buffer

NUMPY_TYPES = {"f32": numpy.dtype("f4"), "f16": numpy.dtype("f2"),
               "bf16": numpy.dtype(ml_dtypes.bfloat16), "i8": numpy.dtype("i1"),
               "i64": numpy.dtype("i8")}
ONNX_CODES = {"f32": 1, "f16": 10, "bf16": 16, "i64": 7}


@dataclasses.dataclass
class Family:
    """`nodes`: ONNX, from x, other `inputs` ({name: shape}) and `weights` to y,
    RESULT for the code of its type. `reference` takes the same arrays.
    `weight`: the shape of each weight, `result`: that of y. Shapes are functions
    of the shape of x. `tunings(case)`: the candidates for Triton,
    `programs(case, **tuning)` the launches of one. `summed(shape)`: how many
    numbers an element of y is a sum of, where these may cancel."""
    nodes: str
    reference: typing.Callable
    tunings: typing.Callable
    programs: typing.Callable
    inputs: dict = dataclasses.field(default_factory=dict)
    weights: tuple = ()
    weight: typing.Callable = lambda shape: shape[-1:]
    result: typing.Callable = lambda shape: shape
    summed: typing.Callable = lambda shape: 1


@dataclasses.dataclass
class Case:
    """A first size that is no multiple of 16 is dynamic, all others static."""
    family_name: str
    family: Family
    dtype: str
    result_dtype: str
    shape: tuple

    @property
    def name(self):
        types = (self.dtype if self.result_dtype in (self.dtype, "i64")
                 else f"{self.dtype}-{self.result_dtype}")
        return f"{self.family_name}-{types}-{'x'.join(map(str, self.shape))}"

    @property
    def nodes(self):
        return self.family.nodes.replace("RESULT",
                                         str(ONNX_CODES[self.result_dtype]))

    @property
    def is_dynamic(self):
        return self.shape[0] % 16 != 0

    def small(self):
        """With few rows, and as dynamic as this."""
        rows = 131 if self.is_dynamic else 128
        if len(self.shape) == 4:
            rows = 3 if self.is_dynamic else 16
        return dataclasses.replace(self, shape=(rows, *self.shape[1:]))

    def buffers(self):
        """y, x, the other inputs and the weights."""
        family = self.family
        return [Buffer("y", self.result_dtype, family.result(self.shape)),
                Buffer("x", self.dtype, self.shape),
                *(Buffer(name, self.dtype, shape(self.shape))
                  for name, shape in family.inputs.items()),
                *(Buffer(name, self.dtype, family.weight(self.shape))
                  for name in family.weights)]


def arrays(case):
    """{name: array} of all inputs and the weights."""
    random = numpy.random.default_rng(1)
    scale = 20 if case.dtype == "i8" else 1
    return {buffer.name: (scale * random.standard_normal(buffer.shape)).astype(
                NUMPY_TYPES[case.dtype]) for buffer in case.buffers()[1:]}


def save(array, path):
    """bfloat16 as unsigned integers: .npy files lack it."""
    numpy.save(path, array.view(numpy.uint16)
               if array.dtype == NUMPY_TYPES["bf16"] else array)


def error_of(case, inputs, path):
    """The worst error of a result in a file, as a multiple of what is allowed:
    two roundings to its type, what approximate functions lose, and of sums of
    numbers near 1 a rounding in f32 for each."""
    expected = case.family.reference(**inputs)
    found = numpy.load(path).view(NUMPY_TYPES[case.result_dtype])
    if found.shape != expected.shape:
        raise ValueError(f"result of shape {found.shape}, not {expected.shape}")
    if case.result_dtype == "i64":
        return float(numpy.count_nonzero(found != expected))
    epsilon = float(ml_dtypes.finfo(found.dtype).eps)
    allowed = ((epsilon + 2**-19) * numpy.abs(expected) +
               2**-24 * case.family.summed(case.shape))
    error = numpy.abs(found.astype(float) - expected) / allowed
    return float(numpy.max(numpy.nan_to_num(error, nan=numpy.inf)))
