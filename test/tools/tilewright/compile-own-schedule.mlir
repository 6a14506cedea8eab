// The schedule of a kernel's text counts where none is given.
// RUN: tilewright compile %s --kernel gpu --target sm_80 --emit ptx | FileCheck %s --check-prefix=OWN
// RUN: tilewright compile %s --kernel gpu --target sm_80 --emit ptx --schedule warps=4 | FileCheck %s --check-prefix=GIVEN
// RUN: tilewright compile %s --kernel gpu --target sm_80 --explain-schedule --emit ptx -o %t.ptx | FileCheck %s --check-prefix=WHY
// RUN: tilewright compile %s --kernel cpu -o %t.twp
// RUN: FileCheck %s --check-prefix=CHUNK --input-file %t.twp/manifest.json
// RUN: not tilewright compile %s --kernel cpu --target sm_80 -o %t.twp 2>&1 | FileCheck %s --check-prefix=WRONG

// OWN: .reqntid 64
// GIVEN: .reqntid 128
// WHY: given
// CHUNK: "chunk": 3
// WRONG: compile-own-schedule.mlir:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}'chunk'

tile.kernel @gpu(%x: !tile.view<64x64xf32>) attributes {tile.schedule = #tile.schedule<warps = 2>} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  %s = arith.addf %t, %t : tensor<64x64xf32>
  tile.store %s, %x[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

tile.kernel @cpu(%x: !tile.view<64x64xf32>) attributes {tile.schedule = #tile.schedule<chunk = 3>} {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<64x64xf32> -> tensor<64x64xf32>
  tile.store %t, %x[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
