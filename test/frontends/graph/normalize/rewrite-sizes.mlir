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
