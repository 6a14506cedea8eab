// The layout of each tile, its price, and the conversions that are left.
// RUN: tilewright compile %s --target sm_90a --explain-layouts | FileCheck %s
// RUN: tilewright compile %s --target sm_90a --explain-layouts --json \
// RUN:   | FileCheck %s --check-prefix=JSON
// RUN: not tilewright compile %s --explain-layouts 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-GPU

// Both sides of a transpose of single elements are read and written in whole
// lines; what is between moves through shared memory.
// CHECK: sm_90a  turned: price {{[0-9]+}} a block, the least with these candidates
// CHECK-NEXT: {{[0-9:]+}} tile.load 32x64 f32 L0 {{[0-9]+}} ({{.*}} 256 sectors, 64 requests); L1 would add
// CHECK-NEXT: {{[0-9:]+}} tile.transpose 64x32 f32 L2 0; L3 would add
// CHECK-NEXT: converts 32x64 f32 from L0 to L1: {{[0-9]+}} ({{.*}} wavefronts, {{.*}} barriers)
// CHECK-NEXT: {{[0-9:]+}} tile.store 64x32 f32 L2
// CHECK: L0 = registers cell=32x64
// JSON: "layouts": "sm_90a  turned: price
// NO-GPU: error: --explain-layouts needs a GPU
tile.kernel @turned(%x: !tile.view<32x64xf32> {tile.align = 4 : i64}, %y: !tile.view<64x32xf32> {tile.align = 4 : i64}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<32x64xf32> -> tensor<32x64xf32>
  %u = tile.transpose %t [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  tile.store %u, %y[%c0, %c0] : tensor<64x32xf32>, !tile.view<64x32xf32>
}
