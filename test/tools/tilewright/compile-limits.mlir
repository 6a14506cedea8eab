// What a kernel may ask of compilation is checked before any work is done.
// RUN: split-file %s %t
// RUN: not tilewright compile %t/large.mlir --target cpu --emit asm 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tilewright compile %t/large.mlir --target sm_90a --emit ptx 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tilewright compile %t/long.mlir --target sm_90a --emit ptx 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not tilewright compile %t/dims.mlir --target sm_90a -o %t/o.twp 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not tilewright compile %t/small.mlir --target cpu --emit asm --max-llvm-ir 5 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: not tilewright compile %t/small.mlir --target sm_90a -o %t/s.twp --max-llvm-ir 5 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: not tilewright compile %t/wide.mlir --target sm_90a -o %t/s.twp --max-ir-memory 1 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: tilewright compile %t/wide.mlir --target sm_90a,cpu -o %t/s.twp --max-ir-memory 0 --max-llvm-ir 0
// LARGE: large.mlir:3:8: error: {{.*}}tile.load: 'tensor<4096x4096xf32>' has 16777216 elements, expected at most 1048576; take smaller tiles, in a loop or by more programs
// LONG: the code would be too long: each of {{[0-9]+}} threads holds {{[0-9]+}} elements of a tile, expected at most 512; take smaller tiles, or more warps
// LLVM: phase 'optimize' of kernel 'k' passed the limit of 5 instructions of LLVM IR ({{[0-9]+}} instructions); take smaller tiles, or a larger limit
// MEMORY: of kernel 'k' passed the limit of 1048576 B of IR ({{[0-9]+}} B); take smaller tiles, or a larger limit
// FIRST: dims.mlir:1:{{.*}}tile.dims

//--- large.mlir
tile.kernel @k(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
  %i = arith.constant 0 : index
  %t = tile.load %x[%i, %i] pad 0.0 : !tile.view<?x?xf32> -> tensor<4096x4096xf32>
  tile.store %t, %y[%i, %i] : tensor<4096x4096xf32>, !tile.view<?x?xf32>
}

//--- long.mlir
tile.kernel @k(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<1024x1024xf32>
  %e = math.exp %t : tensor<1024x1024xf32>
  %f = math.exp %e : tensor<1024x1024xf32>
  tile.store %f, %y[%c0, %c0] : tensor<1024x1024xf32>, !tile.view<?x?xf32>
}

//--- dims.mlir
tile.kernel @k(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32> {tile.dims = ["M"]}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<1024x1024xf32>
  %e = math.exp %t : tensor<1024x1024xf32>
  %f = math.exp %e : tensor<1024x1024xf32>
  tile.store %f, %y[%c0, %c0] : tensor<1024x1024xf32>, !tile.view<?x?xf32>
}

//--- small.mlir
tile.kernel @k(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x4xf32>
  tile.store %t, %y[%c0, %c0] : tensor<4x4xf32>, !tile.view<?x?xf32>
}

//--- wide.mlir
tile.kernel @k(%x: !tile.view<?x?xf64>, %y: !tile.view<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] pad 0.0 : !tile.view<?x?xf64> -> tensor<64x64xf64>
  %e0 = math.sin %t : tensor<64x64xf64>
  %e1 = math.sin %e0 : tensor<64x64xf64>
  %e2 = math.sin %e1 : tensor<64x64xf64>
  %e3 = math.sin %e2 : tensor<64x64xf64>
  %e4 = math.sin %e3 : tensor<64x64xf64>
  %e5 = math.sin %e4 : tensor<64x64xf64>
  %e6 = math.sin %e5 : tensor<64x64xf64>
  %e7 = math.sin %e6 : tensor<64x64xf64>
  %e8 = math.sin %e7 : tensor<64x64xf64>
  %e9 = math.sin %e8 : tensor<64x64xf64>
  %e10 = math.sin %e9 : tensor<64x64xf64>
  %e11 = math.sin %e10 : tensor<64x64xf64>
  %e12 = math.sin %e11 : tensor<64x64xf64>
  %e13 = math.sin %e12 : tensor<64x64xf64>
  %e14 = math.sin %e13 : tensor<64x64xf64>
  %e15 = math.sin %e14 : tensor<64x64xf64>
  %e16 = math.sin %e15 : tensor<64x64xf64>
  %e17 = math.sin %e16 : tensor<64x64xf64>
  %e18 = math.sin %e17 : tensor<64x64xf64>
  %e19 = math.sin %e18 : tensor<64x64xf64>
  %e20 = math.sin %e19 : tensor<64x64xf64>
  %e21 = math.sin %e20 : tensor<64x64xf64>
  %e22 = math.sin %e21 : tensor<64x64xf64>
  %e23 = math.sin %e22 : tensor<64x64xf64>
  tile.store %e23, %y[%c0, %c0] : tensor<64x64xf64>, !tile.view<?x?xf64>
}
