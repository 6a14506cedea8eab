"""The families of kernels, each as ONNX nodes, in NumPy and in Triton, and the
cases of each."""

import math

import numpy
import scipy.special

from . import kernels
from .cases import Case, Family
from .launches import Buffer
from .theirs import Program


def power_of_two(size):
    return 1 << (size - 1).bit_length()


def divide(size, tile):
    return -(-size // tile)


def tunings(tiles, most=32):
    """Of tiles {name: size}, with the numbers of warps that leave each thread 4
    to `most` elements."""
    return [tile | {"warps": warps} for tile in tiles for warps in (2, 4, 8, 16)
            if 4 <= math.prod(tile.values()) // (32 * warps) <= most]


def program(case, kernel, buffers, sizes, constants, grid, warps, stages=3):
    """`sizes` depend on the first size of the case."""
    if not case.is_dynamic:
        constants, sizes = constants | sizes, {}
    return Program(kernel, buffers, sizes, constants, (*grid, 1, 1)[:3], warps,
                   stages)


# A program has BM rows, whole ones.

def of_rows(kernel, constants=lambda shape: {}, axes=1):
    """(tunings, programs). `constants`: more of the kernel's, from the shape;
    `axes`: how many of the last ones a row has."""
    def row_tunings(case):
        width = power_of_two(math.prod(case.shape[-axes:]))
        heights = {max(1, tile // width) for tile in (1024, 2048, 4096, 8192)}
        return tunings([{"BM": height, "BN": width}
                        for height in sorted(heights)])

    def programs(case, BM, BN, warps):
        rows = math.prod(case.shape[:-axes])
        width = math.prod(case.shape[-axes:])
        yield program(case, kernel, case.buffers(), {"M": rows},
                      {"N": width, "BM": BM, "BN": BN} | constants(case.shape),
                      [divide(rows, BM)], warps)
    return row_tunings, programs


# A program has B elements of a flat array.

def cast_scale(case, B, warps):
    rows, width = case.shape
    yield program(case, kernels.cast_scale, case.buffers(), {"M": rows},
                  {"N": width, "B": B}, [divide(rows * width, B)], warps)


def flat_tunings(*tiles):
    return lambda case: tunings([{"B": tile} for tile in tiles])


# A program has BM x BN elements of a matrix, of which a batch has several.

def tile_tunings(case):
    return tunings([{"BM": height, "BN": width} for height in (32, 64, 128)
                    for width in (32, 64, 128)], 64)


def transpose(case, BM, BN, warps):
    rows, width = math.prod(case.shape[-3:-1]), case.shape[-1]
    batch = case.shape[0] if len(case.shape) == 4 else 1
    yield program(case, kernels.transpose, case.buffers(), {"M": rows},
                  {"N": width, "BM": BM, "BN": BN},
                  [divide(rows, BM), divide(width, BN), batch], warps)


# Sums of parts, then of these.

def column_sum(case, R, BM, BN, warps):
    y, x = case.buffers()
    rows, width = case.shape
    parts = divide(rows, R)
    partial = Buffer("partial", "f32", (parts, width))
    yield program(case, kernels.column_sum, [partial, x], {"M": rows},
                  {"N": width, "R": R, "BM": BM, "BN": BN},
                  [divide(width, BN), parts], warps)
    height = min(32, power_of_two(parts))
    yield program(case, kernels.column_sum, [y, partial], {"M": parts},
                  {"N": width, "R": power_of_two(parts), "BM": height, "BN": 32},
                  [divide(width, 32)], 4)


def column_sum_tunings(case):
    return [tuning | {"R": rows} for rows in (64, 256)
            for tuning in tunings([{"BM": height, "BN": width}
                                   for height in (8, 32)
                                   for width in (64, 128, 256)])]


def full_sum(case, B, warps):
    y, x = case.buffers()
    rows, width = case.shape
    parts = divide(rows * width, B)
    partial = Buffer("partial", "f32", (parts,))
    yield program(case, kernels.full_sum, [partial, x], {"M": rows},
                  {"N": width, "B": B}, [parts], warps)
    yield program(case, kernels.full_sum, [y, partial], {"M": parts},
                  {"N": 1, "B": power_of_two(parts)}, [1], 8)


def normalized(x):
    x = x.astype(float)
    return (x - x.mean(-1, keepdims=True)) / numpy.sqrt(
        x.var(-1, keepdims=True) + 1e-5)


def gelu(x):
    x = x.astype(float)
    return x / 2 * (1 + scipy.special.erf(x / numpy.sqrt(2)))


def total(x, axis=None):
    return numpy.sum(x, axis, dtype=float)


def root_mean_square(x):
    return numpy.sqrt(numpy.mean(x.astype(float)**2, -1, keepdims=True) + 1e-5)


FAMILIES = {
    "bias-relu": Family(
        "h = Add(x, b) y = Relu(h)",
        lambda x, b: numpy.maximum(x + b, 0).astype(float),
        *of_rows(kernels.bias_relu), weights=("b",)),
    "bias-gelu": Family(
        "h = Add(x, b) y = Gelu(h)", lambda x, b: gelu(x + b),
        *of_rows(kernels.bias_gelu), weights=("b",), summed=lambda shape: 4),
    "cast-scale": Family(
        "f = Cast <to = 1> (x) s = Constant <value_float = 0.1> () "
        "g = Mul(f, s) y = Cast <to = RESULT> (g)",
        lambda x: x.astype(float) * 0.1, flat_tunings(1024, 2048, 4096),
        cast_scale),
    "transpose": Family(
        "y = Transpose <perm = [1, 0]> (x)", lambda x: x.T.astype(float),
        tile_tunings, transpose, result=lambda shape: shape[::-1]),
    "permute-0312": Family(
        "y = Transpose <perm = [0, 3, 1, 2]> (x)",
        lambda x: x.transpose(0, 3, 1, 2).astype(float), tile_tunings, transpose,
        result=lambda shape: (shape[0], shape[3], *shape[1:3])),
    "permute-0213": Family(
        "y = Transpose <perm = [0, 2, 1, 3]> (x)",
        lambda x: x.transpose(0, 2, 1, 3).astype(float),
        *of_rows(kernels.swap_middle,
                 lambda shape: {"S": shape[1], "H": shape[2]}),
        result=lambda shape: (shape[0], shape[2], shape[1], shape[3])),
    "softmax": Family(
        "y = Softmax <axis = -1> (x)",
        lambda x: scipy.special.softmax(x.astype(float), -1),
        *of_rows(kernels.softmax)),
    "log-softmax": Family(
        "y = LogSoftmax <axis = -1> (x)",
        lambda x: scipy.special.log_softmax(x.astype(float), -1),
        *of_rows(kernels.log_softmax)),
    "layer-norm": Family(
        "y = LayerNormalization <axis = -1, epsilon = 1e-5> (x, w, b)",
        lambda x, w, b: normalized(x) * w.astype(float) + b.astype(float),
        *of_rows(kernels.layer_norm), weights=("w", "b"),
        summed=lambda shape: 4),
    "rms-norm": Family(
        "y = RMSNormalization <axis = -1, epsilon = 1e-5> (x, w)",
        lambda x, w: x.astype(float) / root_mean_square(x) * w.astype(float),
        *of_rows(kernels.rms_norm), weights=("w",)),
    "row-sum": Family(
        "a = Constant <value_ints = [1]> () y = ReduceSum <keepdims = 0> (x, a)",
        lambda x: total(x, 1), *of_rows(kernels.row_sum),
        result=lambda shape: shape[:1], summed=lambda shape: shape[1]),
    "column-sum": Family(
        "a = Constant <value_ints = [0]> () y = ReduceSum <keepdims = 0> (x, a)",
        lambda x: total(x, 0), column_sum_tunings, column_sum,
        result=lambda shape: shape[1:], summed=lambda shape: shape[0]),
    "full-sum": Family(
        "y = ReduceSum <keepdims = 0> (x)", total,
        flat_tunings(4096, 8192, 16384), full_sum, result=lambda shape: (),
        summed=math.prod),
    "argmax": Family(
        "y = ArgMax <axis = 1, keepdims = 0> (x)", lambda x: x.argmax(1),
        *of_rows(kernels.argmax), result=lambda shape: shape[:1],
        result_type="i64"),
    "cumulative-sum": Family(
        "a = Constant <value_int = 1> () y = CumSum(x, a)",
        lambda x: numpy.cumsum(x, 1, dtype=float),
        *of_rows(kernels.cumulative_sum), summed=lambda shape: shape[1]),
}

# Family, type of x (and of y, where it is another), sizes.
CASES = """
bias-relu      f32      8192 1024
bias-relu      f16      8192 4096
bias-relu      bf16     8191 1000
bias-gelu      f32      8191 1000
bias-gelu      f16      8192 1024
bias-gelu      bf16     8192 4096
cast-scale     f32 bf16 8192 4096
cast-scale     i8 f16   8192 1024
cast-scale     f16 f32  8191 1000
transpose      f32      8192 1024
transpose      f16      8192 4096
transpose      bf16     8191 1000
permute-0213   f16      16 512 16 64
permute-0213   bf16     13 630 12 84
permute-0312   f32      32 16 16 1024
permute-0312   f16      32 14 14 500
softmax        f32      8192 64
softmax        f32      8192 1024
softmax        f32      8192 4096
softmax        f32      8191 4093
softmax        f16      8192 1024
softmax        f16      8191 1000
softmax        bf16     8192 4096
log-softmax    f32      8192 1024
log-softmax    f16      8191 1000
log-softmax    bf16     8192 4096
layer-norm     f32      8192 1024
layer-norm     f16      8192 4096
layer-norm     bf16     8191 1000
rms-norm       f32      8191 1000
rms-norm       f16      8192 1024
rms-norm       bf16     8192 4096
row-sum        f32      8192 4096
row-sum        f16      8192 1024
row-sum        bf16     8191 1000
column-sum     f32      8192 4096
column-sum     f16      8192 1024
column-sum     bf16     8191 1000
full-sum       f32      8192 1024
full-sum       f16      8192 4096
full-sum       bf16     8191 1000
argmax         f32      8192 1024
argmax         f16      8192 4096
argmax         bf16     8191 1000
cumulative-sum f32      8192 1024
cumulative-sum f16      8192 4096
cumulative-sum bf16     8191 1000
"""


def parse_case(line, families, make):
    family, *words = line.split()
    types = [word for word in words if not word.isdigit()]
    result = families[family].result_type or types[-1]
    return make(family, families[family], types[0], result,
                tuple(int(word) for word in words if word.isdigit()))


def parse_cases(text, families, make=Case):
    return [parse_case(line, families, make)
            for line in text.strip().split("\n")]


def known_cases():
    return parse_cases(CASES, FAMILIES)
