// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{tile.target: expected a #tile.target, on a module}}
module attributes {tile.target = "sm_90a"} {
}

// -----

// expected-error @+1 {{tile.schedule: expected a #tile.schedule, on a tile.kernel}}
tile.func @f() attributes {tile.schedule = #tile.schedule<warps = 4>} {
  tile.return
}

// -----

// expected-error @+1 {{#tile.schedule: "warps" is there twice}}
tile.kernel @k() attributes {tile.schedule = #tile.schedule<warps = 4, warps = 8>} {
}

// -----

// expected-error @+1 {{tile.signature: expected a #tile.signature, on a function}}
module attributes {tile.signature = #tile.signature<() -> (), affine_map<() -> (1)>>} {
}

// -----

// expected-error @+1 {{expected a grid of 1 symbols, found affine_map<() -> (1)>}}
func.func private @f() attributes {tile.signature = #tile.signature<(!tile.view<?xf32>) -> (), affine_map<() -> (1)>>}

// -----

// expected-error @+1 {{expected a dictionary for each of 1 arguments, found []}}
func.func private @f() attributes {tile.signature = #tile.signature<(f32) -> (), affine_map<() -> (1)>, []>}

// -----

// expected-error @+1 {{tile.buffers: expected a count, on a tile.kernel}}
module attributes {tile.buffers = 1 : i64} {
}

// -----

tile.kernel @k() {
  // expected-error @+1 {{tile.buffered: expected the numbers of results that are tiles}}
  %c = arith.constant {tile.buffered = array<i64: 0>} 0 : index
}
