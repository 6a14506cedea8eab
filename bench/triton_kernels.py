"""The kernels of bench/kernels in Triton, and the time to compile each."""

import time

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def softmax(y, x, N: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, N)
    v = tl.load(x + row * N + at)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(y + row * N + at, e / tl.sum(e, 0))


@triton.jit
def matmul(C, A, B, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        at = k + depth
        a = tl.load(A + rows[:, None] * K + at[None, :],
                    mask=(rows[:, None] < M) & (at[None, :] < K), other=0.)
        b = tl.load(B + at[:, None] * N + columns[None, :],
                    mask=(at[:, None] < K) & (columns[None, :] < N), other=0.)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(C + rows[:, None] * N + columns[None, :], acc,
             mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def attention(O, Q, K, V, N, scale, BM: tl.constexpr, BN: tl.constexpr,
              D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    keys = tl.arange(0, BN)
    d = tl.arange(0, D)
    q = tl.load(Q + rows[:, None] * D + d[None, :])
    m = tl.full((BM,), -float("inf"), tl.float32)
    l = tl.zeros((BM,), tl.float32)
    o = tl.zeros((BM, D), tl.float32)
    for j in range(0, N, BN):
        k = tl.load(K + (j + keys)[:, None] * D + d[None, :])
        s = tl.dot(q, tl.trans(k)) * scale
        top = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - top[:, None])
        alpha = tl.exp2(m - top)
        l = l * alpha + tl.sum(p, 1)
        v = tl.load(V + (j + keys)[:, None] * D + d[None, :])
        o = tl.dot(p.to(tl.bfloat16), v, o * alpha[:, None])
        m = top
    tl.store(O + rows[:, None] * D + d[None, :],
             (o / l[:, None]).to(tl.bfloat16))


KERNELS = {
    "softmax": (softmax, ["*fp32"] * 2, [4096], {"num_warps": 8}),
    "matmul": (matmul, ["*fp32"] * 3 + ["i32"] * 3, [128, 128, 32],
               {"num_warps": 8}),
    "attention": (attention, ["*bf16"] * 4 + ["i32", "fp32"], [128, 128, 128],
                  {"num_warps": 8, "num_stages": 3}),
}


def compile_once(kernel, types, constants, options, target):
    names = kernel.arg_names
    signature = dict(zip(names, types + ["constexpr"] * len(constants)))
    values = {(len(types) + i,): value for i, value in enumerate(constants)}
    aligned = {(i,): [["tt.divisibility", 16]]
               for i, kind in enumerate(types) if kind.startswith("*")}
    source = ASTSource(fn=kernel, signature=signature, constexprs=values,
                       attrs=aligned)
    return triton.compile(source, target=target, options=options)


def measure(repeats, capability):
    """{kernel: {"ms", "llvm_ir_bytes", "ptx_bytes"}}: from the source to PTX,
    the time of ptxas taken off."""
    import triton.backends.nvidia.compiler as nvidia
    target = GPUTarget("cuda", capability, 32)
    spent = [0.0]
    make_cubin = nvidia.CUDABackend.make_cubin

    def timed(*arguments, **keywords):
        start = time.perf_counter()
        result = make_cubin(*arguments, **keywords)
        spent[0] += time.perf_counter() - start
        return result

    nvidia.CUDABackend.make_cubin = timed
    try:
        results = {}
        for name, (kernel, types, constants, options) in KERNELS.items():
            least, compiled = 1e9, None
            for _ in range(repeats):
                spent[0] = 0
                start = time.perf_counter()
                compiled = compile_once(kernel, types, constants, options,
                                        target)
                took = time.perf_counter() - start - spent[0]
                least = min(least, took * 1e3)
            results[name] = {"ms": least,
                             "llvm_ir_bytes": len(compiled.asm["llir"]),
                             "ptx_bytes": len(compiled.asm["ptx"])}
        return results
    finally:
        nvidia.CUDABackend.make_cubin = make_cubin
