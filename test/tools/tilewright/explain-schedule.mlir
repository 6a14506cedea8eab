// What is chosen for a GPU's kernel, and why.
// RUN: tilewright compile %s --target sm_90a --explain-schedule | FileCheck %s
// RUN: tilewright compile %s --target sm_90a --explain-schedule \
// RUN:   --schedule "warps=1 vector_bits=32" | FileCheck %s --check-prefix=GIVEN
// RUN: not tilewright compile %s --explain-schedule 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-GPU
// RUN: not tilewright compile %s --target sm_90a --emit ptx \
// RUN:   --schedule "warps=33" 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: sm_90a  product: warps=8 vector_bits=128; 8 warps for a tile of 32768 bytes: about 64 a thread
// CHECK-NEXT: shared memory 49152 B, 3 barriers
// CHECK-NEXT: {{[0-9:]+}} tilegpu.copy 128x32 f32 4 cp.async of 16 bytes a thread
// Rows of 50 begin at multiples of 8 bytes.
// CHECK-NEXT: {{[0-9:]+}} tilegpu.copy 32x64 f32 4 cp.async of 8 bytes a thread: what divides rows' strides
// CHECK-NEXT: {{[0-9:]+}} tilegpu.dot 128x64 f32 multiplications and additions, 32 accumulators a thread
// CHECK-NEXT: {{[0-9:]+}} scf.for 2 stages, 49152 B in rings: 3 blocks on a multiprocessor
// Straight from the accumulators, accesses would be of half sectors.
// CHECK-NEXT: {{[0-9:]+}} tilegpu.store_shared 128x64 f32
// CHECK-NEXT: {{[0-9:]+}} tilegpu.load_shared 128x64 f32
// CHECK-NEXT: {{[0-9:]+}} tile.store 128x64 f32
// GIVEN: sm_90a  product: warps=1 vector_bits=32; given
// NO-GPU: error: --explain-schedule needs a GPU
// WRONG: error: schedule: expected 'warps' to be from 1 to 32, found {{.*}}33

tile.kernel @product(%A: !tile.view<?x64xf32> {tile.name = "A", tile.dims = ["M", ""]},
                     %B: !tile.view<64x50xf32> {tile.name = "B", tile.dims = ["", ""]},
                     %C: !tile.view<?x50xf32> {tile.name = "C", tile.dims = ["M", ""]})
    grid affine_map<()[M, K, k, n, m, N] -> (M ceildiv 128)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %i = tile.program_id
  %sum = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> tensor<128x64xf32> {
    %a = tile.load %A[%i, %k] pad 0.0 : !tile.view<?x64xf32> -> tensor<128x32xf32>
    %b = tile.load %B[%k, %c0] pad 0.0 : !tile.view<64x50xf32> -> tensor<32x64xf32>
    %n = tile.dot %a, %b, %acc : tensor<128x32xf32>, tensor<32x64xf32> -> tensor<128x64xf32>
    scf.yield %n : tensor<128x64xf32>
  }
  tile.store %sum, %C[%i, %c0] : tensor<128x64xf32>, !tile.view<?x50xf32>
}
