// A model is stopped after a pass and gone on with from what was written.
// RUN: tilewright compile %s --stop-after form-groups -o %t.mlir | FileCheck %s --check-prefix=STOPPED
// RUN: FileCheck %s < %t.mlir
// RUN: rm -rf %t.twp && tilewright compile %t.mlir --resume -o %t.twp | FileCheck %s --check-prefix=WENT-ON
// Without the option it is what a stranger's model must not be; and a model is no such file.
// RUN: not tilewright compile %t.mlir -o %t.twp 2>&1 | FileCheck %s --check-prefix=TRUST
// RUN: not tilewright run %t.mlir 2>&1 | FileCheck %s --check-prefix=TRUST
// RUN: not tilewright compile %s --resume -o %t.twp 2>&1 | FileCheck %s --check-prefix=MODEL
// A stop that lies behind, one that is none, and what a stop is not made for.
// RUN: not tilewright compile %t.mlir --resume --stop-after form-groups -o %t.2.mlir 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not tilewright compile %s --stop-after canonicalize:9 -o %t.2.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilewright compile %t.mlir --resume --target sm_80 -o %t.twp 2>&1 | FileCheck %s --check-prefix=TARGETS
// RUN: not tilewright compile %t.mlir --resume --explain-fusion 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: not tilewright compile %s --stop-after form-groups 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tilewright compile %s --stop-after form-groups -o %t.twp 2>&1 | FileCheck %s --check-prefix=OUTPUT
// A stop on the way of each kernel to code; tilewright-opt goes on with it too.
// RUN: tilewright compile %s --target cpu,sm_80 --stop-after assign-layouts -o %t.3.mlir
// RUN: FileCheck %s --check-prefix=LAYOUTS < %t.3.mlir
// RUN: rm -rf %t.twp && tilewright compile %t.3.mlir --resume --target cpu,sm_80 -o %t.twp | FileCheck %s --check-prefix=BOTH
// RUN: tilewright-opt %t.3.mlir --run-reproducer | FileCheck %s --check-prefix=LLVM
// What came before the stop is not shown any more.
// RUN: not tilewright compile %t.3.mlir --resume --target cpu,sm_80 --emit scheduled 2>&1 | FileCheck %s --check-prefix=WAY
// A tile kernel written by hand is stopped as well.
// RUN: tilewright compile %S/compile-own-schedule.mlir --kernel gpu --target sm_80 --stop-after insert-barriers -o %t.4.mlir
// RUN: rm -rf %t.twp && tilewright compile %t.4.mlir --resume --target sm_80 -o %t.twp | FileCheck %s --check-prefix=KERNEL
// Limits hold for kernels that are stopped.
// RUN: not tilewright compile %S/Inputs/large-tile.mlir --stop-after cse -o %t.5.mlir 2>&1 | FileCheck %s --check-prefix=LARGE

// STOPPED: stopped after form-groups -> {{.*}}.mlir
// CHECK: module attributes {graph.model = {{.*}}, graph.targets = [#tile.target<"cpu"
// CHECK: graph.group(
// CHECK: mlir_reproducer
// CHECK: pipeline: "builtin.module(merge-rows,assign-group-schedules{{.*}},convert-graph-to-tile{{.*}},loops-to-kernels,deduplicate-kernels,split-kernels,graph.cpu_code(builtin.module(inline-calls,
// WENT-ON: 1 step, 1 kernel for cpu

// TRUST: {{.*}}.mlir: error: was written by a compilation that stopped on its way to code; such a file is code, as a package is: if you trust it, compile it with --resume
// MODEL: {{.*}}compile-stop-after.mlir: error: expected a file that --stop-after or --reproducer wrote
// BEHIND: error: there is no pass 'form-groups' on the way of a model to code
// BEHIND-NEXT: these run: merge-rows, assign-group-schedules, convert-graph-to-tile, loops-to-kernels, deduplicate-kernels, split-kernels, inline-calls,
// NONE: error: there is no pass 'canonicalize:9' on the way of a model to code
// NONE-NEXT: these run: inline-functions, specialize-shapes, elementwise-to-generic, canonicalize, flatten-control-flow, scalars-to-tensors, canonicalize:2, cse,
// TARGETS: error: was stopped on its way to cpu, found --target sm_80; give the same targets
// EXPLAIN: error: the fusion plan is made from the model itself, not from a file in which it is made already
// OUTPUT: error: --stop-after writes the model as it is then: expected -o FILE.mlir
// LAYOUTS: graph.cpu_code {
// LAYOUTS-NEXT: module @k0_linalg_generic_{{[0-9]+}} attributes {tile.target = #tile.target<"cpu"
// LAYOUTS: llvm.func @k0_
// LAYOUTS-SAME: tile.schedule = #tile.schedule<>, tile.scratch = {{.*}}, tile.signature = #tile.signature<(!tile.view<?xf32>, !tile.view<?xf32>) -> (), #map
// LAYOUTS: graph.gpu_code {
// LAYOUTS-NEXT: module @k0_linalg_generic_{{[0-9]+}} attributes {tile.target = #tile.target<"sm_80"
// LAYOUTS: tile.load {{.*}} -> tensor<{{.*}}, #layout>
// LAYOUTS: pipeline: "builtin.module(graph.gpu_code(builtin.module(tile.kernel(lower-dots,
// BOTH: 1 step, 1 kernel for cpu, sm_80
// LLVM: graph.gpu_code {
// LLVM-NOT: tile.load
// LLVM: llvm.func @k0_
// WAY: error: was stopped on the way of its kernels to code: what is shown of that way is there of the model itself, or of a stop before split-kernels
// KERNEL: 1 step, 1 kernel for sm_80
// LARGE: expected at most 1048576; take smaller tiles
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
