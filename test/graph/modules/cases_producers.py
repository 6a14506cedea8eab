"""Small networks in the words of those who write such modules."""

import numpy as np

from cases import case, floats, integers

case("whole modules", "an embedding and a normalization, as torch-mlir writes them", """
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map3 = affine_map<(d0, d1, d2) -> (d2)>
module attributes {torch.debug_module_name = "M"} {
  func.func @forward(%ids: tensor<?x?xi64>, %w: tensor<20x8xf32>, %g: tensor<8xf32>) -> tensor<?x?x8xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c0_i64 = arith.constant 0 : i64
    %c20_i64 = arith.constant 20 : i64
    %z = arith.constant 0.0 : f32
    %eight = arith.constant 8.0 : f32
    %eps = arith.constant 1.0e-5 : f64
    %d0 = tensor.dim %ids, %c0 : tensor<?x?xi64>
    %d1 = tensor.dim %ids, %c1 : tensor<?x?xi64>
    %e = tensor.empty(%d0, %d1) : tensor<?x?x8xf32>
    %x = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<?x?xi64>) outs(%e : tensor<?x?x8xf32>) {
    ^bb0(%in: i64, %out: f32):
      %i = arith.index_cast %in : i64 to index
      %j = linalg.index 2 : index
      %lt = arith.cmpi slt, %in, %c20_i64 : i64
      cf.assert %lt, "index must be smaller than dim size"
      %ge = arith.cmpi sge, %in, %c0_i64 : i64
      cf.assert %ge, "index must be larger or equal to 0"
      %v = tensor.extract %w[%i, %j] : tensor<20x8xf32>
      linalg.yield %v : f32
    } -> tensor<?x?x8xf32>
    %e1 = tensor.empty(%d0, %d1) : tensor<?x?x1xf32>
    %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
    %s = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<?x?x8xf32>) outs(%f1 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %v = arith.addf %in, %out : f32
      linalg.yield %v : f32
    } -> tensor<?x?x1xf32>
    %m = linalg.generic {indexing_maps = [#map2, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<?x?x1xf32>) outs(%e1 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %v = arith.divf %in, %eight : f32
      linalg.yield %v : f32
    } -> tensor<?x?x1xf32>
    %c = linalg.generic {indexing_maps = [#map1, #map2, #map3, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %m, %g : tensor<?x?x8xf32>, tensor<?x?x1xf32>, tensor<8xf32>) outs(%e : tensor<?x?x8xf32>) {
    ^bb0(%in: f32, %mean: f32, %gamma: f32, %out: f32):
      %t = arith.truncf %eps : f64 to f32
      %v = arith.subf %in, %mean : f32
      %u = arith.addf %v, %t : f32
      %y = arith.mulf %u, %gamma : f32
      linalg.yield %y : f32
    } -> tensor<?x?x8xf32>
    return %c : tensor<?x?x8xf32>
  }
}""", [integers(2, 5, low=0, high=20, dtype=np.int64), floats(20, 8), floats(8)],
     lambda ids, w, g: centered(w[ids]) * g)


def centered(x):
    return x - x.mean(-1, keepdims=True) + np.float32(1e-5)


# Rows of a batch, a matrix product, a bias by broadcast, a clamp: the shapes are
# arithmetic on i32, as StableHLO has them.
case("whole modules", "a layer with a dynamic batch, as StableHLO's lowering writes it", """
func.func @main(%x: tensor<?x3x4xf32>, %w: tensor<12x5xf32>, %b: tensor<5xf32>) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %c1_i32 = arith.constant 1 : i32
  %c12_i32 = arith.constant 12 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x3x4xf32>
  %n = arith.index_cast %d : index to i32
  %m = arith.muli %n, %c1_i32 : i32
  %s = tensor.from_elements %m, %c12_i32 : tensor<2xi32>
  %r = tensor.reshape %x(%s) : (tensor<?x3x4xf32>, tensor<2xi32>) -> tensor<?x12xf32>
  %e = tensor.empty(%d) : tensor<?x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x5xf32>) -> tensor<?x5xf32>
  %p = linalg.matmul ins(%r, %w : tensor<?x12xf32>, tensor<12x5xf32>) outs(%f : tensor<?x5xf32>) -> tensor<?x5xf32>
  %q = linalg.broadcast ins(%b : tensor<5xf32>) outs(%e : tensor<?x5xf32>) dimensions = [0]
  %a = linalg.map { arith.addf } ins(%p, %q : tensor<?x5xf32>, tensor<?x5xf32>) outs(%e : tensor<?x5xf32>)
  %k = tensor.extract %cst[] : tensor<f32>
  %z = tensor.splat %k[%d] : tensor<?x5xf32>
  %o = linalg.map { arith.maximumf } ins(%a, %z : tensor<?x5xf32>, tensor<?x5xf32>) outs(%e : tensor<?x5xf32>)
  return %o : tensor<?x5xf32>
}""", [floats(7, 3, 4), floats(12, 5), floats(5)],
     lambda x, w, b: np.maximum(x.reshape(7, 12) @ w + b, 0))


def stored(x, r):
    total = (x + r).sum(1)
    return x + r, total, (x + r) - total[:, None]


def stored_text(m, n, sizes):
    """A sum, the totals of its rows and what is left without them."""
    return f"""
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<{m}x{n}xf32>, %r: tensor<{m}x{n}xf32>) -> (tensor<{m}x{n}xf32>, tensor<{m}xf32>, tensor<{m}x{n}xf32>) {{
  %zero = arith.constant 0.0 : f32
  {sizes[0]}
  %e = tensor.empty({sizes[1]}) : tensor<{m}x{n}xf32>
  %f = tensor.empty({sizes[2]}) : tensor<{m}xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<{m}xf32>) -> tensor<{m}xf32>
  %h = linalg.add ins(%x, %r : tensor<{m}x{n}xf32>, tensor<{m}x{n}xf32>) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %s = linalg.reduce {{ arith.addf }} ins(%h : tensor<{m}x{n}xf32>) outs(%z : tensor<{m}xf32>) dimensions = [1]
  %y = linalg.generic {{indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%h, %s : tensor<{m}x{n}xf32>, tensor<{m}xf32>) outs(%e : tensor<{m}x{n}xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %v = arith.subf %p, %q : f32
    linalg.yield %v : f32
  }} -> tensor<{m}x{n}xf32>
  return %h, %s, %y : tensor<{m}x{n}xf32>, tensor<{m}xf32>, tensor<{m}x{n}xf32>
}}"""


case("whole modules", "values on the way to a result that are results too",
     stored_text(33, 70, ("", "", "")), [floats(33, 70), floats(33, 70, seed=1)],
     stored)

case("whole modules", "the same of rows whose length is not known",
     stored_text("?", "?", ("""%c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>""", "%m, %n", "%m")),
     [floats(70, 333), floats(70, 333, seed=1)], stored)


def activated(x, y, r):
    both = np.concatenate([np.maximum(x, 0), -y], 1)
    return np.maximum(both + r, 0), both.shape[1] - both[:, :1]


case("whole modules", "an activation of a concatenation of computed parts", """
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<9x70xf32>, %y: tensor<9x5xf32>, %r: tensor<75xf32>) -> (tensor<9x75xf32>, tensor<9x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %width = arith.constant 75.0 : f32
  %e = tensor.empty() : tensor<9x70xf32>
  %f = tensor.empty() : tensor<9x5xf32>
  %g = tensor.empty() : tensor<9x75xf32>
  %w = tensor.empty() : tensor<9x1xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<9x70xf32>) -> tensor<9x70xf32>
  %a = linalg.max ins(%x, %z : tensor<9x70xf32>, tensor<9x70xf32>) outs(%e : tensor<9x70xf32>) -> tensor<9x70xf32>
  %b = linalg.negf ins(%y : tensor<9x5xf32>) outs(%f : tensor<9x5xf32>) -> tensor<9x5xf32>
  %c = tensor.concat dim(1) %a, %b : (tensor<9x70xf32>, tensor<9x5xf32>) -> tensor<9x75xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %r : tensor<9x75xf32>, tensor<75xf32>) outs(%g : tensor<9x75xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.maximumf %s, %zero : f32
    linalg.yield %t : f32
  } -> tensor<9x75xf32>
  %h = tensor.extract_slice %a[0, 0] [9, 1] [1, 1] : tensor<9x70xf32> to tensor<9x1xf32>
  %k = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<9x1xf32>) outs(%w : tensor<9x1xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.subf %width, %p : f32
    linalg.yield %s : f32
  } -> tensor<9x1xf32>
  return %d, %k : tensor<9x75xf32>, tensor<9x1xf32>
}""", [floats(9, 70), floats(9, 5), floats(75)], activated)
