// The way to code asks the module what it is made for.
// RUN: split-file %s %t
// RUN: not tilewright-opt %t/none.mlir --scheduled-to-threads 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not tilewright-opt %t/none.mlir --tile-to-loops 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not tilewright-opt %t/unknown.mlir --scheduled-to-threads 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-opt %t/partial.mlir --tile-to-loops 2>&1 | FileCheck %s --check-prefix=PARTIAL

// GPU: error: expected a GPU as the module's tile.target, such as #tile.target<"sm_90a">
// CPU: error: expected a CPU with all facts about it as the module's tile.target
// UNKNOWN: error: tile.target: there is no GPU 'sm_1'; there is sm_80,
// PARTIAL: error: tile.target: expected triple, cpu, features, required, vector_bits, vector_registers, masks_lanes and threads

//--- none.mlir
tile.kernel @k() {
}

//--- unknown.mlir
module attributes {tile.target = #tile.target<"sm_1">} {
}

//--- partial.mlir
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64"}>} {
}
