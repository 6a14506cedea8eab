// A cubin for each kernel and target.
// REQUIRES: ptxas
// RUN: rm -rf %t && tilewright compile %s --target sm_80,sm_100a --emit cubin \
// RUN:   -o %t --ptxas %ptxas --lineinfo | FileCheck %s --check-prefix=DONE
// RUN: llvm-readelf -h %t/sum.sm_80.cubin | FileCheck %s
// RUN: llvm-readelf -S %t/sum.sm_100a.cubin | FileCheck %s --check-prefix=LINES

// DONE: 2 cubins ->
// CHECK: Class: ELF64
// CHECK: Machine: {{.*}}
// LINES: .debug_line

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
