"""A case in Triton, compiled without a GPU as its JIT would."""

import dataclasses
import re

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from .launches import Launch

TRITON_TYPES = {"f64": "fp64", "f32": "fp32", "f16": "fp16", "bf16": "bf16",
                "f8E4M3FN": "fp8e4nv", "i8": "i8", "i32": "i32", "i64": "i64"}


@dataclasses.dataclass
class Program:
    """A launch of a Triton kernel: its Buffers, sizes that are known when it is
    launched, then constants, by name."""
    kernel: object
    buffers: list
    sizes: dict
    constants: dict
    grid: tuple
    num_warps: int
    num_stages: int


def specialize(program):
    """(signature, attributes): pointers are divisible by 16, sizes where they
    are."""
    names = program.kernel.arg_names
    signature, attributes = {}, {}
    pointers = dict(zip(names, program.buffers))
    for i, name in enumerate(names):
        if name in program.constants:
            signature[name] = "constexpr"
            continue
        signature[name] = ("*" + TRITON_TYPES[pointers[name].dtype]
                           if name in pointers else "i32")
        if name in pointers or program.sizes[name] % 16 == 0:
            attributes[i,] = [["tt.divisibility", 16]]
    return signature, attributes


def compile_program(program, target):
    signature, attributes = specialize(program)
    source = ASTSource(fn=program.kernel, signature=signature,
                       constexprs=program.constants, attrs=attributes)
    capability = int(re.match(r"sm_(\d+)", target)[1])
    made = triton.compile(source, target=GPUTarget("cuda", capability, 32),
                          options={"num_warps": program.num_warps,
                                   "num_stages": program.num_stages})
    sizes = [("i32", program.sizes[name]) for name in program.kernel.arg_names
             if name in program.sizes]
    # Two pointers to scratch memory follow the kernel's own arguments.
    return Launch(made.asm["ptx"], made.metadata.name, program.grid,
                  32 * made.metadata.num_warps, made.metadata.shared,
                  [*program.buffers, *sizes, None, None])
