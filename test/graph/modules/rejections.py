"""Modules and inputs that are rejected: exit code 1 and a message that says what
was expected."""

import dataclasses

import numpy as np

from cases import floats
from cases_edges import STRIDE, SUBSCRIPT, WINDOW
from cases_rows import REQUIRE


@dataclasses.dataclass
class Rejection:
    form: str
    text: str
    inputs: list
    message: str


REJECTIONS = []


def rejection(form, text, inputs, message):
    REJECTIONS.append(Rejection(form, text.strip() + "\n", inputs, message))


ADD = """
func.func @main(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r = arith.addf %x, %y : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}"""
rejection("unequal dynamic sizes in an elementwise op", ADD,
        [floats(3, 4), floats(1, 4)], "have one size")
rejection("unequal dynamic sizes in a contraction", """
func.func @main(%x: tensor<3x?xf32>, %y: tensor<?x4xf32>) -> tensor<3x4xf32> {
  %z = arith.constant dense<0.0> : tensor<3x4xf32>
  %r = linalg.matmul ins(%x, %y : tensor<3x?xf32>, tensor<?x4xf32>) outs(%z : tensor<3x4xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}""", [floats(3, 5), floats(6, 4)], "have one size")
rejection("unequal dynamic sizes in a concatenation", """
func.func @main(%x: tensor<2x?xf32>, %y: tensor<2x?xf32>) -> tensor<4x?xf32> {
  %r = tensor.concat dim(0) %x, %y : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}""", [floats(2, 5), floats(2, 6)], "dimension 1 of all inputs has one size")
rejection("a slice beyond a dynamic end", """
func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> {
  %r = tensor.extract_slice %x[2] [4] [1] : tensor<?xf32> to tensor<4xf32>
  %n = arith.negf %r : tensor<4xf32>
  return %n : tensor<4xf32>
}""", [floats(5)], "the slice of dimension 0 lies in the tensor")
rejection("windows beyond a dynamic end", """
func.func @main(%x: tensor<?xf32>, %w: tensor<3xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.conv_1d ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}""", [floats(5), floats(3), floats(4)],
        "what is read of dimension 0 of operand 0 lies in the tensor")
rejection("a cast to another size", """
func.func @main(%x: tensor<?xf32>) -> tensor<4xf32> {
  %c = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  %n = arith.negf %c : tensor<4xf32>
  return %n : tensor<4xf32>
}""", [floats(5)], "has the size that its type says")
rejection("a reshape to other sizes", """
func.func @main(%x: tensor<?xf32>, %y: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %y, %c0 : tensor<?x3xf32>
  %c = tensor.expand_shape %x [[0, 1]] output_shape [%d, 3] : tensor<?xf32> into tensor<?x3xf32>
  %n = arith.negf %c : tensor<?x3xf32>
  return %n : tensor<?x3xf32>
}""", [floats(7), floats(2, 3)], "a reshape keeps the number of elements")
ASSERT = """
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %c = arith.cmpi slt, %m, %n : index
  cf.assert %c, "x is shorter than y"
  %r = arith.negf %x : tensor<?xf32>
  return %r : tensor<?xf32>
}"""
rejection("an assertion about sizes", ASSERT, [floats(7), floats(7)],
        "x is shorter than y")
rejection("an assertion about data", """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.extract %x[] : tensor<f32>
  %c = arith.cmpf olt, %a, %z : f32
  cf.assert %c, "negative"
  %r = arith.negf %x : tensor<f32>
  return %r : tensor<f32>
}""", [np.float32(1).reshape(())], "expected an assertion that compares sizes")
rejection("a loop in a body whose end is known only at run time", """
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    %v = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> f32 {
      %s = arith.addf %b, %b : f32
      scf.yield %s : f32
    }
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}""", [floats(4), np.int64(3).reshape(())],
        "found an upper bound that is known only at run time")
rejection("a size that depends on data, of more than there is", """
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<?xf32> {
  %r = tensor.extract_slice %x[0] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  %s = arith.negf %r : tensor<?xf32>
  return %s : tensor<?xf32>
}""", [floats(4), np.int64(5).reshape(())], "is 5, expected at most 4")
rejection("a shape that is an argument, of more elements", """
func.func @main(%x: tensor<?xf32>, %shape: tensor<2xi64>) -> tensor<?x?xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}""", [floats(6), np.array([2, 4])], "a reshape keeps the number of elements")
rejection("running sums", """
func.func @main(%x: tensor<8xf32>, %s: tensor<f32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
      iterator_types = ["reduction"]} ins(%x : tensor<8xf32>) outs(%s, %y : tensor<f32>, tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t, %t : f32, f32
  } -> (tensor<f32>, tensor<8xf32>)
  return %r#1 : tensor<8xf32>
}""", [floats(8), floats(1)[0].reshape(()), floats(8)],
        "expected results that are computed from each other to be indexed alike")
rejection("an op that is not of linalg, tensor, arith, math or scf", """
func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %r = complex.re %x : tensor<4xcomplex<f32>>
  return %r : tensor<4xf32>
}""", [floats(4)], "complex")
rejection("an unsigned element", """
func.func @main(%x: tensor<4xui8>) -> tensor<4xui8> {
  return %x : tensor<4xui8>
}""", [np.zeros(4, np.uint8)],
        "expected elements that are i1, i4, i8, i16, i32, i64, index")
rejection("an integer of 5 bits", """
func.func @main(%x: tensor<4xi5>) -> tensor<4xi5> {
  return %x : tensor<4xi5>
}""", [np.zeros(4, np.int8)],
        "expected elements that are i1, i4, i8, i16, i32, i64, index")
rejection("a stride of 2^63 - 1, three elements", STRIDE, [floats(3)],
          "overflow")
rejection("a subscript times 2^63 - 1, three points", SUBSCRIPT,
          [floats(3), floats(3)], "overflow")
rejection("a stride of 2^63 - 1, two windows", WINDOW,
          [floats(1, 1, 5), floats(1, 1, 2), floats(1, 1, 2)], "overflow")
for op in ("floordivsi", "ceildivsi", "divsi", "remsi"):
    rejection(f"a size divided by a constant 0: {op}", f"""
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %q = arith.{op} %d, %c0 : index
  %e = tensor.empty(%q) : tensor<?xf32>
  %f = arith.constant 1.0 : f32
  %z = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %z : tensor<?xf32>
}}""", [floats(3)], "a size is divided by 0")
rejection("a subscript beyond 64 bits", """
#sum = affine_map<(d0, d1) -> (d0 * 4611686018427387904 + d1 * 4611686018427387904 + 9223372036854775807)>
#plain = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [#sum, #plain], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}""", [floats(3), floats(3, 3)], "overflow")
rejection("an element beyond the bounds", REQUIRE,
          [np.array([1, 2, 3], np.int64)], "a number is not in [-4, n)")
rejection("an element that is zero", REQUIRE, [np.array([0, 1], np.int64)],
          "a number is zero")
