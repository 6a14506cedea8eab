// What a module is compiled for and what was chosen for a kernel is in the IR.
// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

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
