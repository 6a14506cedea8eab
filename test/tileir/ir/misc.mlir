// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Assumptions, assertions, printing, inline PTX, tunables.

// CHECK: tile.func @misc(%{{[^ ]+}}: index, %{{[^ ]+}}: !tile.ptr<f32>, %{{[^ ]+}}: tensor<8xi32>, %{{[^ ]+}}: tensor<8xi1>) {
tile.func @misc(%n: index, %p: !tile.ptr<f32>, %t: tensor<8xi32>, %m: tensor<8xi1>) {
  // CHECK: tile.assume %{{[^ ]+}} divisible 16 range [0, 4096] : index
  %a = tile.assume %n divisible 16 range [0, 4096] : index
  // CHECK: tile.assume %{{[^ ]+}} divisible 16 : !tile.ptr<f32>
  %b = tile.assume %p divisible 16 : !tile.ptr<f32>
  // CHECK: tile.assume %{{[^ ]+}} range [-1, 1] : tensor<8xi32>
  %c = tile.assume %t range [-1, 1] : tensor<8xi32>
  // CHECK: tile.assert %{{[^ ]+}}, "index out of range" : tensor<8xi1>
  tile.assert %m, "index out of range" : tensor<8xi1>
  // CHECK: tile.print "here"
  tile.print "here"
  // CHECK: tile.print "x = ", %{{[^ ]+}}, %{{[^ ]+}} : tensor<8xi32>, index
  tile.print "x = ", %t, %n : tensor<8xi32>, index
  // CHECK: tile.inline_ptx "add.s32 $0, $1, $2;" constraints "=r,r,r" pure(%{{[^ ]+}}, %{{[^ ]+}}) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %d = tile.inline_ptx "add.s32 $0, $1, $2;" constraints "=r,r,r" pure(%t, %t) : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK: tile.inline_ptx "nanosleep.u32 100;" constraints ""() : () -> ()
  tile.inline_ptx "nanosleep.u32 100;" constraints ""() : () -> ()
  // CHECK: tile.tunable "stages" of [2, 3, 4]
  %e = tile.tunable "stages" of [2, 3, 4]
}
