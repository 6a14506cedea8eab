// RUN: tilewright-opt %s --inline-calls | FileCheck %s

tile.func @double(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = arith.addi %x, %x : tensor<4xi32>
  tile.return %y : tensor<4xi32>
}

// Calls that come with a body are replaced too.
// CHECK-LABEL: tile.func @quadruple
// CHECK-NOT: tile.call
// CHECK: %[[A:.*]] = arith.addi %[[X:.*]], %[[X]]
// CHECK: %[[B:.*]] = arith.addi %[[A]], %[[A]]
// CHECK: tile.return %[[B]]
tile.func @quadruple(%x: tensor<4xi32>) -> tensor<4xi32> {
  %y = tile.call @double(%x) : (tensor<4xi32>) -> tensor<4xi32>
  %z = tile.call @double(%y) : (tensor<4xi32>) -> tensor<4xi32>
  tile.return %z : tensor<4xi32>
}

// Calls in the regions of other ops as well; a function may be used twice.
// CHECK-LABEL: tile.kernel @k
// CHECK: scf.for
// CHECK-COUNT-4: arith.addi {{.*}} tensor<4xi32>
// CHECK-NOT: tile.call
tile.kernel @k(%v: !tile.view<4xi32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = tile.load %v[%zero] : !tile.view<4xi32> -> tensor<4xi32>
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (tensor<4xi32>) {
    %b = tile.call @quadruple(%a) : (tensor<4xi32>) -> tensor<4xi32>
    %c = tile.call @quadruple(%b) : (tensor<4xi32>) -> tensor<4xi32>
    scf.yield %c : tensor<4xi32>
  }
  tile.store %r, %v[%zero] : tensor<4xi32>, !tile.view<4xi32>
}
