// What a stage promises to the next is checked, with the op that breaks it.
// RUN: split-file %s %t
// RUN: not tilewright-opt %t/call.mlir -pass-pipeline='builtin.module(tile.kernel(verify-tile-form))' 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not tilewright-opt %t/plain.mlir -pass-pipeline='builtin.module(tile.kernel(verify-tile-form))' 2>&1 | FileCheck %s --check-prefix=SCHEDULE
// RUN: not tilewright-opt %t/plain.mlir -pass-pipeline='builtin.module(tile.kernel(verify-scheduled-form))' 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not tilewright-opt %t/tile.mlir -pass-pipeline='builtin.module(tile.kernel(verify-scheduled-form))' 2>&1 | FileCheck %s --check-prefix=LAYOUT
// RUN: not tilewright-opt %t/dot.mlir -pass-pipeline='builtin.module(tile.kernel(verify-scheduled-form))' 2>&1 | FileCheck %s --check-prefix=EXPANDED
// RUN: not tilewright-opt %t/alloc.mlir -pass-pipeline='builtin.module(tile.kernel(verify-scheduled-form))' 2>&1 | FileCheck %s --check-prefix=LOCATION
// RUN: not tilewright-opt %t/warps.mlir -pass-pipeline='builtin.module(tile.kernel(verify-scheduled-form))' 2>&1 | FileCheck %s --check-prefix=WARPS
// RUN: not tilewright-opt %t/plain.mlir -verify-loops-form 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not tilewright-opt %t/tensor.mlir -verify-loops-form 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: tilewright compile %t/plain.mlir --target cpu,sm_80 -o %t/p.twp --verify-each

// CALL: expected calls to be inlined and tunables to be bound, found tile.call
// SCHEDULE: expected a tile.schedule: assign-schedules runs before
// SHARED: expected tilegpu.shared: allocate-shared runs before
// LAYOUT: expected tiles with layouts, found 'tensor<4xf32>'
// EXPANDED: expected it to be expanded, found tile.scan
// LOCATION: expected an offset within the 64 bytes of shared memory of the kernel
// WARPS: expected a conversion within warps
// KERNEL: expected loops, branches and arithmetic, found tile.load
// TENSOR: expected scalars and vectors, found 'tensor<4xf32>'

//--- call.mlir
tile.func @f() {
  tile.return
}
tile.kernel @k() {
  tile.call @f() : () -> ()
}

//--- plain.mlir
tile.kernel @k(%x: !tile.view<4xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<4xf32> -> tensor<4xf32>
  tile.store %t, %x[%c0] : tensor<4xf32>, !tile.view<4xf32>
}

//--- tile.mlir
tile.kernel @k() attributes {tilegpu.shared = 0 : i64} {
  %t = arith.constant dense<1.0> : tensor<4xf32>
}

//--- dot.mlir
#l = #tilegpu.layout<"blocked shape=32 per-thread=1 lanes=32 warps=1">
tile.kernel @k() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  %t = arith.constant dense<1.0> : tensor<32xf32, #l>
  %s = tile.scan %t axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : tensor<32xf32, #l> -> tensor<32xf32, #l>
}

//--- alloc.mlir
#mem = #tilegpu.layout<"memory cell=8x32 offset=(0,1),(0,2),(0,4),(0,8),(0,16),(1,0),(2,0),(4,0)">
tile.kernel @k() attributes {tilegpu.shared = 64 : i64, tilegpu.warps = 1 : i64} {
  %m = tilegpu.alloc offset 0 : <8x32xf32, #mem>
}

//--- warps.mlir
#a = #tilegpu.layout<"blocked shape=64 per-thread=1 lanes=32 warps=2">
#b = #tilegpu.layout<"blocked shape=64 per-thread=2 lanes=32 warps=2">
tile.kernel @k() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 2 : i64} {
  %t = arith.constant dense<1.0> : tensor<64xf32, #a>
  %u = tilegpu.convert_layout %t : tensor<64xf32, #a> -> tensor<64xf32, #b>
}

//--- tensor.mlir
func.func @f() {
  %t = arith.constant dense<1.0> : tensor<4xf32>
  return
}
