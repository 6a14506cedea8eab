// RUN: tilewright-opt %s -pass-pipeline='builtin.module(graph.gpu_code(add-variants))' | FileCheck %s

// Kernels for launches that allow faster code, before those for all.
graph.gpu_code {
  // Rows of open size could be multiples of the widest access.
  // CHECK: module @k0.wide
  // CHECK-NEXT: tile.kernel @k0(%{{.*}}: !tile.view<?x?xf32> {tile.dim_divisible = array<i64: 1, 4>}, %{{.*}}: !tile.view<?x?xf32> {tile.dim_divisible = array<i64: 1, 4>})
  // CHECK-SAME: tile.variant = "wide"
  // CHECK: module @k0
  // CHECK-NOT: divisible
  module @k0 attributes {tile.target = #tile.target<"sm_90a">} {
    tile.kernel @k0(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
      %c0 = arith.constant 0 : index
      %t = tile.load %x[%c0, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x64xf32>
      tile.store %t, %y[%c0, %c0] : tensor<4x64xf32>, !tile.view<?x?xf32>
    }
  }
  // A loop loads from one argument and writes another.
  // CHECK: module @k1.disjoint
  // CHECK-NEXT: tile.kernel @k1(%{{.*}}: !tile.view<64x64xf32>, %{{.*}}: !tile.view<64x64xf32> {tile.disjoint = array<i64: 0>})
  // CHECK-SAME: tile.variant = "disjoint"
  // CHECK: module @k1
  // CHECK-NOT: disjoint
  module @k1 attributes {tile.target = #tile.target<"sm_90a">} {
    tile.kernel @k1(%y: !tile.view<64x64xf32>, %x: !tile.view<64x64xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      scf.for %i = %c0 to %c64 step %c1 {
        %t = tile.load %x[%i, %c0] : !tile.view<64x64xf32> -> tensor<1x64xf32>
        tile.store %t, %y[%i, %c0] : tensor<1x64xf32>, !tile.view<64x64xf32>
      }
    }
  }
  // What it writes behind the loop, or changes in place, is not waited for.
  // CHECK: module @k2
  // CHECK-NOT: module
  module @k2 attributes {tile.target = #tile.target<"sm_90a">} {
    tile.kernel @k2(%y: !tile.view<64x64xf32>, %x: !tile.view<64x64xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      scf.for %i = %c0 to %c64 step %c1 {
        %t = tile.load %y[%i, %c0] : !tile.view<64x64xf32> -> tensor<1x64xf32>
        tile.store %t, %y[%i, %c0] : tensor<1x64xf32>, !tile.view<64x64xf32>
      }
      %u = tile.load %x[%c0, %c0] : !tile.view<64x64xf32> -> tensor<1x64xf32>
      tile.store %u, %y[%c0, %c0] : tensor<1x64xf32>, !tile.view<64x64xf32>
    }
  }
}
