// What passes leave, from the import on, whatever pass manager runs them.
// RUN: tilewright compile %s --target cpu,sm_90a -o %t.twp --print-ir-after assign-layouts,convert-tile-to-loops 2>&1 | FileCheck %s
// RUN: tilewright compile %s --target sm_90a -o %t.twp --print-ir-after-change 2>&1 | FileCheck %s --check-prefix=CHANGE
// RUN: not tilewright compile %s --target cpu -o %t.twp --print-ir-after asign-layouts 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilewright compile %s --target sm_90a -o %t.twp --print-ir-after asign-layouts 2>&1 | FileCheck %s --check-prefix=MEANT

// CHECK: // after convert-tile-to-loops on builtin.module
// CHECK: func.func @copy
// CHECK: // after assign-layouts on tile.kernel @copy
// CHECK-NEXT: tile.kernel @copy{{.*}}tilegpu.warps
// CHECK: 1 kernel for cpu, sm_90a
// CHANGE: // after assign-schedules on tile.kernel @copy
// CHANGE-NOT: // after legalize-dots
// CHANGE: // after assign-layouts on tile.kernel @copy
// CHANGE: // after convert-tilegpu-to-threads on builtin.module
// CHANGE: // after convert-func-to-llvm on builtin.module
// NONE: error: --print-ir-after: no pass 'asign-layouts' ran
// NONE-NEXT: these ran: bind-tunables, split-kernels, inline-calls, use-fast-math, guard-folders, assign-schedules, choose-buffers, convert-tile-to-loops,
// MEANT: no pass 'asign-layouts' ran{{.*}}did you mean 'assign-layouts'?

tile.kernel @copy(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
  tile.store %t, %y[%c0] : tensor<64xf32>, !tile.view<?xf32>
}
