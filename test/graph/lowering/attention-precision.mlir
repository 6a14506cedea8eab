// RUN: tilewright-opt %s -pass-pipeline='builtin.module(mark-attentions,form-groups,convert-graph-to-tile{precision=bf16x6})' | FileCheck %s

// Both products of an attention of f32 have the precision; its tile is that of
// any attention of f32.
// CHECK-LABEL: tile.kernel
// CHECK: scf.for
// CHECK: tile.dot {{.*}} precision bf16x6 : tensor<64x32xf32>, tensor<32x128xf32> -> tensor<64x128xf32>
// CHECK: tile.dot {{.*}} precision bf16x6 : tensor<64x128xf32>, tensor<128x32xf32> -> tensor<64x32xf32>
// CHECK-NOT: tile.dot
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#keys = affine_map<(d0, d1, d2) -> (d1, d2)>
#values = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
module attributes {graph.targets = [#gpu]} {
  func.func @causal(%q: tensor<256x32xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>) -> tensor<256x32xf32> attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<256x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %s = linalg.generic {indexing_maps = [#rows, #keys, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<256x32xf32>, tensor<512x32xf32>) outs(%f : tensor<256x512xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<256x512xf32>
    %t = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c3 = arith.constant 3 : index
      %last = arith.addi %i, %c3 : index
      %seen = arith.cmpi sle, %j, %last : index
      %m = arith.select %seen, %a, %low : f32
      linalg.yield %m : f32
    } -> tensor<256x512xf32>
    %r = tensor.empty() : tensor<256xf32>
    %g = linalg.fill ins(%low : f32) outs(%r : tensor<256xf32>) -> tensor<256xf32>
    %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<256x512xf32>) outs(%g : tensor<256xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.maximumf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<256xf32>
    %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<256x512xf32>, tensor<256xf32>) outs(%e : tensor<256x512xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.subf %a, %b : f32
      %n = math.exp %m : f32
      linalg.yield %n : f32
    } -> tensor<256x512xf32>
    %h = linalg.fill ins(%zero : f32) outs(%r : tensor<256xf32>) -> tensor<256xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<256x512xf32>) outs(%h : tensor<256xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.addf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<256xf32>
    %ew = tensor.empty() : tensor<256x512xf32>
    %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<256x512xf32>, tensor<256xf32>) outs(%ew : tensor<256x512xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.divf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<256x512xf32>
    %eo = tensor.empty() : tensor<256x32xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<256x32xf32>) -> tensor<256x32xf32>
    %out = linalg.generic {indexing_maps = [#rows, #values, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %v : tensor<256x512xf32>, tensor<512x32xf32>) outs(%fo : tensor<256x32xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.mulf %a, %b : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<256x32xf32>
    return %out : tensor<256x32xf32>
  }
}
