// RUN: tilewright-opt %s --capture-scalars --split-input-file --verify-diagnostics | FileCheck %s

// The product of two elements becomes a tensor of its own, that every point
// reads; the size and the constant stay in the body.
// CHECK-LABEL: @captured
// CHECK: %[[E:.*]] = tensor.extract_slice %{{.*}}[2] [1] [1] : tensor<?xf32> to tensor<f32>
// CHECK: %[[P:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<f32>)
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[P]] : tensor<?xf32>, tensor<f32>)
// CHECK: arith.index_cast %dim : index to i32
func.func @captured(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %dim = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.extract %x[%c2] : tensor<?xf32>
  %p = arith.mulf %e, %e : f32
  %i = tensor.empty(%dim) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.index_cast %dim : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = arith.addf %a, %p : f32
    %t = arith.divf %s, %f : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @unknown(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  // expected-error @-1 {{expected a number that the function computes, found an argument that is no tensor}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    %t = arith.addf %a, %s : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A condition that the host reads is in memory; the number of an iteration is a
// size, which the body reads.
// CHECK-LABEL: @host
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<i1>
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[T]] : tensor<4xf32>, tensor<i1>)
// CHECK: arith.index_cast %[[I]] : index to i32
func.func @host(%x: tensor<4xf32>, %n: tensor<i64>, %t: tensor<i1>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %c = graph.condition %t : tensor<i1>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%x : tensor<4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %j = arith.index_cast %i : index to i32
      %f = arith.sitofp %j : i32 to f32
      %s = arith.select %c, %p, %f : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A number that one op computes as a tensor is not copied to another one.
// CHECK-LABEL: @once
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<f32>)
// CHECK-NEXT: ^bb0
// CHECK-NEXT: math.exp
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]
func.func @once(%x: tensor<f32>) -> tensor<f32> {
  %v = tensor.extract %x[] : tensor<f32>
  %e = math.exp %v : f32
  %i = tensor.empty() : tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []}
      outs(%i : tensor<f32>) {
  ^bb0(%o: f32):
    linalg.yield %e : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
