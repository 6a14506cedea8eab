// RUN: tilewright-opt %s --move-reshapes --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#all = affine_map<(i, j, k) -> (i, j, k)>
#first = affine_map<(i, j, k) -> (j, 0, k)>
#turned = affine_map<(i, j, k) -> (k, i, j)>
#none = affine_map<(i, j, k) -> ()>

// A function of what is computed, of a scalar and of a constant, behind a
// reshape and a transposition: these come last, and the transposition leaves a
// dimension of one element where it was.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[SWAP:.*]] = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
// CHECK-DAG: #[[TURN:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, d1)>
// CHECK-LABEL: @moved
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[Z:.*]] = linalg.generic {indexing_maps = [#[[ID]], #[[NONE]], #[[ID]]]{{.*}} ins(%[[Y]], %arg1 : tensor<2x12xf32>, tensor<f32>)
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[S:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[E]], %[[S]]
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[M]], %cst
// CHECK-NEXT: %[[T:.*]] = arith.truncf %[[A]]
// CHECK-NEXT: linalg.yield %[[T]] : f16
// CHECK: %[[R:.*]] = tensor.reshape %[[Z]](%{{.*}}) : (tensor<2x12xf16>, tensor<3xindex>) -> tensor<6x1x4xf16>
// CHECK: %[[C:.*]] = linalg.generic {indexing_maps = [#[[SWAP]], #[[ALL]]]{{.*}} ins(%[[R]] : tensor<6x1x4xf16>) outs(%{{.*}} : tensor<1x6x4xf16>)
// CHECK: %[[D:.*]] = linalg.generic {indexing_maps = [#[[TURN]], #[[ALL]]]{{.*}} ins(%[[C]] : tensor<1x6x4xf16>) outs(%{{.*}} : tensor<6x4x1xf16>)
// CHECK-NOT: mulf
// CHECK: return %[[D]]
func.func @moved(%x: tensor<2x12xf32>, %s: tensor<f32>) -> tensor<6x4x1xf16> {
  %one = arith.constant 1.0 : f32
  %shape = arith.constant dense<[6, 1, 4]> : tensor<3xindex>
  %e = tensor.empty() : tensor<2x12xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x12xf32>) outs(%e : tensor<2x12xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = math.exp %p : f32
    linalg.yield %u : f32
  } -> tensor<2x12xf32>
  %r = tensor.reshape %y(%shape) : (tensor<2x12xf32>, tensor<3xindex>) -> tensor<6x1x4xf32>
  %f = tensor.empty() : tensor<1x6x4xf32>
  %c = linalg.generic {indexing_maps = [#first, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%r : tensor<6x1x4xf32>) outs(%f : tensor<1x6x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<1x6x4xf32>
  %g = tensor.empty() : tensor<6x4x1xf16>
  %z = linalg.generic {indexing_maps = [#turned, #none, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %s : tensor<1x6x4xf32>, tensor<f32>) outs(%g : tensor<6x4x1xf16>) {
  ^bb0(%p: f32, %q: f32, %o: f16):
    %u = arith.mulf %p, %q : f32
    %v = arith.addf %u, %one : f32
    %w = arith.truncf %v : f32 to f16
    linalg.yield %w : f16
  } -> tensor<6x4x1xf16>
  return %z : tensor<6x4x1xf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#line = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// Sizes that are known at run time only. The scalar is computed behind the
// source: so is the function.
// CHECK-LABEL: @later
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[S:.*]] = tensor.from_elements
// CHECK: %[[Z:.*]] = linalg.generic {{.*}} ins(%[[Y]], %[[S]] : tensor<?x4xf32>, tensor<f32>) outs(%{{.*}} : tensor<?x4xf32>)
// CHECK: %[[R:.*]] = tensor.reshape %[[Z]]
// CHECK-NEXT: return %[[R]]
func.func @later(%x: tensor<?x4xf32>, %e: tensor<?x4xf32>, %n: tensor<1xindex>, %f: tensor<?xf32>, %t: f32) -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = math.exp %p : f32
    linalg.yield %u : f32
  } -> tensor<?x4xf32>
  %r = tensor.reshape %y(%n) : (tensor<?x4xf32>, tensor<1xindex>) -> tensor<?xf32>
  %s = tensor.from_elements %t : tensor<f32>
  %z = linalg.generic {indexing_maps = [#line, #none, #line], iterator_types = ["parallel"]}
      ins(%r, %s : tensor<?xf32>, tensor<f32>) outs(%f : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %u = arith.mulf %p, %q : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#line = affine_map<(i) -> (i)>

// Not moved: an input of the function is no result of an op, elements depend on
// their index or get wider, the reshape has another reader.
// CHECK-LABEL: @left
// CHECK: tensor.reshape %arg0
// CHECK: tensor.reshape %{{.*}} : (tensor<2x6xf16>
// CHECK: arith.extf
// CHECK: tensor.reshape %{{.*}} : (tensor<2x6xf32>
// CHECK: linalg.index
// CHECK: tensor.reshape %{{.*}} : (tensor<2x6xf32>
// CHECK: math.sin
func.func @left(%x: tensor<2x6xf32>, %h: tensor<2x6xf16>, %n: tensor<1xindex>, %e: tensor<2x6xf32>, %g: tensor<2x6xf16>, %f: tensor<12xf32>)
    -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
  %r0 = tensor.reshape %x(%n) : (tensor<2x6xf32>, tensor<1xindex>) -> tensor<12xf32>
  %z0 = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%r0 : tensor<12xf32>) outs(%f : tensor<12xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = math.tanh %p : f32
    linalg.yield %u : f32
  } -> tensor<12xf32>
  %y1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<2x6xf16>) outs(%g : tensor<2x6xf16>) {
  ^bb0(%p: f16, %o: f16):
    %u = math.tanh %p : f16
    linalg.yield %u : f16
  } -> tensor<2x6xf16>
  %r1 = tensor.reshape %y1(%n) : (tensor<2x6xf16>, tensor<1xindex>) -> tensor<12xf16>
  %z1 = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%r1 : tensor<12xf16>) outs(%f : tensor<12xf32>) {
  ^bb0(%p: f16, %o: f32):
    %u = arith.extf %p : f16 to f32
    linalg.yield %u : f32
  } -> tensor<12xf32>
  %y2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x6xf32>) outs(%e : tensor<2x6xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = math.tanh %p : f32
    linalg.yield %u : f32
  } -> tensor<2x6xf32>
  %r2 = tensor.reshape %y2(%n) : (tensor<2x6xf32>, tensor<1xindex>) -> tensor<12xf32>
  %z2 = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%r2 : tensor<12xf32>) outs(%f : tensor<12xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %l = arith.sitofp %k : i32 to f32
    %u = arith.addf %p, %l : f32
    linalg.yield %u : f32
  } -> tensor<12xf32>
  %y3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x6xf32>) outs(%e : tensor<2x6xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = math.cos %p : f32
    linalg.yield %u : f32
  } -> tensor<2x6xf32>
  %r3 = tensor.reshape %y3(%n) : (tensor<2x6xf32>, tensor<1xindex>) -> tensor<12xf32>
  %z3 = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]} ins(%r3 : tensor<12xf32>) outs(%f : tensor<12xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = math.sin %p : f32
    linalg.yield %u : f32
  } -> tensor<12xf32>
  return %z0, %z1, %z2, %z3, %r3 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// What one side of a branch computes is not computed for the other.
// CHECK-LABEL: @branch
// CHECK: math.exp
// CHECK-NEXT: linalg.yield
// CHECK: tensor.reshape
// CHECK: scf.if
// CHECK: arith.negf
func.func @branch(%x: tensor<2x12xf32>, %t: tensor<i1>) -> tensor<6x4xf32> {
  %shape = arith.constant dense<[6, 4]> : tensor<2xindex>
  %c = graph.condition %t : tensor<i1>
  %e = tensor.empty() : tensor<2x12xf32>
  %f = tensor.empty() : tensor<6x4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x12xf32>) outs(%e : tensor<2x12xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = math.exp %p : f32
    linalg.yield %u : f32
  } -> tensor<2x12xf32>
  %r = tensor.reshape %y(%shape) : (tensor<2x12xf32>, tensor<2xindex>) -> tensor<6x4xf32>
  %s = scf.if %c -> tensor<6x4xf32> {
    %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%r : tensor<6x4xf32>) outs(%f : tensor<6x4xf32>) {
    ^bb0(%p: f32, %o: f32):
      %u = arith.negf %p : f32
      linalg.yield %u : f32
    } -> tensor<6x4xf32>
    scf.yield %n : tensor<6x4xf32>
  } else {
    scf.yield %f : tensor<6x4xf32>
  }
  return %s : tensor<6x4xf32>
}
