// RUN: tilewright-opt %s --graph-form --graph-to-groups --groups-to-tile --split-input-file | FileCheck %s

// One program runs the two kernels of each step, one after the other; the state
// stays in its place. A launch runs many steps.
// CHECK-LABEL: func.func @steps
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[W:.*]]: tensor<4x4xf32>
// CHECK: %[[MANY:.*]] = arith.constant 1024 : index
// CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step %[[MANY]] iter_args(%[[H:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) -> (tensor<4xf32>, tensor<4xf32>) {
// CHECK: %[[NEXT:.*]]:3 = graph.launch @[[K:.*_loop]](%[[P:[^,]*]], %[[H]], %[[W]], %[[C]], %[[X]], %[[I]], %[[N]]) writes [0, 1, 3]
// CHECK-NEXT: scf.yield %[[NEXT]]#1, %[[NEXT]]#2
// CHECK-NEXT: }
// CHECK: tile.kernel @[[K]](%[[P:.*]]: !tile.view<4xf32>, %[[H:.*]]: !tile.view<4xf32>, %{{.*}}: !tile.view<4x4xf32>, %[[C:.*]]: !tile.view<4xf32>, %[[X:.*]]: !tile.view<?x4xf32>, %[[FIRST:.*]]: index, %[[END:.*]]: index) {
// CHECK: %[[LEFT:.*]] = arith.subi %[[END]], %[[FIRST]]
// CHECK: %[[RUNS:.*]] = arith.minsi %[[LEFT]], %{{.*}}
// CHECK: %[[TO:.*]] = arith.addi %[[FIRST]], %[[RUNS]]
// CHECK: scf.for %[[STEP:.*]] = %[[FIRST]] to %[[TO]]
// CHECK: tile.load %[[H]]
// CHECK: tile.store %{{.*}}, %[[P]]
// CHECK: tile.load %[[P]]
// CHECK: tile.load %[[C]]
// CHECK: tile.load %[[X]] at [%[[STEP]],
// CHECK: tile.store %{{.*}}, %[[H]]
// CHECK: tile.store %{{.*}}, %[[C]]
func.func @steps(%xs: tensor<?x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %xs, %c0 : tensor<?x4xf32>
  %zeros = arith.constant dense<0.0> : tensor<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%h = %zeros, %c = %zeros) -> (tensor<4xf32>, tensor<4xf32>) {
    %m = linalg.vecmat ins(%h, %w : tensor<4xf32>, tensor<4x4xf32>) outs(%zeros : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.softmax dimension(0) ins(%m : tensor<4xf32>) outs(%zeros : tensor<4xf32>) -> tensor<4xf32>
    %x = tensor.extract_slice %xs[%i, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %d = arith.addf %c, %x : tensor<4xf32>
    %t = arith.addf %s, %d : tensor<4xf32>
    scf.yield %t, %d : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Whether one program is enough for the rows is known when the model runs: one
// of the two loops has no iterations.
// CHECK-LABEL: func.func @batch
// CHECK: %[[A:.*]] = scf.for %{{.*}} = %{{.*}} to %[[FEW:.*]] step %{{.*}} iter_args
// CHECK: graph.launch @[[K:.*]]_loop
// CHECK: }
// CHECK-NEXT: %[[B:.*]] = scf.for %{{.*}} = %[[FEW]] to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %[[A]])
// CHECK: graph.launch @[[K]](
// CHECK: } {graph.no_kernel = "for sizes that are too large for a kernel"}
// CHECK: return %[[B]]
// CHECK: tile.kernel @[[K]]_loop(%[[H:.*]]: !tile.view<?x4xf32>, %{{.*}}: index
// CHECK: %[[ROWS:.*]] = tile.dim %[[H]], 0
// CHECK: %[[PROGRAMS:.*]] = affine.apply #{{.*}}()[%[[ROWS]]
// CHECK: scf.for %[[PROGRAM:.*]] = %{{.*}} to %[[PROGRAMS]]
// CHECK: %[[ROW:.*]] = arith.muli %[[PROGRAM]], %{{.*}}
// CHECK: tile.load %[[H]] at [%[[ROW]], %{{.*}}]
// CHECK-NOT: tile.program_id
// CHECK: tile.store %{{.*}}, %[[H]] at [%[[ROW]], %{{.*}}]
func.func @batch(%x: tensor<?x4xf32>, %n: tensor<i64>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %k = graph.size %n : tensor<i64>
  %b = tensor.dim %x, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%h = %x) -> (tensor<?x4xf32>) {
    %e = tensor.empty(%b) : tensor<?x4xf32>
    %s = linalg.softmax dimension(1) ins(%h : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %t = math.exp %s : tensor<?x4xf32>
    scf.yield %t : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}

// -----

// The second kernel of the concatenation needs what the first one would replace:
// the new value goes to its place when the iteration ends.
// CHECK-LABEL: func.func @old
// CHECK: %[[NEXT:.*]]:2 = graph.launch @[[K:.*]]_loop(%{{.*}}, %[[H:[^,]*]], {{.*}}) writes [0, 1]
// CHECK-NEXT: scf.yield %[[NEXT]]#1
// CHECK: tile.kernel @[[K]]_loop(%[[E:.*]]: !tile.view<8xf32>, %[[H:.*]]: !tile.view<8xf32>,
// CHECK: scf.for
// CHECK: tile.load %[[H]]
// CHECK: tile.store %{{.*}}, %[[E]]
// CHECK: tile.load %[[H]]
// CHECK: tile.store %{{.*}}, %[[E]]
// CHECK: %[[NEW:.*]] = tile.load %[[E]]
// CHECK-NEXT: tile.store %[[NEW]], %[[H]]
func.func @old(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%h = %x) -> (tensor<8xf32>) {
    %a = tensor.extract_slice %h[0] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %b = tensor.extract_slice %h[1] [7] [1] : tensor<8xf32> to tensor<7xf32>
    %e = math.exp %b : tensor<7xf32>
    %m = tensor.concat dim(0) %e, %a : (tensor<7xf32>, tensor<1xf32>) -> tensor<8xf32>
    scf.yield %m : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Each program reads the rows that it replaces, and no other ones.
// CHECK-LABEL: func.func @own
// CHECK: graph.launch @{{.*}}_loop
// CHECK: scf.for
// CHECK: scf.for %[[PROGRAM:.*]] =
// CHECK: %[[ROW:.*]] = arith.muli %[[PROGRAM]]
// CHECK: tile.load %[[H:.*]] at [%[[ROW]],
// CHECK: tile.store %{{.*}}, %[[H]] at [%[[ROW]],
func.func @own(%x: tensor<300x32xf32>, %w: tensor<32x32xf32>, %n: tensor<i64>) -> tensor<300x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %k = graph.size %n : tensor<i64>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%h = %x) -> (tensor<300x32xf32>) {
    %e = tensor.empty() : tensor<300x32xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<300x32xf32>) -> tensor<300x32xf32>
    %m = linalg.matmul ins(%h, %w : tensor<300x32xf32>, tensor<32x32xf32>) outs(%f : tensor<300x32xf32>) -> tensor<300x32xf32>
    scf.yield %m : tensor<300x32xf32>
  }
  return %r : tensor<300x32xf32>
}

// -----

// What is needed longer moves first.
// CHECK-LABEL: func.func @shift
// CHECK: tile.kernel @{{.*}}_loop(%[[E:.*]]: !tile.view<4xf32>, %[[A:.*]]: !tile.view<4xf32>, %[[B:.*]]: !tile.view<4xf32>,
// CHECK: tile.load %[[A]]
// CHECK: tile.store %{{.*}}, %[[E]]
// CHECK: %[[OLD:.*]] = tile.load %[[B]]
// CHECK-NEXT: tile.store %[[OLD]], %[[A]]
// CHECK: %[[NEW:.*]] = tile.load %[[E]]
// CHECK-NEXT: tile.store %[[NEW]], %[[B]]
func.func @shift(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %b, %e : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @swap
// CHECK: graph.no_kernel = "what it carries changes places"
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>, %n: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %r:3 = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x, %b = %y, %c = %z) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %e = math.exp %c : tensor<4xf32>
    scf.yield %b, %a, %e : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @large
// CHECK: graph.no_kernel = "an iteration works on 256 KiB, more than 128"
func.func @large(%x: tensor<65536xf32>, %n: tensor<i64>) -> tensor<65536xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%h = %x) -> (tensor<65536xf32>) {
    %e = math.exp %h : tensor<65536xf32>
    scf.yield %e : tensor<65536xf32>
  }
  return %r : tensor<65536xf32>
}

// -----

// CHECK-LABEL: func.func @grow
// CHECK: graph.no_kernel = "an iteration changes a size"
func.func @grow(%x: tensor<?x8xf32>, %n: tensor<i64>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%h = %x) -> (tensor<?x8xf32>) {
    %g = tensor.concat dim(0) %h, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    scf.yield %g : tensor<?x8xf32>
  }
  return %r : tensor<?x8xf32>
}
