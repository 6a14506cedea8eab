// A schedule says how a group of graph ops is cut.
// RUN: tilewright compile %s --emit tile | FileCheck %s --check-prefix=CHOSEN
// RUN: tilewright compile %s --emit tile \
// RUN:   --schedule "tile0=24 tile1=40 step0=20 grid=0" \
// RUN:   | FileCheck %s --check-prefix=GIVEN
// RUN: tilewright compile %s --target sm_80,cpu --emit tile \
// RUN:   --schedule "warps=2 rows=2 tile0=16" | FileCheck %s --check-prefix=BOTH
// RUN: not tilewright compile %s --emit tile --schedule "tile2=8" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright compile %s --emit tile --schedule "tile0=97" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LONG
// RUN: not tilewright compile %s --target sm_80 --emit tile \
// RUN:   --schedule "tile0=129" 2>&1 | FileCheck %s --check-prefix=GREATEST
// RUN: not tilewright compile %s --emit tile --schedule "grid=2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GRID

// CHOSEN: tile.dot
// CHOSEN-SAME: x64xf32>

// GIVEN: grid {{.*}}(s0 ceildiv 24, s1 ceildiv 40)
// GIVEN: scf.for
// GIVEN: tile.dot {{.*}} : tensor<24x20xf32>, tensor<20x40xf32> -> tensor<24x40xf32>

// BOTH: tensor<16x{{[0-9]+}}xf32>, tensor
// BOTH: tensor<16x{{[0-9]+}}xf32>, tensor

// UNKNOWN: cut-graph.mlir:{{[0-9]+}}:{{[0-9]+}}: error: schedule: unknown name 'tile2'; this kernel is tiled by tile0, tile1, step0, grid
// LONG: schedule: expected tile0 to be from 1 to 96, found 97
// GREATEST: schedule: expected tile0 to be from 1 to 128, found 129
// GRID: schedule: expected grid to be a dimension of the result that is tiled, found 2

func.func @main(%x: tensor<96x80xf32> {graph.name = "x"},
                %w: tensor<80x128xf32> {graph.name = "w"})
    -> (tensor<96x128xf32> {graph.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x128xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x128xf32>) -> tensor<96x128xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<96x80xf32>, tensor<80x128xf32>) outs(%f : tensor<96x128xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<96x128xf32>
  return %y : tensor<96x128xf32>
}
