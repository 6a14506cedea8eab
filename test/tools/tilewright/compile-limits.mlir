// What a kernel may ask of compilation is checked before any work is done.
// RUN: split-file %s %t
// RUN: not tilewright compile %t/large.mlir --target cpu --emit asm 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tilewright compile %t/large.mlir --target sm_90a --emit ptx 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tilewright compile %t/long.mlir --target sm_90a --emit ptx 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not tilewright compile %t/dims.mlir --target sm_90a -o %t/o.twp 2>&1 | FileCheck %s --check-prefix=FIRST
// LARGE: large.mlir:3:8: error: {{.*}}tile.load: 'tensor<4096x4096xf32>' has 16777216 elements, expected at most 1048576; take smaller tiles, in a loop or by more programs
// LONG: the code would be too long: each of {{[0-9]+}} threads holds {{[0-9]+}} elements of a tile, expected at most 512; take smaller tiles, or more warps
// FIRST: dims.mlir:1:{{.*}}graph.dims

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
tile.kernel @k(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32> {graph.dims = ["M"]}) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<1024x1024xf32>
  %e = math.exp %t : tensor<1024x1024xf32>
  %f = math.exp %e : tensor<1024x1024xf32>
  tile.store %f, %y[%c0, %c0] : tensor<1024x1024xf32>, !tile.view<?x?xf32>
}
