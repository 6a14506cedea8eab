// Rows that no program can hold, or of unknown length: each program walks its own
// piece by piece, once for each reduction and once for the result.
// RUN: tilewright-opt %s --decompose-linalg --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// CHECK-LABEL: tile.kernel @k0
// CHECK-SAME: !tile.view<128x32000xf32>{{.*}} grid affine_map<{{.*}} -> (s0)>
// CHECK: %[[MAX:.*]] = scf.for %[[I:.*]] = %c0 to %c32000 step
// CHECK: tile.load %arg1 at [%[[ROW:.*]], %[[I]]]
// CHECK: tile.reduce
// CHECK: arith.maxnumf
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %c0 to %c32000 step
// CHECK: tile.load %arg1 at [%[[ROW]], %[[J]]]
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: scf.for %[[K:.*]] = %c0 to %c32000 step
// CHECK-NOT: tile.reduce
// CHECK: tile.load %arg1 at [%[[ROW]], %[[K]]]
// CHECK: math.exp
// CHECK: tile.store %{{.*}}, %arg0 at [%[[ROW]], %[[K]]]
// CHECK-NOT: tile.kernel
func.func @softmax(%x: tensor<128x32000xf32>) -> tensor<128x32000xf32> {
  %e = tensor.empty() : tensor<128x32000xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<128x32000xf32>) outs(%e : tensor<128x32000xf32>) -> tensor<128x32000xf32>
  return %y : tensor<128x32000xf32>
}

// -----

// Beyond the end of a row of unknown length the sum adds nothing.
// CHECK-LABEL: tile.kernel @k0
// CHECK: scf.for
// CHECK: pad nan
// CHECK: scf.for %[[J:.*]] = %c0 to %{{.*}} step %[[PIECE:[a-z0-9]+]] iter_args
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %[[J]]
// CHECK: %[[COUNT:.*]] = arith.minsi %[[LEFT]], %[[PIECE]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, {{.*}}xi32>
// CHECK: arith.select %[[INSIDE]], %[[E]]
// CHECK: scf.for
// CHECK: tile.store
// CHECK-NOT: tile.kernel
func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Few rows would leave most of a device idle: kernels of their own.
// CHECK-LABEL: func.func @few
// CHECK-COUNT-4: graph.launch
func.func @few(%x: tensor<4x32000xf32>) -> tensor<4x32000xf32> {
  %e = tensor.empty() : tensor<4x32000xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<4x32000xf32>) outs(%e : tensor<4x32000xf32>) -> tensor<4x32000xf32>
  return %y : tensor<4x32000xf32>
}
