"""Convolutions of NCHW images, with constant weights."""

import dataclasses
import itertools

import numpy
import triton
import triton.language as tl

from .cases import Family
from .families import divide, parse_cases, program
from .kernels import below
from .matrix import Product

# Candidates for Triton: BM, BN, BK, warps, stages.
TILES = [(64, 128, 32, 4, 3), (64, 64, 32, 4, 3), (64, 64, 64, 4, 3),
         (32, 64, 32, 4, 3), (64, 256, 32, 8, 3), (32, 128, 64, 4, 3),
         (16, 128, 32, 4, 3), (16, 64, 32, 2, 3)]


@triton.jit
def convolve(y, x, w, FILTERS: tl.constexpr, CHANNELS: tl.constexpr,
             GROUPS: tl.constexpr, H: tl.constexpr, W: tl.constexpr,
             OH: tl.constexpr, OW: tl.constexpr, K: tl.constexpr,
             STRIDE: tl.constexpr, PAD: tl.constexpr, DILATION: tl.constexpr,
             BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """An implicit product: rows are filters, columns pixels, and the depth the
    channels of a group and the points of the window, as the weights lie."""
    image, group = tl.program_id(2) // GROUPS, tl.program_id(2) % GROUPS
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    pixels = tl.program_id(1) * BN + tl.arange(0, BN)
    m, n = below(rows, FILTERS, BM), below(pixels, OH * OW, BN)
    top = pixels // OW * STRIDE - PAD
    left = pixels % OW * STRIDE - PAD
    depth: tl.constexpr = CHANNELS * K * K
    weights = w + (group * FILTERS + rows[:, None]) * depth
    images = x + (image * GROUPS + group) * CHANNELS * H * W
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, depth, BK):
        k = first + tl.arange(0, BK)
        inside = below(k, depth, BK)
        i = top[None, :] + (k % (K * K) // K * DILATION)[:, None]
        j = left[None, :] + (k % K * DILATION)[:, None]
        is_read = (inside[:, None] & n[None, :] & (i >= 0) & (i < H) &
                   (j >= 0) & (j < W))
        total = tl.dot(
            tl.load(weights + k[None, :], m[:, None] & inside[None, :], 0),
            tl.load(images + (k // (K * K))[:, None] * (H * W) + i * W + j,
                    is_read, 0), total)
    to = (image * GROUPS + group) * FILTERS + rows[:, None]
    tl.store(y + to * (OH * OW) + pixels[None, :], total,
             m[:, None] & n[None, :])


@dataclasses.dataclass
class Convolution(Product):
    """`shape`: images, channels, height, width, filters."""

    def small(self, rows=128):
        return self


def family(window, stride=1, dilation=1, groups=1, pad=None):
    pad = window // 2 * dilation if pad is None else pad
    out = lambda n: (n + 2 * pad - dilation * (window - 1) - 1) // stride + 1
    attributes = (f"strides = [{stride}, {stride}], group = {groups}, "
                  f"dilations = [{dilation}, {dilation}], "
                  f"pads = [{pad}, {pad}, {pad}, {pad}]")

    def sums(x, w):
        images, channels, height, width = x.shape
        padded = numpy.pad(x.astype(float), [(0, 0), (0, 0)] + [(pad, pad)] * 2)
        padded = padded.reshape(images, groups, channels // groups,
                                *padded.shape[2:])
        kernels = w.astype(float).reshape(groups, -1, *w.shape[1:])
        size = out(height), out(width)
        found = numpy.zeros((images, groups, kernels.shape[1], *size))
        for at in itertools.product(range(window), repeat=2):
            box = tuple(slice(i * dilation, i * dilation + stride * (n - 1) + 1,
                              stride) for i, n in zip(at, size))
            found += numpy.einsum("ngchw,gfc->ngfhw", padded[(..., *box)],
                                  kernels[(..., *at)])
        return found.reshape(images, -1, *size)

    def bound(x, w):
        depth = w[0].size
        return divide(depth, 8) * 11 * 2**-24 * sums(abs(x), abs(w))

    def programs(case, BM, BN, BK, warps, stages):
        images, channels, height, width, filters = case.shape
        sizes = out(height), out(width)
        yield program(case, convolve, case.buffers(), {},
                      {"FILTERS": filters // groups,
                       "CHANNELS": channels // groups, "GROUPS": groups,
                       "H": height, "W": width, "OH": sizes[0],
                       "OW": sizes[1], "K": window, "STRIDE": stride,
                       "PAD": pad, "DILATION": dilation, "BM": BM, "BN": BN,
                       "BK": BK},
                      [divide(filters // groups, BM),
                       divide(sizes[0] * sizes[1], BN), images * groups],
                      warps, stages)

    def tunings(case):
        filters = case.shape[4] // groups
        return [dict(zip(("BM", "BN", "BK", "warps", "stages"), each))
                for each in TILES if each[0] <= max(16, filters)]

    return Family(
        f"y = Conv <{attributes}> (x, w)", sums, tunings, programs,
        inputs={"x": lambda shape: shape[:4]}, weights=("w",),
        weight=lambda shape: (shape[4], shape[1] // groups, window, window),
        result=lambda shape: (shape[0], shape[4], out(shape[2]),
                              out(shape[3])), bound=bound)


FAMILIES = {"conv3x3": family(3), "conv1x1": family(1),
            "conv3x3-stride2": family(3, stride=2),
            "conv3x3-dilated": family(3, dilation=2),
            "conv3x3-groups4": family(3, groups=4)}

CASES = """
conv3x3         f16 1 32 28 28 64
conv3x3         f16 1 64 56 56 64
conv1x1         f16 1 256 56 56 64
conv3x3-stride2 f16 1 64 56 56 64
conv3x3-dilated f16 1 64 28 28 64
conv3x3-groups4 f16 1 64 28 28 64
"""


def convolution_cases():
    return parse_cases(CASES, FAMILIES, Convolution)
