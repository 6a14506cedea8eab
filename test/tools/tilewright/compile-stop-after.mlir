// A model is stopped after a pass and gone on with from what was written.
// RUN: tilewright compile %s --stop-after form-groups -o %t.mlir | FileCheck %s --check-prefix=STOPPED
// RUN: FileCheck %s < %t.mlir
// RUN: rm -rf %t.twp && tilewright compile %t.mlir -o %t.twp | FileCheck %s --check-prefix=WENT-ON
// A stop that lies behind, one that is none, and what a stop is not made for.
// RUN: not tilewright compile %t.mlir --stop-after form-groups -o %t.2.mlir 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not tilewright compile %s --stop-after canonicalize:9 -o %t.2.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilewright compile %t.mlir --target sm_80 -o %t.twp 2>&1 | FileCheck %s --check-prefix=TARGETS
// RUN: not tilewright compile %t.mlir --explain-fusion 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: not tilewright compile %s --stop-after form-groups 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tilewright compile %s --stop-after form-groups -o %t.twp 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tilewright compile %S/compile-own-schedule.mlir --stop-after cse -o %t.2.mlir 2>&1 | FileCheck %s --check-prefix=KERNEL

// STOPPED: stopped after form-groups -> {{.*}}.mlir
// CHECK: module attributes {graph.model = {{.*}}, graph.targets = [#tile.target<"cpu"
// CHECK: graph.group(
// CHECK: mlir_reproducer
// CHECK: pipeline: "builtin.module(assign-group-schedules{{.*}},convert-graph-to-tile,deduplicate-kernels)"
// WENT-ON: 1 step, 1 kernel for cpu

// BEHIND: error: there is no pass 'form-groups' on the way of a model to kernels
// BEHIND-NEXT: these run: assign-group-schedules, convert-graph-to-tile, deduplicate-kernels
// NONE: error: there is no pass 'canonicalize:9' on the way of a model to kernels
// NONE-NEXT: these run: inline-functions, elementwise-to-generic, canonicalize, flatten-control-flow, scalars-to-tensors, canonicalize:2, cse,
// TARGETS: error: was stopped on its way to cpu, found --target sm_80; give the same targets
// EXPLAIN: error: the fusion plan is made from the model itself, not from a file in which it is made already
// OUTPUT: error: --stop-after writes the model as it is then: expected -o FILE.mlir
// KERNEL: error: --stop-after stops a graph; the passes of a tile kernel run one by one in tilewright-opt
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = math.exp %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
