// RUN: tilewright-opt %s --graph-form --graph-to-groups --groups-to-tile --split-input-file | FileCheck %s

// The host reads how many steps there are, and runs the kernels of the body for
// each: a kernel takes the number of the step like other sizes. What a step
// reads of the steps' inputs is checked; that their numbers are not negative is
// known.
// CHECK-LABEL: func.func @steps
// CHECK-SAME: %[[W:.*]]: tensor<64x64xf32>, %[[XS:.*]]: tensor<16x4x64xf32>, %[[N:.*]]: tensor<i32>
// CHECK-DAG: %[[MOST:.*]] = arith.constant 16 : index
// CHECK: %[[ZEROS:.*]] = graph.launch @k0_linalg_fill
// CHECK: %[[T:.*]] = graph.launch @k1_{{.*}}(%{{.*}}, %[[N]])
// CHECK: %[[K:.*]] = graph.size %[[T]] : tensor<i64>
// CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%[[H:.*]] = %[[ZEROS]]) -> (tensor<4x64xf32>) {
// CHECK-NEXT: %[[END:.*]] = affine.apply #{{.*}}()[%[[I]]]
// CHECK-NEXT: graph.check %[[END]] at_most %[[MOST]]
// CHECK-NEXT: %[[E:.*]] = tensor.empty
// CHECK-NEXT: %[[NEXT:.*]] = graph.launch @k2_{{.*}}(%[[E]], %[[I]], %[[XS]], %[[H]], %[[W]])
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: return %[[R]]
func.func @steps(%w: tensor<64x64xf32>, %xs: tensor<16x4x64xf32>, %n: i32) -> tensor<4x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %zeros = linalg.fill ins(%z : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %k = arith.index_cast %n : i32 to index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%h = %zeros) -> (tensor<4x64xf32>) {
    %row = tensor.extract_slice %xs[%i, 0, 0] [1, 4, 64] [1, 1, 1] : tensor<16x4x64xf32> to tensor<4x64xf32>
    %m = linalg.matmul ins(%h, %w : tensor<4x64xf32>, tensor<64x64xf32>) outs(%row : tensor<4x64xf32>) -> tensor<4x64xf32>
    %t = math.tanh %m : tensor<4x64xf32>
    scf.yield %t : tensor<4x64xf32>
  }
  return %r : tensor<4x64xf32>
}

// -----

// Until the sum is small. The same kernel computes the condition in front of the
// loop and in it. What nobody reads is not carried.
// CHECK-LABEL: func.func @converge
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK: %[[T:.*]] = graph.launch @[[K:k0_.*]](%{{.*}}, %[[X]])
// CHECK: %[[R:.*]]:2 = scf.while (%[[U:.*]] = %[[T]], %[[A:.*]] = %[[X]]) : (tensor<i1>, tensor<8xf32>) -> (tensor<i1>, tensor<8xf32>) {
// CHECK-NEXT: %[[C:.*]] = graph.condition %[[U]]
// CHECK-NEXT: scf.condition(%[[C]]) %[[U]], %[[A]]
// CHECK-NEXT: } do {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<i1>, %[[B:.*]]: tensor<8xf32>):
// CHECK: %[[Y:.*]] = graph.launch @k1_{{.*}}(%{{.*}}, %[[B]])
// CHECK: %[[V:.*]] = graph.launch @[[K]](%{{.*}}, %[[Y]])
// CHECK: scf.yield %[[V]], %[[Y]]
// CHECK: return %[[R]]#1
func.func @converge(%x: tensor<8xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %small = arith.constant 0.001 : f32
  %r:2 = scf.while (%a = %x, %b = %x) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce {arith.addf} ins(%a : tensor<8xf32>) outs(%f : tensor<f32>) dimensions = [0]
    %v = tensor.extract %s[] : tensor<f32>
    %c = arith.cmpf ogt, %v, %small : f32
    scf.condition(%c) %a, %b : tensor<8xf32>, tensor<8xf32>
  } do {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %h = arith.mulf %a, %a : tensor<8xf32>
    %d = math.exp %b : tensor<8xf32>
    scf.yield %h, %d : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0 : tensor<8xf32>
}

// -----

// A tensor that grows has a size of its own at the start of each iteration and
// behind the loop; one that does not grow has the size that it began with.
// CHECK-LABEL: func.func @grow
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[H:.*]] = %[[X]], %[[Y:.*]] = %[[X]])
// CHECK-DAG: %[[HERE:.*]] = tensor.dim %[[H]]
// CHECK-DAG: %[[NEXT:.*]] = affine.apply #{{.*}}()[%[[N]], %[[HERE]]]
// CHECK-DAG: %[[SAME:.*]] = tensor.empty(%[[N]])
// CHECK-DAG: %[[MORE:.*]] = tensor.empty(%[[NEXT]])
// CHECK: scf.yield
// CHECK: %[[D:.*]] = tensor.dim %[[R]]#0
// CHECK: %[[E:.*]] = tensor.empty(%[[D]])
// CHECK: graph.launch @{{.*}}(%[[E]], %[[R]]#0)
func.func @grow(%x: tensor<?x8xf32>, %n: tensor<i64>) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%h = %x, %y = %x) -> (tensor<?x8xf32>, tensor<?x8xf32>) {
    %e = math.exp %y : tensor<?x8xf32>
    %g = tensor.concat dim(0) %h, %e : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %g, %e : tensor<?x8xf32>, tensor<?x8xf32>
  }
  %o = arith.negf %r#0 : tensor<?x8xf32>
  return %o, %r#1 : tensor<?x8xf32>, tensor<?x8xf32>
}
