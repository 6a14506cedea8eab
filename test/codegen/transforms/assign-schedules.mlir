// A kernel's schedule: the option's, else its own, else the default of its work;
// each parameter is written down.
// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(tile.kernel(assign-schedules))' | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="vector_bits=32 warps=2"}))' 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: not tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(tile.kernel(assign-schedules{schedule="rows=2"}))' 2>&1 | FileCheck %s --check-prefix=WRONG

// WRONG: error: {{.*}}'rows'
module {
  // DEFAULT: @sum{{.*}}tile.schedule = #tile.schedule<warps = 8, vector_bits = 128>
  // GIVEN: @sum{{.*}}tile.schedule = #tile.schedule<warps = 2, vector_bits = 32>
  tile.kernel @sum(%x: !tile.view<64x256xf32>) {
    %c0 = arith.constant 0 : index
    %t = tile.load %x[%c0, %c0] : !tile.view<64x256xf32> -> tensor<64x256xf32>
    tile.store %t, %x[%c0, %c0] : tensor<64x256xf32>, !tile.view<64x256xf32>
  }
  // CHECK: @own{{.*}}tile.schedule = #tile.schedule<warps = 1, vector_bits = 128>
  // GIVEN: @own{{.*}}tile.schedule = #tile.schedule<warps = 2, vector_bits = 32>
  tile.kernel @own() attributes {tile.schedule = #tile.schedule<warps = 1>} {
  }
}

// -----

// Matrix instructions: 64 accumulators a thread. Their operands are copied, so
// that four elements count as one: 256 x 128 are 8,192.
module attributes {tile.target = #tile.target<"sm_80">} {
  // DEFAULT: @square{{.*}}tile.schedule = #tile.schedule<warps = 2, vector_bits = 128>
  tile.kernel @square(%x: !tile.view<64x64xf16>) {
    %c0 = arith.constant 0 : index
    %acc = arith.constant dense<0.0> : tensor<64x64xf32>
    %a = tile.load %x[%c0, %c0] : !tile.view<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  }
  // DEFAULT: @tall{{.*}}tile.schedule = #tile.schedule<warps = 8, vector_bits = 128>
  tile.kernel @tall(%x: !tile.view<256x128xf16>, %y: !tile.view<128x16xf16>) {
    %c0 = arith.constant 0 : index
    %acc = arith.constant dense<0.0> : tensor<256x16xf32>
    %a = tile.load %x[%c0, %c0] : !tile.view<256x128xf16> -> tensor<256x128xf16>
    %b = tile.load %y[%c0, %c0] : !tile.view<128x16xf16> -> tensor<128x16xf16>
    %d = tile.dot %a, %b, %acc : tensor<256x128xf16>, tensor<128x16xf16> -> tensor<256x16xf32>
  }
}
