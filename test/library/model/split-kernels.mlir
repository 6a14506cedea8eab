// RUN: tilewright-opt %s --split-kernels | FileCheck %s

// Each kernel for each target is alone in a module, with no call left. The
// modules that they are from stay.
module attributes {graph.targets = [#tile.target<"cpu">, #tile.target<"interpreter">, #tile.target<"sm_90a">]} {
  // CHECK: module @cpu attributes
  // CHECK: module @gpu attributes
  // CHECK: module @user_kernels attributes
  module @cpu attributes {graph.targets = [#tile.target<"cpu">, #tile.target<"interpreter">]} {
    tile.kernel @k0() {
      tile.call @f() : () -> ()
    }
    tile.kernel @k1() {
    }
    tile.func @f() {
      tile.print "called"
      tile.return
    }
  }
  module @gpu attributes {graph.targets = [#tile.target<"sm_90a">]} {
    tile.kernel @k0() attributes {tile.schedule = #tile.schedule<warps = 2>} {
    }
    tile.kernel @k1() {
    }
  }
  // What was chosen for a kernel that the user gave is written to it; the
  // interpreter has no schedules.
  module @user_kernels attributes {graph.user_kernels, graph.schedules = {cpu = {schedule = #tile.schedule<rows = 2>}, sm_90a = {schedule = #tile.schedule<warps = 8>}}} {
    tile.kernel @silu() {
    }
  }
  // CHECK: graph.cpu_code {
  // CHECK-NEXT: module @k0 attributes {tile.target = #tile.target<"cpu">} {
  // CHECK-NEXT: tile.kernel @k0() {
  // CHECK-NEXT: tile.print "called"
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: module @k1 attributes {tile.target = #tile.target<"cpu">} {
  // CHECK: module @silu attributes {tile.target = #tile.target<"cpu">} {
  // CHECK-NEXT: tile.kernel @silu() attributes {tile.schedule = #tile.schedule<rows = 2>} {
  // CHECK: graph.interpreter_code {
  // CHECK-NEXT: module @k0 attributes {tile.target = #tile.target<"interpreter">} {
  // CHECK: module @silu attributes {tile.target = #tile.target<"interpreter">} {
  // CHECK-NEXT: tile.kernel @silu() {
  // CHECK: graph.gpu_code {
  // CHECK-NEXT: module @k0 attributes {tile.target = #tile.target<"sm_90a">} {
  // CHECK-NEXT: tile.kernel @k0() attributes {tile.schedule = #tile.schedule<warps = 2>} {
  // CHECK: module @k1 attributes
  // CHECK: module @silu attributes {tile.target = #tile.target<"sm_90a">} {
  // CHECK-NEXT: tile.kernel @silu() attributes {tile.schedule = #tile.schedule<warps = 8>} {
}
