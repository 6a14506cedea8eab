// Where a pass fails, the program as it was before it is written, and compiling
// that repeats the error.
// RUN: rm -f %t.mlir && not tilewright compile %s --target cpu --reproducer %t.mlir 2>&1 --emit loops | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not tilewright compile %t.mlir --resume --target cpu --emit asm 2>&1 | FileCheck %s --check-prefix=AGAIN
// A compilation that succeeds writes none; neither does one in which no pass fails.
// RUN: rm -f %t.mlir && tilewright compile %s --target sm_80 --reproducer %t.mlir --emit ptx > %t.ptx
// RUN: not ls %t.mlir
// RUN: not tilewright compile %S/Inputs/large-tile.mlir --reproducer %t.mlir --emit loops 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not ls %t.mlir
// RUN: not tilewright compile %S/Inputs/recursion.mlir --reproducer %t.mlir --explain-fusion 2>&1 | FileCheck %s --check-prefix=FIRST

// CHECK: compile-reproducer.mlir:[[#@LINE+12]]:8: error: {{.*}}tile.inline_ptx is not lowered for the cpu target
// CHECK-NEXT: note: {{.*}}.mlir is the program before the pass 'convert-tile-to-loops'; compile it with --resume to repeat the error
// FILE: graph.cpu_code {
// FILE: tile.inline_ptx
// FILE: pipeline: "builtin.module(graph.cpu_code(builtin.module(convert-tile-to-loops,
// AGAIN: compile-reproducer.mlir:[[#@LINE+7]]:8: error: {{.*}}tile.inline_ptx is not lowered for the cpu target
// LIMIT: take smaller tiles
// LIMIT-NOT: note
// FIRST: note: the first pass, 'inline-functions', fails: the model itself reproduces it
tile.kernel @k(%X: !tile.view<?xi32>) {
  %i = arith.constant 0 : index
  %x = tile.load %X[%i] pad 0 : !tile.view<?xi32> -> tensor<32xi32>
  %y = tile.inline_ptx "add.s32 $0, $1, $1;" constraints "=r,r" pure(%x) : (tensor<32xi32>) -> tensor<32xi32>
  tile.store %y, %X[%i] : tensor<32xi32>, !tile.view<?xi32>
}
