"""Control flow and calls over tensors."""

import numpy as np

from cases import case, floats

case("`scf.if`", "a condition that is a constant", """
func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
  %c = arith.constant false
  %r = scf.if %c -> tensor<5xf32> {
    %a = math.exp %x : tensor<5xf32>
    scf.yield %a : tensor<5xf32>
  } else {
    %a = arith.negf %x : tensor<5xf32>
    scf.yield %a : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}""", [floats(5)], lambda x: -x)
IF = """
func.func @main(%x: tensor<?xf32>, %c: i1) -> (tensor<?xf32>, f32) {
  %two = arith.constant 2.0 : f32
  %r:2 = scf.if %c -> (tensor<?xf32>, f32) {
    %a = math.exp %x : tensor<?xf32>
    scf.yield %a, %two : tensor<?xf32>, f32
  } else {
    %c0 = arith.constant 0 : index
    %e = tensor.extract %x[%c0] : tensor<?xf32>
    scf.yield %x, %e : tensor<?xf32>, f32
  }
  return %r#0, %r#1 : tensor<?xf32>, f32
}"""
case("`scf.if`", "a condition that depends on data", IF,
     [floats(5), np.bool_(True).reshape(())],
     lambda x, c: (np.exp(x), np.float32(2).reshape(())))
case("`scf.if`", "the same, not taken", IF,
     [floats(6), np.bool_(False).reshape(())],
     lambda x, c: (x, x[0].reshape(())))
case("`scf.if`", "a condition on a dynamic size", """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %c = arith.cmpi sgt, %d, %c4 : index
  %r = scf.if %c -> tensor<?xf32> {
    %a = arith.negf %x : tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}""", [floats(7)], lambda x: -x)
case("`scf.index_switch`", "by data", """
func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %r = scf.index_switch %n -> tensor<4xf32>
  case 2 {
    %a = arith.negf %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  case 5 {
    %a = math.exp %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  default {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}""", [floats(4), np.int64(5).reshape(())], lambda x, n: np.exp(x))
case("`scf.for`", "constant bounds, the induction variable is read", """
func.func @main(%x: tensor<6x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %r = scf.for %i = %c0 to %c6 step %c2 iter_args(%a = %y) -> tensor<4xf32> {
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<6x4xf32> to tensor<4xf32>
    %s = arith.mulf %a, %a : tensor<4xf32>
    %t = arith.subf %s, %row : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}""", [floats(6, 4), floats(4)], lambda x, y: loop(x, y))


def loop(x, y):
    for row in x[::2]:
        y = y * y - row
    return y


case("`scf.for`", "nested, bounds of outer variables, of a static size, slices inserted", """
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<4x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4x4xf32> {
    %q = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> tensor<4x4xf32> {
      %e = tensor.extract_slice %b[%i, %j] [1, 1] [1, 1] : tensor<4x4xf32> to tensor<1x1xf32>
      %s = arith.addf %e, %e : tensor<1x1xf32>
      %o = tensor.insert_slice %s into %b[%j, %i] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<4x4xf32>
      scf.yield %o : tensor<4x4xf32>
    }
    scf.yield %q : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}""", [floats(4, 4)], lambda x: np.tril(x) + 2 * np.tril(x, -1).T)
case("`scf.while`", "a counter", """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %r:2 = scf.while (%i = %c0, %a = %x) : (i32, tensor<3xf32>) -> (i32, tensor<3xf32>) {
    %c = arith.cmpi slt, %i, %c5 : i32
    scf.condition(%c) %i, %a : i32, tensor<3xf32>
  } do {
  ^bb0(%i: i32, %a: tensor<3xf32>):
    %n = arith.addi %i, %c1 : i32
    %b = arith.addf %a, %x : tensor<3xf32>
    scf.yield %n, %b : i32, tensor<3xf32>
  }
  return %r#1 : tensor<3xf32>
}""", [floats(3)], lambda x: 6 * x)
case("`scf.forall`", "slices inserted in parallel", """
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (4, 6) step (2, 3) shared_outs(%o = %e) -> (tensor<4x6xf32>) {
    %s = tensor.extract_slice %x[%i, %j] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
    %t = math.exp %s : tensor<2x3xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x6xf32>
    }
  }
  return %r : tensor<4x6xf32>
}""", [floats(4, 6)], np.exp)
case("`scf.execute_region`", "one block", """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.execute_region -> tensor<4xf32> {
    %a = math.exp %x : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}""", [floats(4)], np.exp)
case("`func.call`", "private functions, nested, several results", """
func.func private @half(%x: tensor<?xf32>) -> tensor<?xf32> {
  %h = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %s = tensor.splat %h[%d] : tensor<?xf32>
  %r = arith.mulf %x, %s : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @both(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = func.call @half(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %b = func.call @half(%a) : (tensor<?xf32>) -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
func.func @forward(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r:2 = func.call @both(%x) : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %s = arith.subf %r#0, %r#1 : tensor<?xf32>
  return %s : tensor<?xf32>
}""", [floats(9)], lambda x: x * np.float32(0.25))
case("`func.call`", "`main` among public functions", """
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.negf %x : tensor<4xf32>
  return %r : tensor<4xf32>
}""", [floats(4)], lambda x: -x)

# What only the run knows: steps of the package decide.

FOR = """
func.func @main(%x: tensor<?xf32>, %low: index, %n: i64) -> (tensor<?xf32>, f32) {
  %high = arith.index_cast %n : i64 to index
  %step = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %r:2 = scf.for %i = %low to %high step %step iter_args(%a = %x, %s = %one) -> (tensor<?xf32>, f32) {
    %b = math.sin %a : tensor<?xf32>
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f32
    %t = arith.addf %s, %f : f32
    scf.yield %b, %t : tensor<?xf32>, f32
  }
  return %r#0, %r#1 : tensor<?xf32>, f32
}"""


def sines(x, low, n):
    total = np.float32(1)
    for i in range(int(low), int(n), 2):
        x, total = np.sin(x), total + np.float32(i)
    return x, total.reshape(())


for n in (0, 1, 4, 9):
    case("`scf.for`", "bounds that depend on data", FOR,
         [floats(5), np.int64(1).reshape(()), np.int64(n).reshape(())], sines)

WHILE = """
func.func @main(%x: tensor<4x8xf32>, %limit: f32) -> (tensor<4x8xf32>, i64) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %f0 = arith.constant 0.0 : f32
  %init = tensor.from_elements %f0 : tensor<f32>
  %r:2 = scf.while (%a = %x, %k = %zero) : (tensor<4x8xf32>, i64) -> (tensor<4x8xf32>, i64) {
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
        iterator_types = ["reduction", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%init : tensor<f32>) {
    ^bb0(%e: f32, %t: f32):
      %u = arith.maximumf %e, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    %m = tensor.extract %s[] : tensor<f32>
    %c = arith.cmpf olt, %m, %limit : f32
    scf.condition(%c) %a, %k : tensor<4x8xf32>, i64
  } do {
  ^bb0(%a: tensor<4x8xf32>, %k: i64):
    %b = arith.addf %a, %a : tensor<4x8xf32>
    %n = arith.addi %k, %one : i64
    scf.yield %b, %n : tensor<4x8xf32>, i64
  }
  return %r#0, %r#1 : tensor<4x8xf32>, i64
}"""


def doubled(x, limit):
    count = 0
    while max(x.max(), np.float32(0)) < limit:
        x, count = x + x, count + 1
    return x, np.int64(count).reshape(())


for limit in (0.5, 40.0, 1000.0):
    case("`scf.while`", "a condition that depends on data", WHILE,
         [np.abs(floats(4, 8)), np.float32(limit).reshape(())], doubled)

NESTED = """
func.func @main(%x: tensor<6xf32>, %n: index, %c: i1) -> tensor<6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<6xf32> {
    %inner = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> tensor<6xf32> {
      %d = arith.addf %b, %x : tensor<6xf32>
      scf.yield %d : tensor<6xf32>
    }
    %y = scf.if %c -> tensor<6xf32> {
      %u = linalg.softmax dimension(0) ins(%inner : tensor<6xf32>) outs(%x : tensor<6xf32>) -> tensor<6xf32>
      scf.yield %u : tensor<6xf32>
    } else {
      scf.yield %inner : tensor<6xf32>
    }
    scf.yield %y : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}"""


def nested(x, n, c):
    a = x
    for i in range(int(n)):
        for _ in range(i):
            a = a + x
        if c:
            a = np.exp(a - a.max())
            a = a / a.sum()
    return a


for n, c in ((0, True), (1, True), (4, False), (4, True)):
    case("`scf.for`", "a loop and a branch in it", NESTED,
         [floats(6), np.int64(n).reshape(()), np.bool_(c).reshape(())], nested)

# Canonicalization would give what the loop carries the size that it begins with.
STACK = """
func.func @main(%x: tensor<1x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = tensor.cast %x : tensor<1x4xf32> to tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %first) -> tensor<?x4xf32> {
    %b = tensor.concat dim(0) %a, %x : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
    scf.yield %b : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}"""
for n in (0, 3):
    case("`scf.for`", "a tensor that begins with a static size and grows", STACK,
         [floats(1, 4), np.int64(n).reshape(())],
         lambda x, n: np.repeat(x, int(n) + 1, axis=0))

# Sizes that the run reads.

PREFIX = """
func.func @main(%x: tensor<?x3xf32>, %n: index) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?x3xf32>
  %rest = arith.subi %d, %n : index
  %a = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
  %b = tensor.extract_slice %x[%n, 1] [%rest, 1] [1, 1] : tensor<?x3xf32> to tensor<?xf32>
  %r = arith.negf %a : tensor<?x3xf32>
  %s = math.sin %b : tensor<?xf32>
  return %r, %s : tensor<?x3xf32>, tensor<?xf32>
}"""
for n in (0, 2, 5):
    case("`tensor.extract_slice`", "sizes that depend on data", PREFIX,
         [floats(5, 3), np.int64(n).reshape(())],
         lambda x, n: (-x[:int(n)], np.sin(x[int(n):, 1])))

HALVES = """
func.func @main(%x: tensor<8x3xf32>, %limit: f32) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %n = scf.while (%k = %c8) : (index) -> index {
    %i = arith.subi %k, %c1 : index
    %e = tensor.extract %x[%i, %c0] : tensor<8x3xf32>
    %big = arith.cmpf ogt, %e, %limit : f32
    %more = arith.cmpi sgt, %k, %c1 : index
    %on = arith.andi %big, %more : i1
    scf.condition(%on) %k : index
  } do {
  ^bb0(%k: index):
    %h = arith.divsi %k, %c2 : index
    scf.yield %h : index
  }
  %r = tensor.extract_slice %x[0, 0] [%n, 3] [1, 1] : tensor<8x3xf32> to tensor<?x3xf32>
  %s = arith.addf %r, %r : tensor<?x3xf32>
  return %s : tensor<?x3xf32>
}"""


def halves(x, limit):
    count = 8
    while x[count - 1, 0] > limit and count > 1:
        count //= 2
    return x[:count] + x[:count]


for limit in (-9., 0., 9.):
    case("`scf.while`", "a size that it decides", HALVES,
         [floats(8, 3), np.float32(limit).reshape(())], halves)
case("`tensor.reshape`, `tensor.empty`, `tensor.pad`", "sizes from elements", """
func.func @main(%x: tensor<?xf32>, %n: tensor<2xi32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.extract %n[%c0] : tensor<2xi32>
  %b = tensor.extract %n[%c1] : tensor<2xi32>
  %i = arith.index_cast %a : i32 to index
  %j = arith.index_cast %b : i32 to index
  %shape = tensor.from_elements %i, %j : tensor<2xindex>
  %r = tensor.reshape %x(%shape) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %z = arith.constant 1.0 : f32
  %p = tensor.pad %x low[%i] high[0] {
  ^bb0(%k: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  %s = arith.negf %r : tensor<?x?xf32>
  %t = arith.negf %p : tensor<?xf32>
  return %s, %t : tensor<?x?xf32>, tensor<?xf32>
}""", [floats(6), np.array([2, 3], np.int32)],
     lambda x, n: (-x.reshape(2, 3), -np.pad(x, (2, 0), constant_values=1)))
case("`tensor.reshape`", "a shape that is an argument", """
func.func @main(%x: tensor<?x4xf32>, %shape: tensor<3xi32>) -> tensor<?x?x?xf32> {
  %r = tensor.reshape %x(%shape) : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
  %s = arith.negf %r : tensor<?x?x?xf32>
  return %s : tensor<?x?x?xf32>
}""", [floats(3, 4), np.array([2, 1, 6], np.int32)],
     lambda x, shape: -x.reshape(2, 1, 6))
