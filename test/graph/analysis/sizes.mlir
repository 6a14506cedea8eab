// RUN: tilewright compile %s --explain-fusion | FileCheck %s

// The sum gives the others their sizes, and exp its destination, of which nothing
// is read: one kernel.
// CHECK: -> 1 kernels
// CHECK: root linalg.generic:11
// CHECK: took  linalg.generic:11
func.func @main(%x: tensor<?x8xf32>, %i: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %r = linalg.reduce {arith.addf} ins(%x : tensor<?x8xf32>) outs(%i : tensor<?xf32>) dimensions = [1]
  %b = math.exp %r : tensor<?xf32>
  %c = arith.addf %b, %r : tensor<?xf32>
  return %c : tensor<?xf32>
}
