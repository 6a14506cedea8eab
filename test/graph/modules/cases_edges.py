"""Numbers at the ends of 64 bits, sums in narrow integers, and numbers that are
made of sizes outside of a body."""

import numpy as np

from cases import case, floats, integers

TOP = 2**63 - 1

STRIDE = f"""
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %y = tensor.extract_slice %x[0] [%d] [{TOP}] : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %z = linalg.negf ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}}"""
case("`tensor.extract_slice`", "a stride of 2^63 - 1, one element", STRIDE,
     [floats(1)], lambda x: -x)
case("`tensor.extract_slice`", "a stride of 2^63 - 1, of nothing", STRIDE,
     [floats(0)], lambda x: -x)
case("`tensor.extract_slice`", "strides of 1 - 2^63 and 2^63 - 1, static", f"""
func.func @main(%x: tensor<3xf32>, %y: tensor<?xf32>) -> (tensor<1xf32>, tensor<1xf32>) {{
  %a = tensor.extract_slice %x[1] [1] [{TOP}] : tensor<3xf32> to tensor<1xf32>
  %b = tensor.extract_slice %y[2] [1] [{-TOP}] : tensor<?xf32> to tensor<1xf32>
  %c = math.absf %a : tensor<1xf32>
  %d = math.absf %b : tensor<1xf32>
  return %c, %d : tensor<1xf32>, tensor<1xf32>
}}""", [floats(3), floats(4)], lambda x, y: (abs(x[1:2]), abs(y[2:3])))
case("`tensor.pad`", "by 1 - 2^63 and 2^63 - 1", f"""
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %c = arith.constant 0.5 : f32
  %z = tensor.pad %x low[{-TOP}] high[{TOP}] {{
  ^bb0(%i: index):
    tensor.yield %c : f32
  }} : tensor<?xf32> to tensor<?xf32>
  return %z : tensor<?xf32>
}}""", [floats(3)], lambda x: np.full(3, .5, np.float32))
SUBSCRIPT = f"""
#times = affine_map<(d0) -> (d0 * {TOP})>
#plain = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {{
  %r = linalg.generic {{indexing_maps = [#times, #plain], iterator_types = ["parallel"]}} ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {{
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }} -> tensor<?xf32>
  return %r : tensor<?xf32>
}}"""
case("`linalg.generic`", "a subscript of a loop times 2^63 - 1, over one point",
     SUBSCRIPT, [floats(3), floats(1)], lambda x, y: x[:1])
WINDOW = f"""
func.func @main(%x: tensor<1x1x?xf32>, %w: tensor<1x1x2xf32>, %y: tensor<1x1x?xf32>) -> tensor<1x1x?xf32> {{
  %r = linalg.conv_1d_ncw_fcw {{strides = dense<{TOP}> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}} ins(%x, %w : tensor<1x1x?xf32>, tensor<1x1x2xf32>) outs(%y : tensor<1x1x?xf32>) -> tensor<1x1x?xf32>
  return %r : tensor<1x1x?xf32>
}}"""
case("`linalg.conv_1d_ncw_fcw`", "a stride of 2^63 - 1, one window", WINDOW,
     [floats(1, 1, 5), floats(1, 1, 2), floats(1, 1, 1)],
     lambda x, w, y: y + np.sum(x[:, :, :2] * w))


def products(op, shapes, element, out, dtypes):
    """A product whose sums wrap, from an argument on."""
    types = [f"tensor<{'x'.join([*map(str, shape), kind])}>"
             for shape, kind in zip(shapes, (element, element, out))]
    inputs = [integers(*shape, low=np.iinfo(dtype).min,
                       high=np.iinfo(dtype).max, dtype=dtype, seed=seed)
              for seed, (shape, dtype) in enumerate(zip(shapes, dtypes))]
    case(f"`linalg.{op}`", f"{element} into {out}", f"""
func.func @main(%x: {types[0]}, %y: {types[1]}, %z: {types[2]}) -> {types[2]} {{
  %r = linalg.{op} ins(%x, %y : {types[0]}, {types[1]}) outs(%z : {types[2]}) -> {types[2]}
  return %r : {types[2]}
}}""", inputs, lambda x, y, z: (x.astype(np.int64) @ y.astype(np.int64) +
                               z).astype(z.dtype))


BYTE, WORD = np.int8, np.int16
for shapes in [[(5, 40), (40, 7), (5, 7)]]:
    products("matmul", shapes, "i8", "i8", (BYTE, BYTE, BYTE))
    products("matmul", shapes, "i16", "i16", (WORD, WORD, WORD))
    products("matmul", shapes, "i8", "i16", (BYTE, BYTE, WORD))
products("batch_matmul", [(2, 9, 33), (2, 33, 4), (2, 9, 4)], "i8", "i8",
         (BYTE, BYTE, BYTE))
products("matvec", [(9, 33), (33,), (9,)], "i16", "i16", (WORD, WORD, WORD))
case("`linalg.matmul`", "f8E4M3FN into itself", """
func.func @main(%x: tensor<2x3xf8E4M3FN>, %y: tensor<3x2xf8E4M3FN>, %z: tensor<2x2xf8E4M3FN>) -> tensor<2x2xf8E4M3FN> {
  %r = linalg.matmul ins(%x, %y : tensor<2x3xf8E4M3FN>, tensor<3x2xf8E4M3FN>) outs(%z : tensor<2x2xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>
  return %r : tensor<2x2xf8E4M3FN>
}""", [np.full((2, 3), 0x38, np.uint8), np.full((3, 2), 0x38, np.uint8),
       np.zeros((2, 2), np.uint8)],
     lambda x, y, z: np.full((2, 2), 0x44, np.uint8))  # 1 * 1 three times: 3

case("`linalg.generic`", "a float made of a size outside of it: a mean", """
#plain = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = arith.index_cast %n : index to i64
  %f = arith.sitofp %i : i64 to f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %o = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%o : tensor<?xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#plain, #plain], iterator_types = ["parallel"]} ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %f : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}""", [floats(3, 4)], lambda x: x.mean(axis=1))
case("`linalg.generic`", "floats made of sizes, as scalar operands", """
#plain = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %p = arith.muli %m, %n : index
  %i = arith.index_castui %p : index to i64
  %f = arith.sitofp %i : i64 to f64
  %g = arith.truncf %f : f64 to f32
  %h = math.sqrt %g : f32
  %j = arith.index_cast %m : index to i32
  %k = arith.uitofp %j : i32 to f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [#plain, #none, #none, #plain], iterator_types = ["parallel", "parallel"]} ins(%x, %h, %k : tensor<?x?xf32>, f32, f32) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %q = arith.divf %a, %b : f32
    %s = arith.addf %q, %c : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}""", [floats(3, 4)], lambda x: x / np.float32(np.sqrt(12)) + np.float32(3))
case("`linalg.fill`", "a float made of a size", """
func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<2xf32>, tensor<2xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %i = arith.index_cast %m : index to i32
  %f = arith.sitofp %i : i32 to f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %o = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = arith.mulf %o, %x : tensor<?xf32>
  %s = tensor.splat %f : tensor<2xf32>
  %t = tensor.from_elements %f, %f : tensor<2xf32>
  %u = tensor.pad %x low[1] high[1] {
  ^bb0(%j: index):
    tensor.yield %f : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r, %s, %t, %u : tensor<?xf32>, tensor<2xf32>, tensor<2xf32>, tensor<?xf32>
}""", [floats(3)],
     lambda x: (3 * x, np.full(2, 3, np.float32), np.full(2, 3, np.float32),
                np.pad(x, 1, constant_values=3)))
