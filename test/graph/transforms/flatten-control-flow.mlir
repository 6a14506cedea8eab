// RUN: tilewright-opt %s --flatten-control-flow --split-input-file | FileCheck %s

// Iterations 0 and 2. The inner loop ends where the outer variable says: it runs
// twice in the second iteration.
// CHECK-LABEL: @nested
// CHECK-NOT: scf
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %r = scf.for %i = %c0 to %c4 step %c2 iter_args(%a = %x) -> tensor<4xf32> {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%b = %a) -> tensor<4xf32> {
      %e = math.exp %b : tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Both sides are computed, the condition chooses.
// CHECK-LABEL: @data
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[C:.*]]: i1
// CHECK-NEXT: %[[N:.*]] = arith.negf %[[X]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]]
// CHECK-NEXT: arith.select %[[C]], %[[E]], %[[N]] : tensor<4xf32>
func.func @data(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = scf.if %c -> tensor<4xf32> {
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    %n = arith.negf %x : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The condition becomes a constant in each iteration.
// CHECK-LABEL: @count
// CHECK-NOT: scf
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: arith.addf
// CHECK: return
func.func @count(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %r:2 = scf.while (%i = %c0, %a = %x) : (i32, tensor<4xf32>) -> (i32, tensor<4xf32>) {
    %c = arith.cmpi slt, %i, %c3 : i32
    scf.condition(%c) %i, %a : i32, tensor<4xf32>
  } do {
  ^bb0(%i: i32, %a: tensor<4xf32>):
    %n = arith.addi %i, %c1 : i32
    %s = arith.addf %a, %x : tensor<4xf32>
    scf.yield %n, %s : i32, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// A body has no control flow either.
// CHECK-LABEL: @body
// CHECK: linalg.generic
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-NOT: scf.if
func.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    %c = arith.cmpf olt, %a, %z : f32
    %v = scf.if %c -> f32 {
      %e = math.exp %a : f32
      scf.yield %e : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
