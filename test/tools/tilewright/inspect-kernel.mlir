// The levels of a kernel side by side, by the lines of the source.
// RUN: tilewright inspect %s --target sm_90a | FileCheck %s
// RUN: not tilewright inspect %s --target sm_1 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TARGET
// RUN: not tilewright inspect %t.none.mlir --target sm_80 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE

// CHECK: kernel sum for sm_90a
// CHECK: {{^}}[[@LINE+19]] %t = tile.load %x
// CHECK-NEXT: {{^}} tile.load 1x256 f32 #0 {{[0-9]+ [a-z]+}}
// CHECK: ld.global.v4.b32
// The whole line belongs to the reduction, its region to a line of its own.
// CHECK: {{^}}[[@LINE+16]] %s = tile.reduce %t axis 1 {
// CHECK-NEXT: {{^}} tilegpu.reduce 1x1 f32 #1 5 shfl.sync.bfly.b32
// CHECK: {{^}}[[@LINE+17]] %c = arith.addf %a, %b : f32
// CHECK-NEXT: {{^}} arith.addf 11 add.rn.f32
// CHECK: tile.store  1 f32 #2
// CHECK: st.global.b32
// CHECK: #0 = registers cell=1x256
// CHECK: #2 = registers cell=1
// TARGET: error: --target: there is no target 'sm_1'
// NONE: none.mlir: error: no such file

tile.kernel @sum(%x: !tile.view<4x256xf32>, %y: !tile.view<4xf32>)
    grid affine_map<()[a, b, c] -> (4)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %t = tile.load %x[%i, %c0] : !tile.view<4x256xf32> -> tensor<1x256xf32>
  %s = tile.reduce %t axis 1 {
  ^bb0(%a: f32, %b: f32):
    // Once for each step.
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : tensor<1x256xf32> -> tensor<1xf32>
  tile.store %s, %y[%i] : tensor<1xf32>, !tile.view<4xf32>
}
