// RUN: tilewright-opt %s --rewrite-sizes | FileCheck %s

// Sizes are not negative: division rounds down.
// CHECK-LABEL: @sizes
// CHECK: %[[D:.*]] = tensor.dim
// CHECK: arith.floordivsi %[[D]], %c4
// CHECK: %[[Q:.*]] = arith.floordivsi %[[D]], %c4
// CHECK: %[[M:.*]] = arith.muli %[[Q]], %c4
// CHECK: arith.subi %[[D]], %[[M]]
// CHECK: arith.minsi
func.func @sizes(%x: tensor<?xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %q = arith.divsi %d, %c4 : index
  %r = arith.remui %d, %c4 : index
  %m = affine.min affine_map<(n) -> (n, 7)>(%d)
  return %q, %r, %m : index, index, index
}

// CHECK-LABEL: @choices
// CHECK: arith.minsi %arg0, %arg1
// CHECK: arith.maxsi %arg0, %arg1
// CHECK: arith.select
func.func @choices(%a: index, %b: index) -> (index, index, index) {
  %less = arith.cmpi slt, %a, %b : index
  %m = arith.select %less, %a, %b : index
  %more = arith.cmpi sle, %b, %a : index
  %n = arith.select %more, %a, %b : index
  %below = arith.cmpi ult, %a, %b : index
  %o = arith.select %below, %a, %b : index
  return %m, %n, %o : index, index, index
}

// A difference may be negative, and rounds to zero.
// CHECK-LABEL: @difference
// CHECK: arith.divsi
func.func @difference(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %e = arith.subi %d, %c4 : index
  %q = arith.divsi %e, %c4 : index
  return %q : index
}
