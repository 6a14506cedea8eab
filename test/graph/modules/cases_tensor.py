"""The ops of the tensor dialect; arith and math on tensors."""

import numpy as np

from cases import case, floats, integers

case("`tensor.expand_shape`, `collapse_shape`", "static, before and after an op", """
func.func @main(%x: tensor<12x5xf32>) -> tensor<20x3xf32> {
  %a = tensor.expand_shape %x [[0, 1], [2]] output_shape [4, 3, 5] : tensor<12x5xf32> into tensor<4x3x5xf32>
  %e = tensor.empty() : tensor<4x5x3xf32>
  %t = linalg.transpose ins(%a : tensor<4x3x5xf32>) outs(%e : tensor<4x5x3xf32>) permutation = [0, 2, 1]
  %b = tensor.collapse_shape %t [[0, 1], [2]] : tensor<4x5x3xf32> into tensor<20x3xf32>
  %r = arith.negf %b : tensor<20x3xf32>
  return %r : tensor<20x3xf32>
}""", [floats(12, 5)],
     lambda x: -x.reshape(4, 3, 5).transpose(0, 2, 1).reshape(20, 3))
case("`tensor.expand_shape`, `collapse_shape`", "dynamic sizes", """
func.func @main(%x: tensor<?x6xf32>, %y: tensor<?x?x4xf32>) -> (tensor<?x2x3xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x6xf32>
  %a = tensor.expand_shape %x [[0], [1, 2]] output_shape [%d, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
  %b = math.exp %a : tensor<?x2x3xf32>
  %c = tensor.collapse_shape %y [[0, 1], [2]] : tensor<?x?x4xf32> into tensor<?x4xf32>
  %e = arith.addf %c, %c : tensor<?x4xf32>
  return %b, %e : tensor<?x2x3xf32>, tensor<?x4xf32>
}""", [floats(7, 6), floats(3, 5, 4)],
     lambda x, y: (np.exp(x.reshape(7, 2, 3)), 2 * y.reshape(15, 4)))
case("`tensor.expand_shape`, `collapse_shape`", "a dynamic dimension in two parts", """
func.func @main(%x: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %n = arith.divsi %d, %c4 : index
  %a = tensor.expand_shape %x [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  %b = math.absf %a : tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}""", [floats(24)], lambda x: np.abs(x.reshape(6, 4)))
case("`tensor.expand_shape`, `collapse_shape`", "units, to and from no dimensions, of a constant", """
func.func @main(%x: tensor<5xf32>) -> (tensor<1x5x1xf32>, tensor<f32>) {
  %c = arith.constant dense<[[1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<5x1xf32>
  %d = tensor.collapse_shape %c [[0, 1]] : tensor<5x1xf32> into tensor<5xf32>
  %s = arith.addf %x, %d : tensor<5xf32>
  %a = tensor.expand_shape %s [[0, 1, 2]] output_shape [1, 5, 1] : tensor<5xf32> into tensor<1x5x1xf32>
  %p = tensor.extract_slice %x[2] [1] [1] : tensor<5xf32> to tensor<1xf32>
  %q = tensor.collapse_shape %p [] : tensor<1xf32> into tensor<f32>
  return %a, %q : tensor<1x5x1xf32>, tensor<f32>
}""", [floats(5)],
     lambda x: ((x + np.arange(1, 6, dtype=np.float32)).reshape(1, 5, 1),
                x[2].reshape(())))
case("`tensor.reshape`", "a shape of constants, of sizes", """
func.func @main(%x: tensor<?x4xf32>, %y: tensor<2x6xf32>) -> (tensor<?xf32>, tensor<3x4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %n = arith.muli %d, %c4 : index
  %s = tensor.from_elements %n : tensor<1xindex>
  %a = tensor.reshape %x(%s) : (tensor<?x4xf32>, tensor<1xindex>) -> tensor<?xf32>
  %t = arith.constant dense<[3, 4]> : tensor<2xi64>
  %b = tensor.reshape %y(%t) : (tensor<2x6xf32>, tensor<2xi64>) -> tensor<3x4xf32>
  %c = arith.negf %a : tensor<?xf32>
  %e = arith.negf %b : tensor<3x4xf32>
  return %c, %e : tensor<?xf32>, tensor<3x4xf32>
}""", [floats(3, 4), floats(2, 6)],
     lambda x, y: (-x.reshape(12), -y.reshape(3, 4)))
case("`tensor.extract_slice`", "strides, a dropped dimension, dynamic sizes", """
func.func @main(%x: tensor<9x8x?xf32>, %y: tensor<?xf32>) -> (tensor<4x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d = tensor.dim %x, %c2 : tensor<9x8x?xf32>
  %m = arith.subi %d, %c1 : index
  %a = tensor.extract_slice %x[1, 3, 1] [4, 1, %m] [2, 1, 1] : tensor<9x8x?xf32> to tensor<4x?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %h = arith.floordivsi %n, %c2 : index
  %b = tensor.extract_slice %y[%h] [%h] [1] : tensor<?xf32> to tensor<?xf32>
  return %a, %b : tensor<4x?xf32>, tensor<?xf32>
}""", [floats(9, 8, 5), floats(11)], lambda x, y: (x[1:8:2, 3, 1:], y[5:10]))
case("`tensor.extract_slice`", "an offset that depends on data", """
func.func @main(%x: tensor<9x8xf32>, %n: tensor<i64>) -> tensor<3x8xf32> {
  %v = tensor.extract %n[] : tensor<i64>
  %i = arith.index_cast %v : i64 to index
  %a = tensor.extract_slice %x[%i, 0] [3, 8] [1, 1] : tensor<9x8xf32> to tensor<3x8xf32>
  return %a : tensor<3x8xf32>
}""", [floats(9, 8), np.int64(4).reshape(())], lambda x, n: x[4:7])
case("`tensor.extract_slice`", "backwards", """
func.func @main(%x: tensor<9xf32>) -> tensor<5xf32> {
  %a = tensor.extract_slice %x[8] [5] [-2] : tensor<9xf32> to tensor<5xf32>
  return %a : tensor<5xf32>
}""", [floats(9)], lambda x: x[::-2])
case("`tensor.insert_slice`", "into an argument, with units dropped", """
func.func @main(%x: tensor<3x4xf32>, %y: tensor<6x2x9xf32>) -> tensor<6x2x9xf32> {
  %r = tensor.insert_slice %x into %y[2, 1, 3] [3, 1, 4] [1, 1, 1] : tensor<3x4xf32> into tensor<6x2x9xf32>
  return %r : tensor<6x2x9xf32>
}""", [floats(3, 4), floats(6, 2, 9)], lambda x, y: inserted(
         y, (slice(2, 5), 1, slice(3, 7)), x))
case("`tensor.insert_slice`", "with strides, into zeros", """
func.func @main(%x: tensor<3x4xf32>) -> tensor<6x11xf32> {
  %z = arith.constant dense<0.0> : tensor<6x11xf32>
  %r = tensor.insert_slice %x into %z[0, 1] [3, 4] [2, 3] : tensor<3x4xf32> into tensor<6x11xf32>
  return %r : tensor<6x11xf32>
}""", [floats(3, 4)], lambda x: inserted(
         np.zeros((6, 11), np.float32), (slice(0, 6, 2), slice(1, 11, 3)), x))
case("`tensor.insert_slice`", "several into an empty tensor: a concatenation", """
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %n = tensor.dim %y, %c0 : tensor<?x4xf32>
  %s = arith.addi %m, %n : index
  %e = tensor.empty(%s) : tensor<?x4xf32>
  %a = tensor.insert_slice %x into %e[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %b = tensor.insert_slice %y into %a[%m, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %b : tensor<?x4xf32>
}""", [floats(3, 4), floats(5, 4)], lambda x, y: np.concatenate([x, y]))
case("`tensor.insert_slice`", "where data says", """
func.func @main(%x: tensor<2xf32>, %y: tensor<9xf32>, %n: index) -> tensor<9xf32> {
  %r = tensor.insert_slice %x into %y[%n] [2] [1] : tensor<2xf32> into tensor<9xf32>
  return %r : tensor<9xf32>
}""", [floats(2), floats(9), np.int64(5).reshape(())],
     lambda x, y, n: inserted(y, slice(5, 7), x))


def inserted(y, where, x):
    y = y.copy()
    y[where] = x
    return y


case("`tensor.generate`", "from the indices, dynamic", """
func.func @main(%x: tensor<?xf32>) -> tensor<?x3xi32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %r = tensor.generate %d {
  ^bb0(%i: index, %j: index):
    %k = arith.muli %i, %i : index
    %l = arith.addi %k, %j : index
    %m = arith.index_cast %l : index to i32
    tensor.yield %m : i32
  } : tensor<?x3xi32>
  return %r : tensor<?x3xi32>
}""", [floats(6)], lambda x: np.add.outer(np.arange(6) ** 2,
                                          np.arange(3)).astype(np.int32))
case("`tensor.splat`", "a constant, an argument, dynamic", """
func.func @main(%s: f32, %x: tensor<?xf32>) -> (tensor<2x3xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c = arith.constant 1.25 : f32
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %a = tensor.splat %c : tensor<2x3xf32>
  %b = tensor.splat %s[%d] : tensor<?xf32>
  return %a, %b : tensor<2x3xf32>, tensor<?xf32>
}""", [np.float32(7).reshape(()), floats(4)],
     lambda s, x: (np.full((2, 3), 1.25, np.float32), np.full(4, 7, np.float32)))
case("`tensor.from_elements`", "constants, arguments, elements of tensors", """
func.func @main(%s: f32, %x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<3xi64>, tensor<f32>) {
  %c2 = arith.constant 2 : index
  %c = arith.constant 1.25 : f32
  %e = tensor.extract %x[%c2] : tensor<4xf32>
  %p = arith.mulf %e, %s : f32
  %a = tensor.from_elements %s, %c, %e, %p : tensor<2x2xf32>
  %k0 = arith.constant 5 : i64
  %k1 = arith.constant 6 : i64
  %k2 = arith.constant 7 : i64
  %b = tensor.from_elements %k0, %k1, %k2 : tensor<3xi64>
  %f = tensor.from_elements %p : tensor<f32>
  return %a, %b, %f : tensor<2x2xf32>, tensor<3xi64>, tensor<f32>
}""", [np.float32(7).reshape(()), floats(4)], lambda s, x: (
         np.array([[s, 1.25], [x[2], x[2] * s]], np.float32),
         np.array([5, 6, 7]), (x[2] * s).reshape(())))
case("`tensor.extract`, `insert`", "one element, where constants and data say", """
func.func @main(%x: tensor<4x5xf32>, %n: tensor<i32>) -> tensor<4x5xf32> {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %v = tensor.extract %n[] : tensor<i32>
  %i = arith.index_cast %v : i32 to index
  %a = tensor.extract %x[%c1, %i] : tensor<4x5xf32>
  %b = math.sqrt %a : f32
  %r = tensor.insert %b into %x[%i, %c3] : tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}""", [np.abs(floats(4, 5)), np.int32(2).reshape(())],
     lambda x, n: inserted(x, (2, 3), np.sqrt(x[1, 2])))
case("`tensor.pad`", "a constant; dynamic; an argument; by index", """
func.func @main(%x: tensor<3x4xf32>, %y: tensor<?xf32>, %s: f32) -> (tensor<6x6xf32>, tensor<?xf32>, tensor<5x4xf32>, tensor<?xi32>) {
  %c = arith.constant 9.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %a = tensor.pad %x low[1, 0] high[2, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<3x4xf32> to tensor<6x6xf32>
  %b = tensor.pad %y low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<?xf32>
  %d = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %s : f32
  } : tensor<3x4xf32> to tensor<5x4xf32>
  %k = arith.fptosi %y : tensor<?xf32> to tensor<?xi32>
  %e = tensor.pad %k low[2] high[3] {
  ^bb0(%i: index):
    %l = arith.index_cast %i : index to i32
    tensor.yield %l : i32
  } : tensor<?xi32> to tensor<?xi32>
  return %a, %b, %d, %e : tensor<6x6xf32>, tensor<?xf32>, tensor<5x4xf32>, tensor<?xi32>
}""", [floats(3, 4), floats(5), np.float32(-3).reshape(())],
     lambda x, y, s: (np.pad(x, [(1, 2), (0, 2)], constant_values=9),
                      np.pad(y, [(5, 1)], constant_values=9),
                      np.pad(x, [(1, 1), (0, 0)], constant_values=-3),
                      np.concatenate([[0, 1], y.astype(np.int32), [7, 8, 9]])
                      .astype(np.int32)))
case("`tensor.concat`", "three inputs, one empty, dynamic", """
func.func @main(%x: tensor<2x?xf32>, %y: tensor<2x0xf32>, %z: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %a = arith.negf %z : tensor<2x?xf32>
  %r = tensor.concat dim(1) %x, %y, %a : (tensor<2x?xf32>, tensor<2x0xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}""", [floats(2, 3), floats(2, 0), floats(2, 70)],
     lambda x, y, z: np.concatenate([x, -z], 1))
case("`tensor.concat`", "a rotary embedding by halves", """
func.func @main(%x: tensor<?x64xf32>, %c: tensor<?x32xf32>, %s: tensor<?x32xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %cc = tensor.concat dim(1) %c, %c : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  %ss = tensor.concat dim(1) %s, %s : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  %l = tensor.extract_slice %x[0, 0] [%n, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %h = tensor.extract_slice %x[0, 32] [%n, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %m = arith.negf %h : tensor<?x32xf32>
  %r = tensor.concat dim(1) %m, %l : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x64xf32>
  %p = arith.mulf %x, %cc : tensor<?x64xf32>
  %q = arith.mulf %r, %ss : tensor<?x64xf32>
  %y = arith.addf %p, %q : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}""", [floats(7, 64), floats(7, 32), floats(7, 32)],
     lambda x, c, s: x * np.tile(c, 2) + np.tile(s, 2) * np.concatenate(
         [-x[:, 32:], x[:, :32]], 1))
case("`tensor.concat`", "tiles that end where each input ends", """
func.func @main(%x: tensor<2x150x64xf32>, %y: tensor<2x7x64xf32>, %z: tensor<2x131x64xf32>) -> (tensor<2x300x64xf32>, tensor<2x262x64xf32>, tensor<2x307x64xf32>) {
  %a = arith.negf %x : tensor<2x150x64xf32>
  %b = arith.negf %z : tensor<2x131x64xf32>
  %r = tensor.concat dim(1) %a, %x : (tensor<2x150x64xf32>, tensor<2x150x64xf32>) -> tensor<2x300x64xf32>
  %p = tensor.concat dim(1) %b, %z : (tensor<2x131x64xf32>, tensor<2x131x64xf32>) -> tensor<2x262x64xf32>
  %q = tensor.concat dim(1) %x, %y, %x : (tensor<2x150x64xf32>, tensor<2x7x64xf32>, tensor<2x150x64xf32>) -> tensor<2x307x64xf32>
  return %r, %p, %q : tensor<2x300x64xf32>, tensor<2x262x64xf32>, tensor<2x307x64xf32>
}""", [floats(2, 150, 64), floats(2, 7, 64), floats(2, 131, 64)],
     lambda x, y, z: (np.concatenate([-x, x], 1), np.concatenate([-z, z], 1),
                      np.concatenate([x, y, x], 1)))
case("`tensor.cast`, `dim`, `rank`, `empty`", "between static and dynamic", """
func.func @main(%x: tensor<?x4xf32>) -> (tensor<3x?xf32>, tensor<i64>) {
  %a = tensor.cast %x : tensor<?x4xf32> to tensor<3x?xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x4xf32>
  %k = tensor.rank %x : tensor<?x4xf32>
  %s = arith.addi %d, %k : index
  %i = arith.index_cast %s : index to i64
  %t = tensor.from_elements %i : tensor<i64>
  %r = arith.negf %a : tensor<3x?xf32>
  return %r, %t : tensor<3x?xf32>, tensor<i64>
}""", [floats(3, 4)], lambda x: (-x, np.int64(5).reshape(())))
case("`tensor.bitcast`", "f32 as i32", """
func.func @main(%x: tensor<?xf32>) -> tensor<?xi32> {
  %r = tensor.bitcast %x : tensor<?xf32> to tensor<?xi32>
  return %r : tensor<?xi32>
}""", [floats(9)], lambda x: x.view(np.int32))
case("`tensor.gather`", "rows; elements", """
func.func @main(%x: tensor<7x5xf32>, %n: tensor<3x1xi64>, %m: tensor<2x2x2xi32>) -> (tensor<3x5xf32>, tensor<3x1x5xf32>, tensor<2x2xf32>) {
  %a = tensor.gather %x[%n] gather_dims([0]) : (tensor<7x5xf32>, tensor<3x1xi64>) -> tensor<3x5xf32>
  %b = tensor.gather %x[%n] gather_dims([0]) : (tensor<7x5xf32>, tensor<3x1xi64>) -> tensor<3x1x5xf32>
  %c = tensor.gather %x[%m] gather_dims([0, 1]) : (tensor<7x5xf32>, tensor<2x2x2xi32>) -> tensor<2x2xf32>
  return %a, %b, %c : tensor<3x5xf32>, tensor<3x1x5xf32>, tensor<2x2xf32>
}""", [floats(7, 5), integers(3, 1, low=0, high=7, dtype=np.int64),
       integers(2, 2, 2, low=0, high=5)],
     lambda x, n, m: (x[n[:, 0]], x[n], x[m[..., 0], m[..., 1]]))
case("`tensor.scatter`", "rows", """
func.func @main(%x: tensor<2x5xf32>, %y: tensor<7x5xf32>, %n: tensor<2x1xi64>) -> tensor<7x5xf32> {
  %a = tensor.scatter %x into %y[%n] scatter_dims([0]) unique : (tensor<2x5xf32>, tensor<7x5xf32>, tensor<2x1xi64>) -> tensor<7x5xf32>
  return %a : tensor<7x5xf32>
}""", [floats(2, 5), floats(7, 5), np.array([[4], [1]])],
     lambda x, y, n: inserted(y, n[:, 0], x))
case("`arith` and `math` on tensors", "with dense constants", """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  %c = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %a = arith.mulf %x, %c : tensor<2x3xf32>
  %b = math.fma %a, %y, %c : tensor<2x3xf32>
  %d = math.sin %b : tensor<2x3xf32>
  %e = arith.cmpf olt, %d, %x : tensor<2x3xf32>
  %f = arith.select %e, %d, %y : tensor<2x3xi1>, tensor<2x3xf32>
  return %f, %e : tensor<2x3xf32>, tensor<2x3xi1>
}""", [floats(2, 3), floats(2, 3, seed=1)], lambda x, y: sines(x, y))


def sines(x, y):
    c = np.arange(1, 7, dtype=np.float32).reshape(2, 3)
    d = np.sin(x * c * y + c)
    return np.where(d < x, d, y), d < x


case("`arith` and `math` on tensors", "conversions, integers, dynamic", """
func.func @main(%x: tensor<?xf32>, %y: tensor<?xi32>) -> (tensor<?xi64>, tensor<?xf16>) {
  %a = arith.fptosi %x : tensor<?xf32> to tensor<?xi32>
  %b = arith.muli %a, %y : tensor<?xi32>
  %c = arith.extsi %b : tensor<?xi32> to tensor<?xi64>
  %d = arith.constant 3 : i64
  %e = arith.truncf %x : tensor<?xf32> to tensor<?xf16>
  return %c, %e : tensor<?xi64>, tensor<?xf16>
}""", [floats(9), integers(9)],
     lambda x, y: (x.astype(np.int32) * y.astype(np.int64),
                   x.astype(np.float16)))
case("`arith` and `math` on tensors", "one condition for all elements", """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = arith.select %c, %x, %y : tensor<4xf32>
  return %r : tensor<4xf32>
}""", [floats(4), floats(4, seed=1), np.bool_(True).reshape(())],
     lambda x, y, c: x)
case("arguments and results", "an argument, a constant and the same value twice are returned", """
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<3xi32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  %c = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  %n = arith.negf %x : tensor<4xf32>
  %r = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %x, %c, %n, %n, %r : tensor<4xf32>, tensor<3xi32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}""", [floats(4)], lambda x: (x, np.array([1, 2, 3], np.int32), -x, -x,
                              x.reshape(2, 2)))
case("`cf.assert`", "about sizes, that hold; in a body it is not checked", """
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %c = arith.cmpi eq, %m, %n : index
  %d = arith.cmpi uge, %m, %c0 : index
  %a = arith.andi %c, %d : i1
  cf.assert %a, "mismatched size for broadcast"
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}""", [floats(4), floats(4, seed=1)], lambda x, y: x + y)
case("arguments and results", "numbers: f32, i64, index, i1", """
func.func @main(%a: f32, %b: i64, %c: index, %d: i1) -> (f32, i64, index, i1) {
  %one = arith.constant true
  %e = arith.addf %a, %a : f32
  %f = arith.muli %b, %b : i64
  %g = arith.addi %c, %c : index
  %h = arith.xori %d, %one : i1
  return %e, %f, %g, %h : f32, i64, index, i1
}""", [np.float32(1.5).reshape(()), np.int64(-7).reshape(()),
       np.int64(11).reshape(()), np.bool_(True).reshape(())],
     lambda a, b, c, d: ((a + a).reshape(()), (b * b).reshape(()),
                         (c + c).reshape(()), np.bool_(False).reshape(())))
