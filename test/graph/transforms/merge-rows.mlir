// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(form-groups,merge-rows)' | FileCheck %s

#x = affine_map<(b, s, n, k) -> (b, s, k)>
#w = affine_map<(b, s, n, k) -> (k, n)>
#y = affine_map<(b, s, n, k) -> (b, s, n)>
#id = affine_map<(b, s, n) -> (b, s, n)>
#row = affine_map<(b, s, n) -> (n)>

// Two products: rows are one dimension in both groups, and the first result is
// not reshaped in between. A function of all rows belongs to the first group.
// CHECK-LABEL: @chain
// CHECK: %[[B:.*]] = tensor.dim %arg0
// CHECK: %[[S:.*]] = tensor.dim %arg0
// CHECK: %[[N:.*]] = affine.apply {{.*}}[%[[B]], %[[S]]]
// CHECK: %[[SHAPE:.*]] = tensor.from_elements %[[N]], %{{.*}} : tensor<2xindex>
// CHECK: %[[X:.*]] = tensor.reshape %arg0(%[[SHAPE]]) : (tensor<?x?x64xf32>, tensor<2xindex>) -> tensor<?x64xf32>
// CHECK: %[[H:.*]] = graph.group(%[[X]], %arg1, %arg2 : tensor<?x64xf32>, tensor<64x32xf32>, tensor<32xf32>) sizes({{.*}}%[[N]]{{.*}}) : tensor<?x32xf32> {
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]}
// CHECK-NOT: tensor.reshape %[[H]]{{.*}} -> tensor<?x32xf32>
// CHECK: %[[Y:.*]] = graph.group(%[[H]], %arg3 : tensor<?x32xf32>, tensor<32x16xf32>)
// CHECK: %[[R:.*]] = tensor.reshape %[[Y]](%{{.*}}) : (tensor<?x16xf32>, tensor<3xindex>) -> tensor<?x?x16xf32>
// CHECK: return %[[R]]
module {
  func.func @chain(%x: tensor<?x?x64xf32>, %w: tensor<64x32xf32>, %c: tensor<32xf32>, %v: tensor<32x16xf32>) -> tensor<?x?x16xf32> attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
    %s = tensor.dim %x, %c1 : tensor<?x?x64xf32>
    %e = tensor.empty(%b, %s) : tensor<?x?x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %p = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x?x64xf32>, tensor<64x32xf32>) outs(%f : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %m = arith.mulf %a, %t : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x?x32xf32>
    %h = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %c : tensor<?x?x32xf32>, tensor<32xf32>) outs(%e : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %m = arith.addf %a, %t : f32
      linalg.yield %m : f32
    } -> tensor<?x?x32xf32>
    %e2 = tensor.empty(%b, %s) : tensor<?x?x16xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
    %q = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %v : tensor<?x?x32xf32>, tensor<32x16xf32>) outs(%f2 : tensor<?x?x16xf32>) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %m = arith.mulf %a, %t : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x?x16xf32>
    return %q : tensor<?x?x16xf32>
  }
}

// -----

#x = affine_map<(b, s, n, k) -> (b, s, k)>
#turned = affine_map<(b, s, n, k) -> (s, b, k)>
#w = affine_map<(b, s, n, k) -> (k, n)>
#y = affine_map<(b, s, n, k) -> (b, s, n)>
#id = affine_map<(b, s, n) -> (b, s, n)>
#one = affine_map<(b, s, n) -> (s, n)>

// Not merged: the inner dimension is known; the input has the dimensions in
// another order; a bias has one of them; elements depend on the index of one.
// CHECK-LABEL: @apart
// CHECK-NOT: tensor.reshape
// CHECK: graph.group
// CHECK-NOT: tensor.reshape
// CHECK: graph.group
// CHECK-NOT: tensor.reshape
// CHECK: graph.group
// CHECK-NOT: tensor.reshape
// CHECK: graph.group
// CHECK-NOT: tensor.reshape
// CHECK: return
module {
  func.func @apart(%k: tensor<?x8x64xf32>, %x: tensor<?x?x64xf32>, %c: tensor<?x32xf32>, %w: tensor<64x32xf32>) -> (tensor<?x8x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>) attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %g = tensor.dim %k, %c0 : tensor<?x8x64xf32>
    %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
    %s = tensor.dim %x, %c1 : tensor<?x?x64xf32>
    %e0 = tensor.empty(%g) : tensor<?x8x32xf32>
    %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x8x32xf32>) -> tensor<?x8x32xf32>
    %y0 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%k, %w : tensor<?x8x64xf32>, tensor<64x32xf32>) outs(%f0 : tensor<?x8x32xf32>) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %m = arith.mulf %a, %t : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x8x32xf32>
    %e1 = tensor.empty(%s, %b) : tensor<?x?x32xf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %y1 = linalg.generic {indexing_maps = [#turned, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x?x64xf32>, tensor<64x32xf32>) outs(%f1 : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %m = arith.mulf %a, %t : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x?x32xf32>
    %e2 = tensor.empty(%b, %s) : tensor<?x?x32xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x?x32xf32>) -> tensor<?x?x32xf32>
    %p2 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x?x64xf32>, tensor<64x32xf32>) outs(%f2 : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %m = arith.mulf %a, %t : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x?x32xf32>
    %y2 = linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p2, %c : tensor<?x?x32xf32>, tensor<?x32xf32>) outs(%e2 : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %m = arith.addf %a, %t : f32
      linalg.yield %m : f32
    } -> tensor<?x?x32xf32>
    %p3 = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x?x64xf32>, tensor<64x32xf32>) outs(%f2 : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %t: f32, %o: f32):
      %m = arith.mulf %a, %t : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x?x32xf32>
    %y3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p3 : tensor<?x?x32xf32>) outs(%e2 : tensor<?x?x32xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 1 : index
      %j = arith.index_cast %i : index to i32
      %m = arith.sitofp %j : i32 to f32
      %n = arith.addf %a, %m : f32
      linalg.yield %n : f32
    } -> tensor<?x?x32xf32>
    return %y0, %y1, %y2, %y3 : tensor<?x8x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  }
}
