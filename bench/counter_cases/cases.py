"""What a case is: its arrays, and how far a result may be off."""

import dataclasses
import typing

import ml_dtypes
import numpy

from .launches import Buffer

NUMPY_TYPES = {"f32": numpy.dtype("f4"), "f16": numpy.dtype("f2"),
               "bf16": numpy.dtype(ml_dtypes.bfloat16), "i8": numpy.dtype("i1"),
               "i32": numpy.dtype("i4"), "i64": numpy.dtype("i8")}
ONNX_CODES = {"f32": 1, "f16": 10, "bf16": 16, "i32": 6, "i64": 7}


@dataclasses.dataclass
class Family:
    """`nodes`: ONNX, from x, other `inputs` ({name: shape}) and `weights` to y,
    RESULT for the code of its type. `reference` takes the same arrays.
    `weight`: the shape of each weight, `result`: that of y. Shapes are functions
    of the shape of the case, which is that of x unless `inputs` has x. `indices`:
    the inputs that are i64, each with what its elements are below; `positive`:
    those above 0. `tunings(case)`: the candidates for Triton,
    `programs(case, **tuning)` the launches of one. `summed(shape)`: how many
    numbers an element of y is a sum of, where these may cancel, in f32 unless it
    `adds_in_type` of y. `result_type`: that of y, where no case says it. `bound`:
    of the same arrays, how far each element of y may be off before it is rounded,
    in place of `summed`; a launch of such a family need not fill the device.
    `precision`: of products of f32."""
    nodes: str
    reference: typing.Callable
    tunings: typing.Callable
    programs: typing.Callable
    inputs: dict = dataclasses.field(default_factory=dict)
    weights: tuple = ()
    weight: typing.Callable = lambda shape: shape[-1:]
    result: typing.Callable = lambda shape: shape
    summed: typing.Callable = lambda shape: 1
    indices: dict = dataclasses.field(default_factory=dict)
    positive: tuple = ()
    result_type: str = ""
    adds_in_type: bool = False
    bound: typing.Callable = None
    precision: str = "ieee"

    def inputs_with_x(self):
        return {"x": lambda shape: shape} | self.inputs


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

    def small(self, rows=128):
        """With few rows, a multiple of 16, and as dynamic as this."""
        if len(self.shape) == 4:
            rows = 0 if self.is_dynamic else 16
        rows += 3 if self.is_dynamic else 0
        return dataclasses.replace(self, shape=(rows, *self.shape[1:]))

    def dtype_of(self, name):
        """Of an input or a weight."""
        return "i64" if name in self.family.indices else self.dtype

    def buffers(self):
        """y, x, the other inputs and the weights."""
        family = self.family
        return [Buffer("y", self.result_dtype, family.result(self.shape)),
                *(Buffer(name, self.dtype_of(name), shape(self.shape))
                  for name, shape in family.inputs_with_x().items()),
                *(Buffer(name, self.dtype, family.weight(self.shape))
                  for name in family.weights)]


def arrays(case, only=None):
    """{name: array} of all inputs and the weights, or of some."""
    random = numpy.random.default_rng(1)
    scale = 20 if case.dtype == "i8" else 1

    def values(name, shape):
        if name in case.family.indices:
            return random.integers(0, case.family.indices[name](case.shape),
                                   shape)
        drawn = scale * random.standard_normal(shape)
        return abs(drawn) + 0.1 if name in case.family.positive else drawn
    return {buffer.name: values(buffer.name, buffer.shape).astype(
                NUMPY_TYPES[buffer.dtype]) for buffer in case.buffers()[1:]
            if only is None or buffer.name in only}


def save(array, path):
    """bfloat16 as unsigned integers: .npy files lack it."""
    numpy.save(path, array.view(numpy.uint16)
               if array.dtype == NUMPY_TYPES["bf16"] else array)


def error_of(case, inputs, path):
    """The worst error of a result in a file, as a multiple of what is allowed:
    two roundings to its type, what approximate functions lose, and of sums of
    numbers near 1 a rounding for each."""
    expected = case.family.reference(**inputs)
    found = numpy.load(path).view(NUMPY_TYPES[case.result_dtype])
    if found.shape != expected.shape:
        raise ValueError(f"result of shape {found.shape}, not {expected.shape}")
    if case.result_dtype in ("i32", "i64"):
        return float(numpy.count_nonzero(found != expected))
    epsilon = float(ml_dtypes.finfo(found.dtype).eps)
    rounding = epsilon if case.family.adds_in_type else 2**-24
    allowed = ((epsilon + 2**-19) * numpy.abs(expected) +
               rounding * case.family.summed(case.shape))
    if case.family.bound:
        allowed = epsilon * numpy.abs(expected) + case.family.bound(**inputs)
    error = numpy.abs(found.astype(float) - expected) / allowed
    return float(numpy.max(numpy.nan_to_num(error, nan=numpy.inf)))
