"""Triton's tensor descriptors; tensor maps where the target has them."""

import numpy as np

from harness.case import (Launch, changed, given, i32, output, triton)
from harness.compare import exact
from harness.numbers import normal, pack, small_integers, unpack
from harness.triton_compile import Descriptor

FILE = "descriptors.py:"


@triton(FILE + "matmul_host",
        "tensordesc<fp16[64,64]> tensordesc<fp16[64,64]> "
        "tensordesc<fp16[64,64]> i32", {"BM": 64, "BN": 64, "BK": 64},
        divisible=("k",), num_warps=4, num_stages=3)
def matmul_host(random):
    a, b = (small_integers(random, shape, "f16")
            for shape in ((128, 192), (192, 64)))
    c = unpack(a, "f16") @ unpack(b, "f16") + 0.0
    return Launch((2, 1), [
        Descriptor(given(a)), Descriptor(given(b)),
        Descriptor(output("c", (128, 64), "f16")), i32(192)],
        {"c": exact(c.astype(np.float16))})


@triton(FILE + "matmul_host",
        "tensordesc<fp8e5[128,128]> tensordesc<fp8e5[128,64]> "
        "tensordesc<fp32[128,64]> i32", {"BM": 128, "BN": 64, "BK": 128},
        targets=("sm_90a",), divisible=("k",), num_warps=8, num_stages=2)
def matmul_host_e5m2(random):
    a, b = (small_integers(random, shape, "f8E5M2")
            for shape in ((128, 256), (256, 64)))
    c = unpack(a, "f8E5M2") @ unpack(b, "f8E5M2") + 0.0
    return Launch((1, 1), [
        Descriptor(given(a, "f8E5M2")), Descriptor(given(b, "f8E5M2")),
        Descriptor(output("c", (128, 64), "f32")), i32(256)],
        {"c": exact(c.astype(np.float32))})


@triton(FILE + "matmul_device", "*bf16 *bf16 *bf16 i32 i32 i32",
        {"BM": 64, "BN": 32, "BK": 64}, divisible=("m", "n", "k"),
        num_warps=4, num_stages=3)
def matmul_device(random):
    a, b = (small_integers(random, shape, "bf16", 1)
            for shape in ((128, 192), (96, 192)))
    c = unpack(a, "bf16") @ unpack(b, "bf16").T + 0.0
    return Launch(2, [
        given(a, "bf16"), given(b, "bf16"), output("c", (128, 96), "bf16"),
        i32(128), i32(96), i32(192)], {"c": exact(pack(c, "bf16"))})


@triton(FILE + "copy_edges",
        "tensordesc<fp32[16,32]> tensordesc<fp32[16,32]>",
        {"M": 16, "N": 32})
def copy_edges(random):
    x = normal(random, (37, 84))
    return Launch((3, 3), [Descriptor(given(x)),
                           Descriptor(output("y", (37, 84), "f32"))],
                  {"y": exact(x * 2)})


@triton(FILE + "copy_nan", "*fp32 *fp32 i32 i32 i32", {"M": 16, "N": 16},
        divisible=("stride",))
def copy_nan(random):
    x = normal(random, (21, 48))
    y = np.full((32, 32), np.nan, np.float32)
    y[:21, :27] = x[:, :27]
    return Launch((2, 2), [given(x), output("y", (32, 32), "f32"), i32(21),
                           i32(27), i32(48)], {"y": exact(y)})


@triton(FILE + "reduce",
        "*i32 tensordesc<i32[16,16]> tensordesc<i32[16,16]>", {"N": 16})
def reduce(random):
    x = random.integers(-99, 99, (4, 16, 16)).astype(np.int32)
    total = random.integers(-9, 9, (16, 20)).astype(np.int32)
    most = np.full((12, 16), 50, np.int32)
    arguments = [given(x), Descriptor(changed("total", total.copy())),
                 Descriptor(changed("most", most))]
    total[:, 8:] += x.sum(0, dtype=np.int32)[:, :12]
    return Launch(4, arguments, {
        "total": exact(total),
        "most": exact(np.maximum(x.max(0)[:12], 50).astype(np.int32))})


@triton(FILE + "batches",
        "tensordesc<fp16[4,2,32]> tensordesc<fp16[2,4,32]>",
        {"A": 4, "B": 2, "C": 32})
def batches(random):
    x = normal(random, (10, 2, 32), "f16")
    return Launch(3, [Descriptor(given(x)),
                      Descriptor(output("y", (2, 10, 32), "f16"))],
                  {"y": exact(np.ascontiguousarray(x.transpose(1, 0, 2)))})
