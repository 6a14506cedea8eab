"""Kernels that read and write at computed places, and a few beside them."""

import math

import numpy
import scipy.special

from . import kernels, more_kernels
from .cases import Family
from .families import (divide, of_rows, parse_cases, power_of_two, program,
                       tunings)
from .launches import Buffer

# Rows of the table that rows are gathered from, and added to.
TABLE = 1024
K = 8
ROWS = lambda shape: shape[:1]
TABLE_OF_ROWS = lambda shape: (TABLE, shape[1])


# A program has whole rows, of BN elements in the kernel's registers.

def rows_of(kernel, constants, axes=1, width=lambda row: row):
    """of_rows() where tiles are not as wide as a row: `width` of its size."""
    def row_tunings(case):
        size = power_of_two(width(math.prod(case.shape[-axes:])))
        heights = {max(1, tile // size) for tile in (512, 1024, 2048, 4096)}
        return tunings([{"BM": height, "BN": size}
                        for height in sorted(heights)])

    def programs(case, BM, BN, warps):
        rows = math.prod(case.shape[:-axes])
        yield program(case, kernel, case.buffers(), {"M": rows},
                      {"N": math.prod(case.shape[-axes:]), "BM": BM, "BN": BN} |
                      constants(case.shape), [divide(rows, BM)], warps)
    return row_tunings, programs


def scatter_add(case, BM, BN, warps):
    y, x, u, d = case.buffers()
    rows, width = case.shape
    size = TABLE * width
    yield program(case, more_kernels.copy, [y, d], {},
                  {"SIZE": size, "B": 1024}, [divide(size, 1024)], 4)
    yield program(case, more_kernels.scatter_add, [y, x, u], {"M": rows},
                  {"V": TABLE, "N": width, "BM": BM, "BN": BN},
                  [divide(rows, BM)], warps)


def mean_cross_entropy(case, BM, BN, warps):
    y, x, t = case.buffers()
    rows, width = case.shape
    each = Buffer("each", "f32", (rows,))
    yield program(case, more_kernels.cross_entropy, [each, x, t], {"M": rows},
                  {"N": width, "BM": BM, "BN": BN}, [divide(rows, BM)], warps)
    yield program(case, more_kernels.mean, [y, each], {"M": rows}, {"B": 4096},
                  [1], 8)


def batch_norm(x, w, b, m, v):
    x, w, b, m, v = (each.astype(float) for each in (x, w, b, m, v))
    scale = (w / numpy.sqrt(v + 1e-5))[:, None, None]
    return (x - m[:, None, None]) * scale + b[:, None, None]


def rope(x, c, s):
    x, c, s = (each.astype(float) for each in (x, c, s))
    low, high = numpy.split(x, 2, -1)
    c, s = c[:, None], s[:, None]
    return numpy.concatenate([low * c - high * s, high * c + low * s], -1)


def scatter_added(x, u, d):
    y = d.astype(float)
    numpy.add.at(y, x[:, 0], u.astype(float))
    return y


def losses(x, t):
    chances = scipy.special.log_softmax(x.astype(float), 1)
    return -numpy.take_along_axis(chances, t[:, None], 1)[:, 0]


def greatest(x):
    return numpy.argsort(-x.astype(float), 1, kind="stable")[:, :K]


def top_k(nodes, reference, kernel, **more):
    return Family(
        f"k = Constant <value_ints = [{K}]> () {nodes}", reference,
        *rows_of(kernel, lambda shape: {"K": K}),
        result=lambda shape: (shape[0], K), **more)


CHANNEL = lambda shape: shape[1:2]
ANGLES = lambda shape: (shape[0], shape[2], shape[3] // 2)
# A batch is one of the few whose size may be dynamic.
PLANES = lambda shape: {"C": shape[1]}

FAMILIES = {
    "batch-norm": Family(
        "y = BatchNormalization <epsilon = 1e-5> (x, w, b, m, v)", batch_norm,
        *rows_of(more_kernels.batch_norm, PLANES, axes=2),
        inputs={name: CHANNEL for name in "wbmv"}, positive=("v",),
        summed=lambda shape: 4),
    "rope": Family(
        "y = RotaryEmbedding (x, c, s)", rope,
        *rows_of(more_kernels.rope,
                 lambda shape: {"H": shape[1], "S": shape[2]},
                 width=lambda row: row // 2),
        inputs={"c": ANGLES, "s": ANGLES}, summed=lambda shape: 4),
    "rope-by-halves": Family(
        "o = Constant <value_ints = [1]> () "
        "cc = Concat <axis = -1> (c, c) ss = Concat <axis = -1> (s, s) "
        "c4 = Unsqueeze(cc, o) s4 = Unsqueeze(ss, o) "
        "l, h = Split <axis = -1, num_outputs = 2> (x) n = Neg(h) "
        "r = Concat <axis = -1> (n, l) p = Mul(x, c4) q = Mul(r, s4) "
        "y = Add(p, q)", rope,
        *rows_of(more_kernels.rope,
                 lambda shape: {"H": shape[1], "S": shape[2]},
                 width=lambda row: row // 2),
        inputs={"c": ANGLES, "s": ANGLES}, summed=lambda shape: 4),
    "gather-rows": Family(
        "y = Gather <axis = 0> (t, x)", lambda x, t: t[x].astype(float),
        *of_rows(more_kernels.gather_rows, lambda shape: {"V": TABLE}),
        inputs={"x": ROWS, "t": TABLE_OF_ROWS},
        indices={"x": lambda shape: TABLE}),
    "scatter-add": Family(
        'y = ScatterND <reduction = "add"> (d, x, u)', scatter_added,
        rows_of(None, None)[0], scatter_add,
        inputs={"x": lambda shape: (shape[0], 1), "u": lambda shape: shape,
                "d": TABLE_OF_ROWS},
        indices={"x": lambda shape: TABLE}, result=TABLE_OF_ROWS,
        summed=lambda shape: 2 * divide(shape[0], TABLE), adds_in_type=True),
    "cross-entropy": Family(
        'y = SoftmaxCrossEntropyLoss <reduction = "none"> (x, t)', losses,
        *of_rows(more_kernels.cross_entropy),
        inputs={"x": lambda shape: shape, "t": ROWS},
        indices={"t": lambda shape: shape[1]}, result=ROWS,
        summed=lambda shape: 16),
    "mean-cross-entropy": Family(
        "y = SoftmaxCrossEntropyLoss (x, t)",
        lambda x, t: losses(x, t).mean(),
        of_rows(None)[0], mean_cross_entropy,
        inputs={"x": lambda shape: shape, "t": ROWS},
        indices={"t": lambda shape: shape[1]}, result=lambda shape: (),
        summed=lambda shape: 16),
    "top-k": top_k("y, j = TopK (x, k)",
                   lambda x: numpy.take_along_axis(x, greatest(x), 1).astype(
                       float), more_kernels.top_k),
    "top-k-indices": top_k("v, y = TopK (x, k)", greatest,
                           more_kernels.top_k_indices, result_type="i64"),
}

CASES = """
batch-norm         f32  32 64 28 28
batch-norm         f16  16 64 56 56
batch-norm         bf16 13 48 14 14
rope               f32  16 8 256 64
rope               f16  16 16 512 128
rope               bf16 13 12 250 80
rope-by-halves     f32  16 8 256 64
gather-rows        f32  8192 4096
gather-rows        f16  8192 1024
gather-rows        bf16 8191 1000
scatter-add        f32  8192 1024
scatter-add        f16  8192 1024
scatter-add        f32  8191 1000
cross-entropy      f32  8192 4096
cross-entropy      f16  8192 1024
cross-entropy      bf16 8191 1000
mean-cross-entropy f32  8192 1024
top-k              f32  8192 1024
top-k              f16  8191 1000
top-k-indices      f32  8192 256
"""


def more_cases():
    return parse_cases(CASES, FAMILIES)
