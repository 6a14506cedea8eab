// RUN: tilewright-opt %s -pass-pipeline='builtin.module(form-groups,convert-graph-to-tile{precision=tf32})' | FileCheck %s
// RUN: tilewright-opt %s -pass-pipeline='builtin.module(form-groups,convert-graph-to-tile)' | FileCheck %s --check-prefix=IEEE
// RUN: not tilewright-opt %s -pass-pipeline='builtin.module(form-groups,convert-graph-to-tile{precision=fast})' 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: precision: expected ieee, tf32, tf32x3, bf16x3 or bf16x6, found 'fast'

// IEEE-NOT: precision tf32

// Products of f32 have the precision for each target. Tiles for matrix units
// are steps of 128 bytes: 32 elements of f32.
// CHECK-LABEL: module @cpu
// CHECK: tile.kernel @k0_
// CHECK: tile.dot {{.*}} precision tf32 : tensor<{{.*}}xf32>
// CHECK-LABEL: module @sm_80
// CHECK: tile.kernel @k0_
// CHECK: tile.dot {{.*}} precision tf32 : tensor<128x32xf32>, tensor<32x256xf32> -> tensor<128x256xf32>
// IEEE-LABEL: module @sm_80
// IEEE: tile.kernel @k0_
// IEEE: tile.dot {{.*}} : tensor<128x32xf32>, tensor<32x128xf32> -> tensor<128x128xf32>

// Products of f16 do not change.
// CHECK: tile.kernel @k1_
// CHECK-NOT: precision
// CHECK: tile.dot {{.*}} : tensor<128x64xf32>, tensor<64x256xf32> -> tensor<128x256xf32>
// CHECK-NOT: precision
// IEEE: tile.kernel @k1_
// IEEE: tile.dot {{.*}} : tensor<128x64xf32>, tensor<64x256xf32> -> tensor<128x256xf32>
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {graph.targets = [#tile.target<"cpu">, #gpu]} {
  func.func @products(%a: tensor<4096x1024xf32>, %b: tensor<1024x4096xf32>, %c: tensor<4096x1024xf16>, %d: tensor<1024x4096xf16>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>) attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4096x4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    %s = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<4096x1024xf32>, tensor<1024x4096xf32>) outs(%f : tensor<4096x4096xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<4096x4096xf32>
    %t = linalg.generic {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%c, %d : tensor<4096x1024xf16>, tensor<1024x4096xf16>) outs(%f : tensor<4096x4096xf32>) {
    ^bb0(%p: f16, %q: f16, %o: f32):
      %x = arith.extf %p : f16 to f32
      %y = arith.extf %q : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<4096x4096xf32>
    return %s, %t : tensor<4096x4096xf32>, tensor<4096x4096xf32>
  }
}
