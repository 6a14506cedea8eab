"""Products of matrices."""

import dataclasses
import math

import ml_dtypes
import numpy

from . import matrix_kernels as kernels
from .cases import NUMPY_TYPES, Case, Family
from .families import divide, parse_cases, power_of_two, program
from .launches import MULTIPROCESSORS

# Candidates for Triton: BM, BN, BK, warps, stages.
TENSOR_CORES = [(128, 256, 64, 8, 3), (256, 128, 64, 8, 3),
                (128, 128, 32, 8, 3), (128, 128, 64, 4, 3),
                (128, 64, 32, 4, 4), (64, 256, 64, 8, 3), (64, 128, 64, 4, 3),
                (64, 128, 32, 4, 4), (64, 64, 64, 4, 3), (64, 64, 32, 4, 4),
                (32, 64, 64, 4, 4)]
# Of f32, with multiply-adds of threads.
THREADS = [(128, 128, 16, 8, 2), (128, 64, 16, 8, 3), (64, 128, 16, 8, 3),
           (64, 64, 16, 8, 3), (64, 64, 32, 4, 2), (64, 32, 32, 4, 3),
           (32, 64, 32, 4, 3), (32, 32, 32, 4, 3)]


@dataclasses.dataclass
class Product(Case):
    """`shape`: M, N, K, before them that of a batch."""

    @property
    def is_dynamic(self):
        return False

    def small(self, rows=128):
        """With the same remainders of each size."""
        cut = lambda size: size if size <= 2 * rows else rows + size % rows
        return dataclasses.replace(self, shape=tuple(map(cut, self.shape)))


def tunings(case):
    """Tiles that are no larger than the matrices. Of those with more than 128 x
    128 elements a program is left for each multiprocessor."""
    *batch, m, n, k = case.shape
    most = [power_of_two(size) for size in (m, n, k)]
    found = []
    is_threads = case.dtype == "f32" and case.family.precision == "ieee"
    for *tile, warps, stages in THREADS if is_threads else TENSOR_CORES:
        programs = math.prod(batch) * divide(m, tile[0]) * divide(n, tile[1])
        is_large = tile[0] * tile[1] > 128 * 128
        if (all(size <= limit for size, limit in zip(tile, most)) and
                not (is_large and programs < min(MULTIPROCESSORS.values()))):
            found.append(dict(zip(("BM", "BN", "BK", "warps", "stages"),
                                  (*tile, warps, stages))))
    return found


def programs(kernel, precision="ieee"):
    def of_case(case, BM, BN, BK, warps, stages):
        *batch, m, n, k = case.shape
        grid = [divide(m, BM), divide(n, BN), math.prod(batch)]
        yield program(case, kernel, case.buffers(), {"M": m},
                      {"N": n, "K": k, "XM": k, "XK": 1, "WK": n, "WN": 1,
                       "BM": BM, "BN": BN, "BK": BK} |
                      ({"PRECISION": precision}
                       if "PRECISION" in kernel.arg_names else {}),
                      grid, warps, stages)
    return of_case


def multiplied(x, w):
    return x.astype(float) @ w.astype(float)


def dot_bound(x, w):
    """How far a sum may be off before it is rounded to its type (docs/spec.md,
    tile.dot)."""
    k, is_wide = x.shape[-1], x.dtype == NUMPY_TYPES["f32"]
    units = k + 1 if is_wide else divide(k, 8) * 11
    return units * 2**-24 * multiplied(abs(x), abs(w))


def tf32_bound(x, w):
    units = 2**15 + divide(x.shape[-1], 4) * 7
    return units * 2**-24 * multiplied(abs(x), abs(w))


def tf32x3_bound(x, w):
    units = 3 * 2**4 + divide(x.shape[-1], 4) * 22
    return units * 2**-24 * multiplied(abs(x), abs(w))


def biased_bound(x, w, b):
    """The product is rounded before the bias is added."""
    return dot_bound(x, w) + (float(ml_dtypes.finfo(x.dtype).eps) *
                              abs(multiplied(x, w)))


LEFT = lambda shape: (*shape[:-2], shape[-1])
RIGHT = lambda shape: (*shape[:-3], shape[-1], shape[-2])

FAMILIES = {
    "matmul": Family(
        "y = MatMul(x, w)", multiplied, tunings, programs(kernels.matmul),
        inputs={"x": LEFT, "w": RIGHT}, result=lambda shape: shape[:-1],
        bound=dot_bound),
    "matmul-tf32": Family(
        "y = MatMul(x, w)", multiplied, tunings,
        programs(kernels.matmul, "tf32"), inputs={"x": LEFT, "w": RIGHT},
        result=lambda shape: shape[:-1], bound=tf32_bound, precision="tf32"),
    "matmul-tf32x3": Family(
        "y = MatMul(x, w)", multiplied, tunings,
        programs(kernels.matmul, "tf32x3"), inputs={"x": LEFT, "w": RIGHT},
        result=lambda shape: shape[:-1], bound=tf32x3_bound,
        precision="tf32x3"),
    "matmul-integer": Family(
        "y = MatMulInteger(x, w)",
        lambda x, w: x.astype("i4") @ w.astype("i4"), tunings,
        programs(kernels.matmul), inputs={"x": LEFT, "w": RIGHT},
        result=lambda shape: shape[:-1], result_type="i32",
        bound=lambda x, w: 0),
    "matmul-bias-relu": Family(
        "p = MatMul(x, w) h = Add(p, b) y = Relu(h)",
        lambda x, w, b: numpy.maximum(multiplied(x, w) + b.astype(float), 0),
        tunings, programs(kernels.matmul_bias_relu),
        inputs={"x": LEFT, "w": RIGHT, "b": lambda shape: shape[-2:-1]},
        result=lambda shape: shape[:-1], bound=biased_bound),
}

CASES = """
matmul           f16  256 256 256
matmul           f16  512 512 512
matmul           f16  1024 1024 1024
matmul           f16  4096 4096 1024
matmul           f16  200 136 72
matmul           f16  1000 1000 1000
matmul           f16  4 128 128 64
matmul           f16  64 4096 1024
matmul           bf16 256 256 256
matmul           bf16 512 512 512
matmul           bf16 1024 1024 1024
matmul           bf16 4096 4096 1024
matmul           bf16 200 136 72
matmul           bf16 1000 1000 1000
matmul           bf16 4 128 128 64
matmul           bf16 64 4096 1024
matmul-bias-relu f16  256 256 256
matmul-bias-relu bf16 256 256 256
matmul-tf32      f32  512 512 512
matmul-tf32      f32  1024 1024 1024
matmul-tf32x3    f32  512 512 512
matmul-integer   i8   512 512 512
matmul-integer   i8   1024 1024 1024
matmul           f32  128 128 128
matmul           f32  512 512 512
"""


def matrix_cases():
    return parse_cases(CASES, FAMILIES, Product)
