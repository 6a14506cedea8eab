// Views that have no assumption are taken to be aligned, and so is a workspace;
// other arguments are not.
// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(assume-alignment))' | FileCheck %s

// CHECK: @k(%{{.*}}: !tile.view<4xf32> {tile.align = 16 : i64}, %{{.*}}: !tile.view<4xf32> {tile.align = 64 : i64}, %{{.*}}: !tile.ptr<f32>, %{{.*}}: index, %{{.*}}: !tile.ptr<f32> {tile.align = 64 : i64, tile.workspace = affine_map<()[s0, s1, s2] -> (256)>})
tile.kernel @k(%a: !tile.view<4xf32>, %b: !tile.view<4xf32> {tile.align = 64 : i64}, %p: !tile.ptr<f32>, %n: index, %w: !tile.ptr<f32> {tile.workspace = affine_map<()[s0, s1, s2] -> (256)>}) {
}
