// What a module is compiled for and what was chosen for a kernel is in the IR.
// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// CHECK-DAG: #[[SUM:map[0-9]*]] = affine_map<()[s0, s1] -> (s0 + s1)>
// CHECK-DAG: #[[ONE:map[0-9]*]] = affine_map<() -> (1)>
// CHECK: #tile.target<"cpu", {threads = 4 : i64, triple = "x86_64-linux-gnu"}>
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64-linux-gnu", threads = 4 : i64}>} {
  // CHECK: tile.kernel @k() attributes {tile.schedule = #tile.schedule<rows = 6, "a b" = -2>}
  tile.kernel @k() attributes {tile.schedule = #tile.schedule<rows = 6, "a b" = -2>} {
  }
  // CHECK: tile.kernel @none() attributes {tile.schedule = #tile.schedule<>}
  tile.kernel @none() attributes {tile.schedule = #tile.schedule<>} {
  }
}
// CHECK: #tile.target<"sm_90a">
module attributes {tile.target = #tile.target<"sm_90a">} {
}
// What a launch of a kernel takes stays with the function that it became.
// CHECK: func.func private @f() attributes {tile.schedule = #tile.schedule<warps = 4>, tile.signature = #tile.signature<(!tile.view<?xf32>, i32) -> (), #[[SUM]], [{tile.align = 16 : i64}, {}]>}
func.func private @f() attributes {tile.schedule = #tile.schedule<warps = 4>, tile.signature = #tile.signature<(!tile.view<?xf32>, i32) -> (), affine_map<()[s0, s1] -> (s0 + s1)>, [{tile.align = 16 : i64}, {}]>}
// CHECK: func.func private @g() attributes {tile.signature = #tile.signature<() -> (), #[[ONE]]>}
func.func private @g() attributes {tile.signature = #tile.signature<() -> (), affine_map<() -> (1)>>}
