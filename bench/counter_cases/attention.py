"""Attentions: the operator in ONNX, and the loop of FlashAttention-2 in Triton."""

import dataclasses
import math

import ml_dtypes
import numpy

from . import attention_kernels as kernels
from .cases import Case, Family
from .families import divide, parse_cases, power_of_two, program
from .launches import Buffer

# Candidates for Triton: BM, BN, warps, stages.
TILES = [(128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2), (64, 128, 4, 2),
         (64, 64, 4, 3), (64, 64, 4, 2), (128, 32, 4, 3), (64, 32, 4, 3)]
CAP = 30.0


@dataclasses.dataclass
class Attention(Case):
    """`shape`: heads, queries, keys, head size."""

    @property
    def is_dynamic(self):
        return False

    def small(self):
        heads, queries, keys, size = self.shape
        return dataclasses.replace(
            self, shape=(2, min(queries, 256), min(keys, 256), size))


def tunings(case):
    return [dict(zip(("BM", "BN", "warps", "stages"), tile)) for tile in TILES]


def programs(masked=False, causal=False, capped=False):
    def of_case(case, BM, BN, warps, stages):
        heads, queries, keys, size = case.shape
        buffers = case.buffers()
        if not masked:
            buffers.append(Buffer("m", case.dtype, (1,)))
        yield program(case, kernels.attention, buffers, {},
                      {"M": queries, "N": keys, "D": size,
                       "WIDTH": power_of_two(size), "SCALE": size ** -0.5,
                       "CAP": CAP if capped else 0.0, "MASKED": masked,
                       "CAUSAL": causal, "BM": BM, "BN": BN},
                      [divide(queries, BM), heads], warps, stages)
    return of_case


def weights_of(x, k, causal=False, capped=False, m=None):
    scores = x.astype(float) @ numpy.swapaxes(k.astype(float), -1, -2)
    scores /= math.sqrt(x.shape[-1])
    if capped:
        scores = CAP * numpy.tanh(scores / CAP)
    if m is not None:
        scores += m.astype(float)
    if causal:
        rows, columns = numpy.indices(scores.shape[-2:])
        scores = numpy.where(columns <= rows, scores, -numpy.inf)
    powers = numpy.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def family(name="", causal=False, capped=False):
    """`name`: of one more input, a mask that is added."""
    attributes = ("is_causal = 1" if causal else
                  f"softcap = {CAP}" if capped else "")
    nodes = (f"y = Attention {f'<{attributes}>' if attributes else ''} "
             f"(x, k, v{', m' if name else ''})")

    def reference(x, k, v, m=None):
        return weights_of(x, k, causal, capped, m) @ v.astype(float)

    def bound(x, k, v, m=None):
        """docs/attention.md, and what tanh.approx and ex2.approx lose."""
        keys = k.shape[-2]
        unit = float(ml_dtypes.finfo(x.dtype).eps) / 2
        lost = unit + 2**-24 * (8 + keys) + 2**-20 + CAP * 2**-10 * capped
        return lost * (weights_of(x, k, causal, capped, m) @
                       abs(v.astype(float)))
    inputs = {"x": lambda s: (1, s[0], s[1], s[3]),
              "k": lambda s: (1, s[0], s[2], s[3]),
              "v": lambda s: (1, s[0], s[2], s[3])}
    if name:
        inputs["m"] = lambda s: (s[1], s[2])
    return Family(nodes, reference, tunings,
                  programs(bool(name), causal, capped), inputs=inputs,
                  result=lambda s: (1, s[0], s[1], s[3]), bound=bound)


FAMILIES = {"attention": family(), "attention-causal": family(causal=True),
            "attention-mask": family("m"),
            "attention-cap": family(capped=True)}

CASES = """
attention        bf16 4 256 256 64
attention        bf16 4 2048 2048 64
attention-causal bf16 4 2048 2048 64
attention-mask   bf16 4 2048 2048 64
attention-cap    bf16 4 256 256 64
attention        bf16 4 256 256 80
attention-causal bf16 4 2048 2048 80
attention-mask   bf16 4 256 256 96
attention        bf16 4 2048 2048 96
attention        bf16 4 256 256 128
attention-causal bf16 4 2048 2048 128
attention-cap    bf16 4 2048 2048 128
"""


def attention_cases():
    return parse_cases(CASES, FAMILIES, Attention)
