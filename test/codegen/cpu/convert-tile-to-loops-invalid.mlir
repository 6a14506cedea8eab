// RUN: tilewright-opt %s --convert-tile-to-loops --verify-diagnostics

module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
  // expected-error @below {{expected a kernel whose tiles in memory are chosen; run --choose-buffers before}}
  tile.kernel @k(%x: !tile.view<64xf32>) {
  }
}
