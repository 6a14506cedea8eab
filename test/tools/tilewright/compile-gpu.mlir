// What a GPU's kernels can be asked for.
// RUN: tilewright compile %s --target sm_80,sm_120a --check-barriers \
// RUN:   | FileCheck %s --check-prefix=BARRIERS
// RUN: not tilewright compile %s --check-barriers 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-GPU
// RUN: not tilewright compile %s --lineinfo --emit tile 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-LINES
// RUN: tilewright compile %s --target sm_90a --emit ptx --lineinfo \
// RUN:   | FileCheck %s --check-prefix=LINES
// RUN: tilewright compile %s --target sm_90a --emit ptx \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: not tilewright compile %s --target sm_90a --emit ptx -o - 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DASH
// RUN: not tilewright compile %s --target sm_90a --emit cubin 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NO-OUTPUT
// RUN: not tilewright compile %s --target sm_90a --emit cubin -o %t \
// RUN:   --ptxas %t/none 2>&1 | FileCheck %s --check-prefix=NO-PTXAS

// BARRIERS: barriers: none is missing
// DASH: -o: expected a file to write, found '-'
// NO-GPU: error: --check-barriers needs a GPU: --target sm_80,
// NO-LINES: error: --lineinfo needs a GPU: --target sm_80,
// LINES: .loc 1 [[@LINE+11]] 8
// LINES: ld.global
// LINES: .file 1 "{{.*}}compile-gpu.mlir"
// PLAIN-NOT: .loc
// NO-OUTPUT: --emit cubin needs the directory of the cubins: -o DIRECTORY
// NO-PTXAS: error: --ptxas {{.*}}/none: no such program

tile.kernel @sum(%x: !tile.view<4x256xf32>, %y: !tile.view<4xf32>)
    grid affine_map<()[a, b, c] -> (4)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %t = tile.load %x[%i, %c0] : !tile.view<4x256xf32> -> tensor<1x256xf32>
  %s = tile.reduce %t axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : tensor<1x256xf32> -> tensor<1xf32>
  tile.store %s, %y[%i] : tensor<1xf32>, !tile.view<4xf32>
}
