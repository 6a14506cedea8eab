// RUN: tilewright-opt %s --fold-batch-norm --split-input-file | FileCheck %s
// What is freed is overwritten: a read of an op that is gone would be seen.
// RUN: env GLIBC_TUNABLES=glibc.malloc.tcache_count=0 MALLOC_PERTURB_=165 tilewright-opt %s --fold-batch-norm --split-input-file | FileCheck %s

#x = affine_map<(m, c, k) -> (m, k)>
#w = affine_map<(m, c, k) -> (c, k)>
#y = affine_map<(m, c, k) -> (m, c)>
#id = affine_map<(m, c) -> (m, c)>
#channel = affine_map<(m, c) -> (c)>
#vector = affine_map<(c) -> (c)>

// A bias, then (x - mean) * factor + shift for a factor that is computed from
// constants: the weights take the factor, one addition takes the rest.
// y = ((x w + 1) - [0, 2]) * ([6, 4] / sqrt([4, 16])) + [10, 20]
// CHECK-LABEL: @norm
// CHECK: %[[W:.*]] = arith.constant dense<{{\[\[}}3.000000e+00, 6.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%arg0, %[[W]] : tensor<?x2xf32>, tensor<2x2xf32>)
// CHECK: %[[B:.*]] = arith.constant dense<[1.300000e+01, 1.900000e+01]> : tensor<2xf32>
// CHECK: %[[R:.*]] = linalg.generic {{.*}} ins(%[[D]], %[[B]] : tensor<?x2xf32>, tensor<2xf32>)
// CHECK: arith.addf
// CHECK-NOT: arith.mulf
// CHECK: return %[[R]]
func.func @norm(%x: tensor<?x2xf32>, %e: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %bias = arith.constant dense<1.0> : tensor<2xf32>
  %mean = arith.constant dense<[0.0, 2.0]> : tensor<2xf32>
  %scale = arith.constant dense<[6.0, 4.0]> : tensor<2xf32>
  %variance = arith.constant dense<[4.0, 16.0]> : tensor<2xf32>
  %shift = arith.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %d = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x2xf32>, tensor<2x2xf32>) outs(%z : tensor<?x2xf32>) {
  ^bb0(%p: f32, %q: f32, %a: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x2xf32>
  %b = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %bias : tensor<?x2xf32>, tensor<2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x2xf32>
  %v = tensor.empty() : tensor<2xf32>
  %factor = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
      ins(%scale, %variance : tensor<2xf32>, tensor<2xf32>) outs(%v : tensor<2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = math.sqrt %q : f32
    %t = arith.divf %p, %s : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#id, #channel, #channel, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b, %mean, %factor, %shift : tensor<?x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%p: f32, %q: f32, %f: f32, %h: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    %t = arith.mulf %s, %f : f32
    %u = arith.addf %t, %h : f32
    linalg.yield %u : f32
  } -> tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// -----

#x = affine_map<(g, m, n, k) -> (n, g, k)>
#w = affine_map<(g, m, n, k) -> (g, m, k)>
#y = affine_map<(g, m, n, k) -> (n, g, m)>
#id = affine_map<(n, c) -> (n, c)>
#channel = affine_map<(n, c) -> (c)>

// Channels in groups: the channel is the group and the place in it.
// CHECK-LABEL: @grouped
// CHECK: arith.constant dense<{{\[\[\[}}1.000000e+00], [2.000000e+00]], {{\[\[}}3.000000e+00], [4.000000e+00]]]> : tensor<2x2x1xf32>
// CHECK: tensor.reshape
// CHECK: arith.addf
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @grouped(%x: tensor<5x2x1xf32>) -> tensor<5x4xf32> {
  %w = arith.constant dense<1.0> : tensor<2x2x1xf32>
  %scale = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x2x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5x2x2xf32>) -> tensor<5x2x2xf32>
  %d = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<5x2x1xf32>, tensor<2x2x1xf32>) outs(%z : tensor<5x2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %a: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x2x2xf32>
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  %sizes = tensor.from_elements %c5, %c4 : tensor<2xindex>
  %flat = tensor.reshape %d(%sizes) : (tensor<5x2x2xf32>, tensor<2xindex>) -> tensor<5x4xf32>
  %f = tensor.empty() : tensor<5x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%flat, %scale : tensor<5x4xf32>, tensor<4xf32>) outs(%f : tensor<5x4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %q, %p : f32
    linalg.yield %s : f32
  } -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}

// -----

#x = affine_map<(m, c, k) -> (m, k)>
#w = affine_map<(m, c, k) -> (c, k)>
#y = affine_map<(m, c, k) -> (m, c)>
#id = affine_map<(m, c) -> (m, c)>
#channel = affine_map<(m, c) -> (c)>
#row = affine_map<(m, c) -> (m)>

// Left alone: a product that others read too, one whose scaled weights would be
// infinite, scales of rows, which the weights do not have, and a square.
// CHECK-LABEL: @left
// CHECK-COUNT-2: arith.constant dense<{{.*}}3.000000e+38{{.*}}> : tensor<2x2xf32>
// CHECK-COUNT-7: arith.mulf
func.func @left(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = arith.constant dense<[[3.0e38, 1.0], [1.0, 1.0]]> : tensor<2x2xf32>
  %v = arith.constant dense<[[1.0, 1.0], [1.0, 3.0e38]]> : tensor<2x2xf32>
  %ten = arith.constant dense<[10.0, 0.5]> : tensor<2xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %read = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %v : tensor<2x2xf32>, tensor<2x2xf32>) outs(%z : tensor<2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %a: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  %r0 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%read, %ten : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  %large = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%r0, %w : tensor<2x2xf32>, tensor<2x2xf32>) outs(%z : tensor<2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %a: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  %r1 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%large, %ten : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  %rows = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%r1, %v : tensor<2x2xf32>, tensor<2x2xf32>) outs(%z : tensor<2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %a: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %a, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  %r2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %ten : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  %r3 = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%r2, %ten : tensor<2x2xf32>, tensor<2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %p : f32
    %t = arith.addf %s, %q : f32
    linalg.yield %t : f32
  } -> tensor<2x2xf32>
  return %read, %r0, %r1, %r2, %r3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

#id = affine_map<(m, c) -> (m, c)>
#channel = affine_map<(m, c) -> (c)>

// One constant is weights and scale: it goes with the last op that reads it.
// CHECK-LABEL: @shared
// CHECK-NOT: arith.constant dense<[2.000000e+00, 3.000000e+00]>
// CHECK: arith.constant dense<[4.000000e+00, 9.000000e+00]> : tensor<2xf32>
// CHECK-NOT: arith.constant dense<[2.000000e+00, 3.000000e+00]>
// CHECK: return
func.func @shared(%x: tensor<5x2xf32>) -> tensor<5x2xf32> {
  %w = arith.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<5x2xf32>
  %p = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<5x2xf32>, tensor<2xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %m, %zero : f32
    linalg.yield %s : f32
  } -> tensor<5x2xf32>
  %r = linalg.generic {indexing_maps = [#id, #channel, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %w : tensor<5x2xf32>, tensor<2xf32>) outs(%e : tensor<5x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}
