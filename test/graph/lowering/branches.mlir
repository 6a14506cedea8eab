// RUN: tilewright-opt %s --graph-form --graph-to-groups --groups-to-tile --split-input-file | FileCheck %s

// The host takes one side. What both need is computed before; each side has
// kernels of its own. They are numbered in program order. The constant is
// nobody's kernel.
// CHECK-LABEL: func.func @sides
// CHECK-SAME: %[[X:.*]]: tensor<64x64xf32>, %[[W:.*]]: tensor<64x64xf32>, %[[T:.*]]: tensor<i1>
// CHECK: %[[TWO:.*]] = arith.constant dense<2.0{{.*}}> : tensor<f32>
// CHECK: %[[H:.*]] = graph.launch @k0_{{.*}}(%{{.*}}, %[[X]])
// CHECK: %[[C:.*]] = graph.condition %[[T]]
// CHECK: %[[R:.*]]:2 = scf.if %[[C]] -> (tensor<64x64xf32>, tensor<f32>) {
// CHECK-NEXT: %[[E:.*]] = tensor.empty
// CHECK-NEXT: %[[M:.*]] = graph.launch @k1_{{.*}}(%[[E]], %[[H]], %[[W]])
// CHECK-NEXT: scf.yield %[[M]], %[[TWO]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[F:.*]] = tensor.empty
// CHECK-NEXT: %[[V:.*]] = graph.launch @k2_{{.*}}(%[[F]], %[[X]])
// CHECK-NEXT: scf.yield %[[H]], %[[V]]
// CHECK-NEXT: }
// CHECK: graph.launch @k3_{{.*}}(%{{.*}}, %[[R]]#0, %[[H]])
// CHECK: module
func.func @sides(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %c: i1) -> (tensor<64x64xf32>, tensor<f32>) {
  %two = arith.constant 2.0 : f32
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %zeros = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %h = math.exp %x : tensor<64x64xf32>
  %r:2 = scf.if %c -> (tensor<64x64xf32>, tensor<f32>) {
    %m = linalg.matmul ins(%h, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
    %a = math.exp %m : tensor<64x64xf32>
    %t = tensor.from_elements %two : tensor<f32>
    scf.yield %a, %t : tensor<64x64xf32>, tensor<f32>
  } else {
    %c0 = arith.constant 0 : index
    %v = tensor.extract %x[%c0, %c0] : tensor<64x64xf32>
    %t = tensor.from_elements %v : tensor<f32>
    scf.yield %h, %t : tensor<64x64xf32>, tensor<f32>
  }
  %o = arith.addf %r#0, %h : tensor<64x64xf32>
  return %o, %r#1 : tensor<64x64xf32>, tensor<f32>
}

// -----

// A condition on sizes is computed by a kernel, too. A result that nobody wants
// is not computed.
// CHECK-LABEL: func.func @unused
// CHECK: %[[T:.*]] = graph.launch @k0_
// CHECK: %[[C:.*]] = graph.condition %[[T]]
// CHECK: scf.if %[[C]] -> (tensor<?xf32>) {
// CHECK-COUNT-1: graph.launch
// CHECK-NOT: graph.launch
// CHECK: } else {
// CHECK-NOT: graph.launch
// CHECK: return
func.func @unused(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %d = tensor.dim %x, %c0 : tensor<?xf32>
  %c = arith.cmpi sgt, %d, %c4 : index
  %r:2 = scf.if %c -> (tensor<?xf32>, tensor<?xf32>) {
    %a = arith.negf %x : tensor<?xf32>
    %b = math.exp %x : tensor<?xf32>
    scf.yield %a, %b : tensor<?xf32>, tensor<?xf32>
  } else {
    scf.yield %x, %x : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0 : tensor<?xf32>
}
