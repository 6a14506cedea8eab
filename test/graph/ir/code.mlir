// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// A pipeline names the kind of target that it is for.
// RUN: tilewright-opt %s --pass-pipeline='builtin.module(graph.gpu_code(builtin.module(tile.kernel(assign-schedules))))' | FileCheck %s --check-prefix=GPU

// CHECK: graph.cpu_code {
// CHECK-NEXT: module @k attributes {tile.target = #tile.target<"cpu">} {
// GPU: graph.cpu_code {
// GPU: tile.kernel @k() {
graph.cpu_code {
  module @k attributes {tile.target = #tile.target<"cpu">} {
    tile.kernel @k() {
    }
  }
}
// CHECK: graph.gpu_code {
// GPU: tile.kernel @k() attributes {tile.schedule =
graph.gpu_code {
  module @k attributes {tile.target = #tile.target<"sm_90a">} {
    tile.kernel @k() {
    }
  }
}
// CHECK: graph.interpreter_code {
graph.interpreter_code {
  module attributes {tile.target = #tile.target<"interpreter">} {
  }
}
