"""Matrix products, Einsum and their quantized forms."""

import numpy as np

from graph import Reject, is_static
from ops_elementwise import eighths, maybe
from registry import op
from values import F16, F32, F64, I32, I64, I8, U8


@op("MatMul", since=9, weight=4)
def matmul(g, name):
    a = g.pick((F32, F64, F16, I32, I64), rank=range(1, 5), domain=(-100, 100))
    k = a.dims[-1]
    dims = g.random.choice([[k], [k, g.size()], [k, g.size()], [k, g.size()]])
    batch = list(a.dims[:-2])
    if len(dims) == 2 and batch and g.chance(.5):
        batch = batch[g.random.randint(0, len(batch)):]
        batch = [g.static(1) if g.chance(.2) else
                 tuple(n if g.chance(.9) else 1 for n in size)
                 if not is_static(size) and g.chance(.2) else size
                 for size in batch]
        dims = batch + dims
    elif a.rank == 2 and len(dims) == 2 and g.chance(.2):
        dims = [g.size(1, 4)] + dims
    b = g.pick([a.dtype], dims=dims, domain=(-100, 100), fresh=.6)
    g.node(name, [a, b], kind="sum")


@op("Gemm", since=9, weight=2)
def gemm(g, name):
    a = g.pick((F32, F64, F16), rank=2, domain=(-100, 100))
    flip_a, flip_b = g.random.randint(0, 1), g.random.randint(0, 1)
    m, k = a.dims[::-1] if flip_a else a.dims
    n = g.size()
    b = g.pick([a.dtype], dims=[n, k] if flip_b else [k, n], fresh=.6,
               domain=(-100, 100))
    c = None
    if g.opset < 11 or g.chance(.6):
        dims = g.random.choice([[n], [m, n], [g.static(1), n],
                                [m, g.static(1)], [], [g.static(1)],
                                [g.static(1), g.static(1)]])
        c = g.leaf(a.dtype, dims)
    g.node(name, [a, b, c], kind="sum", alpha=maybe(g, eighths(g, .25, 2)),
           beta=maybe(g, eighths(g, .25, 2)), transA=flip_a or maybe(g, 0),
           transB=flip_b or maybe(g, 0))


EQUATIONS = ["ij,jk->ik", "bij,bjk->bik", "bij,jk->bik", "ij,kj->ik", "i,j->ij",
             "i,i->", "ij->ji", "ij->i", "ij->", "ij->j", "ii->i", "ii->",
             "bii->bi", "ij,ij->ij", "ij,j->i", "bhid,bhjd->bhij",
             "bhij,bhjd->bhid", "...ij,...jk->...ik", "...i,...i->...",
             "ij,jk,kl->il", "i,j,k->ijk", "ij,jk", "ji", "i,ij->j", "abc->cab",
             "bn,anm,bm->ba", "bij,kj->bk", "...ij->...ji", "ij,ji->", "a,a,a->a"]


@op("Einsum", since=12, weight=2)
def einsum(g, name):
    equation = g.random.choice(EQUATIONS)
    dtype = g.random.choice([F32, F32, F32, F64, I64, I32])
    sizes = {letter: g.size(1, 5) for letter in "abcdhijklmn"}
    batch = g.shape(g.random.randint(0, 2), 1, 3)
    inputs = []
    for term in equation.split("->")[0].split(","):
        dims = []
        term = term.replace("...", ".")
        for letter in term:
            dims += batch if letter == "." else [sizes[letter]]
        inputs.append(g.pick([dtype], dims=dims, fresh=.6, domain=(-50, 50)))
    if g.chance(.1):
        equation = equation.replace(",", " , ").replace("->", " -> ")
    g.node(name, inputs, kind="sum", equation=equation)


def zero_point(g, dtype, dims=()):
    return g.leaf(dtype, list(dims), (-9, 9) if dtype == I8 else (0, 100))


@op("MatMulInteger", since=10)
def matmul_integer(g, name):
    a = g.pick([U8, I8], rank=range(2, 4), fresh=.7)
    n = g.size()
    b = g.leaf(g.random.choice([U8, I8]), [a.dims[-1], n])
    za = zero_point(g, a.dtype) if g.chance(.5) else None
    zb = None
    if g.chance(.5):
        zb = zero_point(g, b.dtype, g.random.choice([[], [n]]))
    g.node(name, [a, b, za, zb])


def scale(g, dims=()):
    """A power of two, so that quantized values are exact."""
    return g.const(np.exp2(np.array(
        [g.random.randint(-4, 1) for _ in range(int(np.prod(dims)))],
        np.float32).reshape(dims)).astype(np.float32))


@op("QLinearMatMul", since=10)
def qlinear_matmul(g, name):
    dtype = g.random.choice([U8, I8])
    a = g.leaf(dtype, g.shape(g.random.choice([2, 2, 3]), 1, 8))
    n = g.random.randint(1, 6)
    b = g.leaf(dtype, [a.dims[-1], g.static(n)])
    each = g.chance(.3)
    shape = (n,) if each else ()
    g.node(name, [a, scale(g), zero_point(g, dtype), b, scale(g, shape),
                  zero_point(g, dtype, [g.static(n)] if each else []),
                  scale(g), zero_point(g, dtype)])
