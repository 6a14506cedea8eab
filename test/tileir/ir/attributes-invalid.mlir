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
