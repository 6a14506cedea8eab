"""linalg's named and structured ops."""

import math

import numpy as np

from cases import case, floats, integers


def zeros(name, kind, element="f32"):
    zero = "0.0" if element[0] in "fb" else "0"
    return f"""  %z{name} = arith.constant {zero} : {element}
  %e{name} = tensor.empty() : {kind}
  %{name} = linalg.fill ins(%z{name} : {element}) outs(%e{name} : {kind}) -> {kind}
"""


def named(op, types, result, attributes="", element="f32", first="0.0"):
    """A module that applies `op` to its arguments, onto zeros."""
    names = [f"%x{n}" for n in range(len(types))]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types))
    return f"""func.func @main({arguments}) -> {result} {{
  %z = arith.constant {first} : {element}
  %e = tensor.empty() : {result}
  %f = linalg.fill ins(%z : {element}) outs(%e : {result}) -> {result}
  %r = linalg.{op} {attributes} ins({", ".join(names)} : {", ".join(types)}) outs(%f : {result}) -> {result}
  return %r : {result}
}}"""


def row(op, form, types, result, inputs, expected, **more):
    case(f"`linalg.{op}`", form, named(op, types, result, **more), inputs,
         expected)


row("matmul", "f32", ["tensor<9x20xf32>", "tensor<20x33xf32>"],
    "tensor<9x33xf32>", [floats(9, 20), floats(20, 33)], np.matmul)
row("matmul", "i8 into i32", ["tensor<9x20xi8>", "tensor<20x33xi8>"],
    "tensor<9x33xi32>", [integers(9, 20, dtype=np.int8),
                         integers(20, 33, dtype=np.int8)],
    lambda a, b: a.astype(np.int32) @ b.astype(np.int32), element="i32",
    first="0")
row("matmul", "f16 into f32", ["tensor<9x20xf16>", "tensor<20x33xf16>"],
    "tensor<9x33xf32>", [floats(9, 20, dtype=np.float16),
                         floats(20, 33, dtype=np.float16)],
    lambda a, b: a.astype(np.float32) @ b.astype(np.float32))
row("matmul", "f64", ["tensor<9x20xf64>", "tensor<20x33xf64>"],
    "tensor<9x33xf64>", [floats(9, 20, dtype=np.float64),
                         floats(20, 33, dtype=np.float64)], np.matmul,
    element="f64")
row("matmul", "K = 1", ["tensor<9x1xf32>", "tensor<1x5xf32>"],
    "tensor<9x5xf32>", [floats(9, 1), floats(1, 5)], np.matmul)
row("matmul", "a transposed side, by its maps",
    ["tensor<20x9xf32>", "tensor<20x33xf32>"], "tensor<9x33xf32>",
    [floats(20, 9), floats(20, 33)], lambda a, b: a.T @ b,
    attributes="indexing_maps = [affine_map<(m, n, k) -> (k, m)>, "
    "affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]")
case("`linalg.matmul`", "dynamic sizes, onto an argument", """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}""", [floats(7, 19), floats(19, 30), floats(7, 30)], lambda a, b, c: c + a @ b)
row("batch_matmul", "f32", ["tensor<3x9x20xf32>", "tensor<3x20x17xf32>"],
    "tensor<3x9x17xf32>", [floats(3, 9, 20), floats(3, 20, 17)], np.matmul)
row("batch_reduce_matmul", "f32", ["tensor<3x9x20xf32>", "tensor<3x20x17xf32>"],
    "tensor<9x17xf32>", [floats(3, 9, 20), floats(3, 20, 17)],
    lambda a, b: np.matmul(a, b).sum(0))
row("matvec", "f32", ["tensor<9x20xf32>", "tensor<20xf32>"], "tensor<9xf32>",
    [floats(9, 20), floats(20)], np.matmul)
row("vecmat", "f32", ["tensor<20xf32>", "tensor<20x9xf32>"], "tensor<9xf32>",
    [floats(20), floats(20, 9)], np.matmul)
row("batch_matvec", "f32", ["tensor<3x9x20xf32>", "tensor<3x20xf32>"],
    "tensor<3x9xf32>", [floats(3, 9, 20), floats(3, 20)],
    lambda a, b: np.einsum("bij,bj->bi", a, b))
row("batch_vecmat", "f32", ["tensor<3x20xf32>", "tensor<3x20x9xf32>"],
    "tensor<3x9xf32>", [floats(3, 20), floats(3, 20, 9)],
    lambda a, b: np.einsum("bi,bij->bj", a, b))
row("dot", "f32", ["tensor<40xf32>", "tensor<40xf32>"], "tensor<f32>",
    [floats(40), floats(40, seed=1)], lambda a, b: np.dot(a, b).reshape(()))
row("mmt4d", "f32", ["tensor<2x3x4x5xf32>", "tensor<6x3x7x5xf32>"],
    "tensor<2x6x4x7xf32>", [floats(2, 3, 4, 5), floats(6, 3, 7, 5)],
    lambda a, b: np.einsum("mkab,nkcb->mnac", a, b))
row("contract", "four dimensions", ["tensor<3x4x5xf32>", "tensor<5x4x6xf32>"],
    "tensor<6x3xf32>", [floats(3, 4, 5), floats(5, 4, 6)],
    lambda a, b: np.einsum("ijk,kjl->li", a, b),
    attributes="indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k)>, "
    "affine_map<(i, j, k, l) -> (k, j, l)>, affine_map<(i, j, k, l) -> (l, i)>]")
case("`linalg.quantized_matmul`", "zero points as scalar operands", """
func.func @main(%a: tensor<5x8xi8>, %b: tensor<8x6xi8>, %p: i32, %q: i32) -> tensor<5x6xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x6xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<5x6xi32>) -> tensor<5x6xi32>
  %r = linalg.quantized_matmul ins(%a, %b, %p, %q : tensor<5x8xi8>, tensor<8x6xi8>, i32, i32) outs(%f : tensor<5x6xi32>) -> tensor<5x6xi32>
  return %r : tensor<5x6xi32>
}""", [integers(5, 8, dtype=np.int8), integers(8, 6, dtype=np.int8),
       np.int32(3).reshape(()), np.int32(-2).reshape(())],
     lambda a, b, p, q: (a.astype(np.int32) - p) @ (b.astype(np.int32) - q))


def conv(x, w, strides=(1, 1), dilations=(1, 1)):
    """x: N C H W, w: F C KH KW."""
    kh, kw = w.shape[2:]
    h = (x.shape[2] - dilations[0] * (kh - 1) - 1) // strides[0] + 1
    v = (x.shape[3] - dilations[1] * (kw - 1) - 1) // strides[1] + 1
    result = np.zeros((x.shape[0], w.shape[0], h, v), x.dtype)
    for i in range(kh):
        for j in range(kw):
            part = x[:, :, i * dilations[0]:, j * dilations[1]:]
            part = part[:, :, ::strides[0], ::strides[1]][:, :, :h, :v]
            result += np.einsum("nchw,fc->nfhw", part, w[:, :, i, j])
    return result


WINDOW = "{strides = dense<[2, 1]> : tensor<2xi64>, dilations = dense<[1, 2]> : tensor<2xi64>}"
row("conv_2d_nchw_fchw", "strides and dilations",
    ["tensor<2x3x11x12xf32>", "tensor<4x3x3x3xf32>"], "tensor<2x4x5x8xf32>",
    [floats(2, 3, 11, 12), floats(4, 3, 3, 3)],
    lambda x, w: conv(x, w, (2, 1), (1, 2)), attributes=WINDOW)
row("conv_2d_nhwc_hwcf", "strides and dilations",
    ["tensor<2x11x12x3xf32>", "tensor<3x3x3x4xf32>"], "tensor<2x5x8x4xf32>",
    [floats(2, 11, 12, 3), floats(3, 3, 3, 4)],
    lambda x, w: conv(x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1),
                      (2, 1), (1, 2)).transpose(0, 2, 3, 1), attributes=WINDOW)
row("conv_2d_nhwc_hwcf", "one by one, one channel",
    ["tensor<1x5x6x1xf32>", "tensor<1x1x1x2xf32>"], "tensor<1x5x6x2xf32>",
    [floats(1, 5, 6, 1), floats(1, 1, 1, 2)], lambda x, w: x * w[0, 0])
row("conv_2d", "f32", ["tensor<8x9xf32>", "tensor<3x2xf32>"], "tensor<6x8xf32>",
    [floats(8, 9), floats(3, 2)],
    lambda x, w: conv(x[None, None], w[None, None])[0, 0])
row("conv_1d", "f32", ["tensor<12xf32>", "tensor<3xf32>"], "tensor<10xf32>",
    [floats(12), floats(3)],
    lambda x, w: np.correlate(x, w, "valid"))
case("`linalg.pooling_nchw_max`", "dynamic sizes, padded", """
func.func @main(%x: tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %low : f32
  } : tensor<?x3x?x?xf32> to tensor<?x3x?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x3x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x3x?x?xf32>
  %v = tensor.dim %x, %c3 : tensor<?x3x?x?xf32>
  %h1 = arith.subi %h, %c1 : index
  %h2 = arith.floordivsi %h1, %c2 : index
  %h3 = arith.addi %h2, %c1 : index
  %v1 = arith.subi %v, %c1 : index
  %v2 = arith.floordivsi %v1, %c2 : index
  %v3 = arith.addi %v2, %c1 : index
  %e = tensor.empty(%n, %h3, %v3) : tensor<?x3x?x?xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  %w = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>} ins(%p, %w : tensor<?x3x?x?xf32>, tensor<3x3xf32>) outs(%f : tensor<?x3x?x?xf32>) -> tensor<?x3x?x?xf32>
  return %r : tensor<?x3x?x?xf32>
}""", [floats(2, 3, 8, 9)], lambda x: padded_pool(x))


def padded_pool(x):
    x = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=-np.inf)
    h, v = (x.shape[2] - 3) // 2 + 1, (x.shape[3] - 3) // 2 + 1
    return np.max([x[:, :, i:i + 2 * h - 1:2, j:j + 2 * v - 1:2]
                   for i in range(3) for j in range(3)], axis=0)


case("`linalg.fill`", "a constant, a scalar argument", """
func.func @main(%s: f32) -> (tensor<3x4xf32>, tensor<5xf32>) {
  %c = arith.constant 2.0 : f32
  %e0 = tensor.empty() : tensor<3x4xf32>
  %e1 = tensor.empty() : tensor<5xf32>
  %0 = linalg.fill ins(%c : f32) outs(%e0 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = linalg.fill ins(%s : f32) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>
  return %0, %1 : tensor<3x4xf32>, tensor<5xf32>
}""", [np.float32(3.5).reshape(())],
     lambda s: (np.full((3, 4), 2, np.float32), np.full(5, s, np.float32)))
case("`linalg.fill_rng_2d`", "as its definition says", """
func.func @main(%lo: f64, %hi: f64, %seed: i32) -> tensor<4x5xf32> {
  %e = tensor.empty() : tensor<4x5xf32>
  %r = linalg.fill_rng_2d ins(%lo, %hi, %seed : f64, f64, i32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}""", [np.float64(-1).reshape(()), np.float64(3).reshape(()),
       np.int32(42).reshape(())], lambda lo, hi, seed: random_fill(lo, hi, seed))


def random_fill(low, high, seed):
    """A linear congruential generator on the indices, as upstream defines it."""
    m, n = np.indices((4, 5)).astype(np.int32)
    with np.errstate(over="ignore"):
        first = (m + seed) * np.int32(1103515245) + np.int32(12345)
        second = (n + first) * np.int32(1103515245) + np.int32(12345)
    scaled = (second.astype(np.float64) + 2147483647) * (high - low)
    return (scaled * 2.3283064e-10 + low).astype(np.float32)


case("`linalg.copy`", "to another element type", """
func.func @main(%x: tensor<3x4xf32>) -> tensor<3x4xf64> {
  %e = tensor.empty() : tensor<3x4xf64>
  %r = linalg.copy ins(%x : tensor<3x4xf32>) outs(%e : tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}""", [floats(3, 4)], lambda x: x.astype(np.float64))
case("`linalg.map`", "two inputs", """
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %r = linalg.map ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>)
    (%a: f32, %b: f32, %o: f32) {
      %s = arith.mulf %a, %b : f32
      %t = math.tanh %s : f32
      linalg.yield %t : f32
    }
  return %r : tensor<?xf32>
}""", [floats(77), floats(77, seed=1)], lambda x, y: np.tanh(x * y))
case("`linalg.reduce`", "two results at once", """
func.func @main(%x: tensor<4x9x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %z = arith.constant dense<0.0> : tensor<4x3xf32>
  %o = arith.constant dense<1.0> : tensor<4x3xf32>
  %r:2 = linalg.reduce ins(%x, %x : tensor<4x9x3xf32>, tensor<4x9x3xf32>)
      outs(%z, %o : tensor<4x3xf32>, tensor<4x3xf32>) dimensions = [1]
    (%a: f32, %b: f32, %s: f32, %p: f32) {
      %t = arith.addf %a, %s : f32
      %q = arith.mulf %b, %p : f32
      linalg.yield %t, %q : f32, f32
    }
  return %r#0, %r#1 : tensor<4x3xf32>, tensor<4x3xf32>
}""", [floats(4, 9, 3)], lambda x: (x.sum(1), x.prod(1)))
case("`linalg.reduce`", "all dimensions, to one element", """
func.func @main(%x: tensor<?x?xi32>, %y: tensor<i32>) -> tensor<i32> {
  %r = linalg.reduce {arith.maxsi} ins(%x : tensor<?x?xi32>) outs(%y : tensor<i32>) dimensions = [0, 1]
  return %r : tensor<i32>
}""", [integers(11, 13), np.int32(-100).reshape(())], lambda x, y: x.max().reshape(()))
case("`linalg.reduce`", "`maxnumf` of nothing but NaN, from NaN, dynamic", """
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.reduce {arith.maxnumf} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}""", [np.array([[np.nan] * 5, [1, np.nan, 3, np.nan, 2]], np.float32),
       np.full(2, np.nan, np.float32)],
     lambda x, y: np.array([np.nan, 3], np.float32))
case("`linalg.transpose`", "three dimensions", """
func.func @main(%x: tensor<3x4x?xf32>) -> tensor<?x3x4xf32> {
  %c2 = arith.constant 2 : index
  %d = tensor.dim %x, %c2 : tensor<3x4x?xf32>
  %e = tensor.empty(%d) : tensor<?x3x4xf32>
  %r = linalg.transpose ins(%x : tensor<3x4x?xf32>) outs(%e : tensor<?x3x4xf32>) permutation = [2, 0, 1]
  return %r : tensor<?x3x4xf32>
}""", [floats(3, 4, 17)], lambda x: x.transpose(2, 0, 1))
case("`linalg.broadcast`", "a new dimension in front and one inside", """
func.func @main(%x: tensor<4x5xf32>) -> tensor<3x4x2x5xf32> {
  %e = tensor.empty() : tensor<3x4x2x5xf32>
  %r = linalg.broadcast ins(%x : tensor<4x5xf32>) outs(%e : tensor<3x4x2x5xf32>) dimensions = [0, 2]
  return %r : tensor<3x4x2x5xf32>
}""", [floats(4, 5)],
     lambda x: np.broadcast_to(x[None, :, None], (3, 4, 2, 5)))
case("`linalg.elementwise`", "unary, binary, ternary", """
func.func @main(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %c: tensor<3x5xi1>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %a = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%x : tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %b = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>] ins(%a, %y : tensor<3x5xf32>, tensor<5x3xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %r = linalg.elementwise kind=#linalg.elementwise_kind<select> ins(%c, %a, %b : tensor<3x5xi1>, tensor<3x5xf32>, tensor<3x5xf32>) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}""", [floats(3, 5), floats(5, 3), floats(3, 5) > 0],
     lambda x, y, c: np.where(c, np.exp(x), np.exp(x) - y.T))
case("`linalg.add`, `sub`, `mul`, `div`, `max`, `min`, `exp`, `log`, `sqrt`, `abs`, `negf`, `square`",
     "a chain of named elementwise ops", """
func.func @main(%x: tensor<6x7xf32>, %y: tensor<6x7xf32>) -> tensor<6x7xf32> {
  %e = tensor.empty() : tensor<6x7xf32>
  %0 = linalg.add ins(%x, %y : tensor<6x7xf32>, tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %1 = linalg.sub ins(%0, %x : tensor<6x7xf32>, tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %2 = linalg.mul ins(%1, %0 : tensor<6x7xf32>, tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %3 = linalg.square ins(%2 : tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %4 = linalg.exp ins(%y : tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %5 = linalg.div ins(%3, %4 : tensor<6x7xf32>, tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %6 = linalg.sqrt ins(%5 : tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %7 = linalg.abs ins(%2 : tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %8 = linalg.max ins(%6, %7 : tensor<6x7xf32>, tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %9 = linalg.negf ins(%8 : tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %10 = linalg.log ins(%4 : tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  %11 = linalg.min ins(%9, %10 : tensor<6x7xf32>, tensor<6x7xf32>) outs(%e : tensor<6x7xf32>) -> tensor<6x7xf32>
  return %11 : tensor<6x7xf32>
}""", [floats(6, 7), floats(6, 7, seed=1)], lambda x, y: chain(x, y))


def chain(x, y):
    a = x + y
    c = (a - x) * a
    d = np.sqrt(c * c / np.exp(y))
    return np.minimum(-np.maximum(d, np.abs(c)), np.log(np.exp(y)))


case("`linalg.ceil`, `floor`, `round`, `reciprocal`, `rsqrt`, `tanh`, `powf`, `select`, `div_unsigned`",
     "the other named elementwise ops", """
func.func @main(%x: tensor<40xf32>, %n: tensor<40xi32>, %c: tensor<40xi1>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xi32>) {
  %e = tensor.empty() : tensor<40xf32>
  %0 = linalg.ceil ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %1 = linalg.floor ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %2 = linalg.select ins(%c, %0, %1 : tensor<40xi1>, tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %3 = linalg.exp ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %4 = linalg.reciprocal ins(%3 : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %5 = linalg.rsqrt ins(%3 : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %6 = linalg.powf ins(%4, %5 : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %7 = linalg.tanh ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %8 = linalg.round ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %9 = linalg.sub ins(%7, %8 : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %i = tensor.empty() : tensor<40xi32>
  %o = arith.constant dense<7> : tensor<40xi32>
  %d = linalg.div_unsigned ins(%n, %o : tensor<40xi32>, tensor<40xi32>) outs(%i : tensor<40xi32>) -> tensor<40xi32>
  return %2, %6, %9, %d : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xi32>
}""", [floats(40), integers(40), floats(40, seed=1) > 0],
     lambda x, n, c: (np.where(c, np.ceil(x), np.floor(x)),
                      (1 / np.exp(x)) ** (1 / np.sqrt(np.exp(x))),
                      np.tanh(x) - np.trunc(x + np.copysign(np.float32(0.5), x)),
                      (n.view(np.uint32) // 7).view(np.int32)))
case("`linalg.erf`", "f32", """
func.func @main(%x: tensor<40xf32>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<40xf32>
  %0 = linalg.erf ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}""", [floats(40)],
     lambda x: np.array([math.erf(v) for v in x], np.float32))
row("batch_mmt4d", "f32", ["tensor<2x2x3x4x5xf32>", "tensor<2x6x3x7x5xf32>"],
    "tensor<2x2x6x4x7xf32>", [floats(2, 2, 3, 4, 5), floats(2, 6, 3, 7, 5)],
    lambda a, b: np.einsum("bmkac,bnkdc->bmnad", a, b))
case("`linalg.quantized_batch_matmul`", "zero points as scalar operands", """
func.func @main(%a: tensor<2x5x8xi8>, %b: tensor<2x8x6xi8>, %p: i32, %q: i32) -> tensor<2x5x6xi32> {
  %f = arith.constant dense<0> : tensor<2x5x6xi32>
  %r = linalg.quantized_batch_matmul ins(%a, %b, %p, %q : tensor<2x5x8xi8>, tensor<2x8x6xi8>, i32, i32) outs(%f : tensor<2x5x6xi32>) -> tensor<2x5x6xi32>
  return %r : tensor<2x5x6xi32>
}""", [integers(2, 5, 8, dtype=np.int8), integers(2, 8, 6, dtype=np.int8),
       np.int32(3).reshape(()), np.int32(-2).reshape(())],
     lambda a, b, p, q: (a.astype(np.int32) - p) @ (b.astype(np.int32) - q))


case("`linalg.winograd_filter_transform`, `winograd_input_transform`, `winograd_output_transform`",
     "a convolution by F(4, 3)", """
func.func @main(%x: tensor<1x10x10x3xf32>, %w: tensor<2x3x3x3xf32>) -> tensor<1x8x8x2xf32> {
  %e0 = tensor.empty() : tensor<6x6x3x2xf32>
  %f = linalg.winograd_filter_transform fmr(F_4_3) ins(%w : tensor<2x3x3x3xf32>) outs(%e0 : tensor<6x6x3x2xf32>) -> tensor<6x6x3x2xf32>
  %e1 = tensor.empty() : tensor<6x6x2x2x1x3xf32>
  %i = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<1x10x10x3xf32>) outs(%e1 : tensor<6x6x2x2x1x3xf32>) -> tensor<6x6x2x2x1x3xf32>
  %c0 = tensor.collapse_shape %f [[0, 1], [2], [3]] : tensor<6x6x3x2xf32> into tensor<36x3x2xf32>
  %c1 = tensor.collapse_shape %i [[0, 1], [2, 3, 4], [5]] : tensor<6x6x2x2x1x3xf32> into tensor<36x4x3xf32>
  %z = arith.constant dense<0.0> : tensor<36x4x2xf32>
  %m = linalg.batch_matmul ins(%c1, %c0 : tensor<36x4x3xf32>, tensor<36x3x2xf32>) outs(%z : tensor<36x4x2xf32>) -> tensor<36x4x2xf32>
  %o = tensor.expand_shape %m [[0, 1], [2, 3, 4], [5]] output_shape [6, 6, 2, 2, 1, 2] : tensor<36x4x2xf32> into tensor<6x6x2x2x1x2xf32>
  %zz = arith.constant dense<0.0> : tensor<1x8x8x2xf32>
  %r = linalg.winograd_output_transform fmr(F_4_3) ins(%o : tensor<6x6x2x2x1x2xf32>) outs(%zz : tensor<1x8x8x2xf32>) -> tensor<1x8x8x2xf32>
  return %r : tensor<1x8x8x2xf32>
}""", [floats(1, 10, 10, 3), floats(2, 3, 3, 3)],
     lambda x, w: conv(x.transpose(0, 3, 1, 2),
                       w.transpose(0, 3, 1, 2)).transpose(0, 2, 3, 1))


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


case("`linalg.softmax`", "along the last dimension", """
func.func @main(%x: tensor<5x33xf32>) -> tensor<5x33xf32> {
  %e = tensor.empty() : tensor<5x33xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<5x33xf32>) outs(%e : tensor<5x33xf32>) -> tensor<5x33xf32>
  return %r : tensor<5x33xf32>
}""", [floats(5, 33)], lambda x: softmax(x, 1))
case("`linalg.softmax`", "dynamic, along a middle dimension", """
func.func @main(%x: tensor<2x?x3xf32>) -> tensor<2x?x3xf32> {
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c1 : tensor<2x?x3xf32>
  %e = tensor.empty(%d) : tensor<2x?x3xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<2x?x3xf32>) outs(%e : tensor<2x?x3xf32>) -> tensor<2x?x3xf32>
  return %r : tensor<2x?x3xf32>
}""", [floats(2, 100, 3)], lambda x: softmax(x, 1))


def pack(x, tiles, value=0.0):
    rows, columns = (math.ceil(n / t) for n, t in zip(x.shape, tiles))
    whole = np.full((rows * tiles[0], columns * tiles[1]), value, x.dtype)
    whole[:x.shape[0], :x.shape[1]] = x
    return whole.reshape(rows, tiles[0], columns, tiles[1]).transpose(0, 2, 1, 3)


case("`linalg.pack`", "whole tiles, in another order", """
func.func @main(%x: tensor<8x12xf32>) -> tensor<3x2x4x4xf32> {
  %e = tensor.empty() : tensor<3x2x4x4xf32>
  %r = linalg.pack %x outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<8x12xf32> -> tensor<3x2x4x4xf32>
  return %r : tensor<3x2x4x4xf32>
}""", [floats(8, 12)], lambda x: pack(x, (4, 4)).transpose(1, 0, 2, 3))
case("`linalg.pack`", "padded tiles", """
func.func @main(%x: tensor<7x10xf32>) -> tensor<2x3x4x4xf32> {
  %v = arith.constant 1.5 : f32
  %e = tensor.empty() : tensor<2x3x4x4xf32>
  %r = linalg.pack %x padding_value(%v : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<7x10xf32> -> tensor<2x3x4x4xf32>
  return %r : tensor<2x3x4x4xf32>
}""", [floats(7, 10)], lambda x: pack(x, (4, 4), 1.5))
case("`linalg.pack`", "dynamic sizes", """
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?x4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant -1.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %p = arith.ceildivsi %m, %c4 : index
  %q = arith.ceildivsi %n, %c8 : index
  %e = tensor.empty(%p, %q) : tensor<?x?x4x8xf32>
  %r = linalg.pack %x padding_value(%v : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %e : tensor<?x?xf32> -> tensor<?x?x4x8xf32>
  return %r : tensor<?x?x4x8xf32>
}""", [floats(7, 21)], lambda x: pack(x, (4, 8), -1.0))
case("`linalg.unpack`", "a part of the last tile", """
func.func @main(%x: tensor<2x3x4x4xf32>) -> tensor<7x10xf32> {
  %e = tensor.empty() : tensor<7x10xf32>
  %r = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<2x3x4x4xf32> -> tensor<7x10xf32>
  return %r : tensor<7x10xf32>
}""", [floats(2, 3, 4, 4)],
     lambda x: x.transpose(0, 2, 1, 3).reshape(8, 12)[:7, :10])
case("`linalg.unpack`", "dynamic sizes", """
func.func @main(%x: tensor<?x?x4x8xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %y : tensor<?x?x4x8xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}""", [floats(2, 3, 4, 8), floats(7, 20)],
     lambda x, y: x.transpose(0, 2, 1, 3).reshape(8, 24)[:7, :20])
