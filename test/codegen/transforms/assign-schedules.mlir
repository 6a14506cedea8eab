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
