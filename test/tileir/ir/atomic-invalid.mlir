// RUN: tilewright-opt %s -verify-diagnostics -split-input-file

tile.func @atomic_rmw_c1(%p: !tile.ptr<f32>, %v: i32) {
  // expected-error @+1 {{the value is 'i32', '!tile.ptr<f32>' points to 'f32' (atomic_rmw_c1)}}
  %o = "tile.atomic_rmw"(%v, %p) <{kind = 1 : i32, order = 1 : i32, scope = 2 : i32}> : (i32, !tile.ptr<f32>) -> f32
}

// -----

tile.func @atomic_rmw_c2(%p: tensor<4x!tile.ptr<f32>>, %v: tensor<4xf32>, %m: i1) {
  // expected-error @+1 {{the mask is scalar, the pointers are 4 (atomic_rmw_c2)}}
  %o = "tile.atomic_rmw"(%v, %p, %m) <{kind = 1 : i32, order = 1 : i32, scope = 2 : i32}> : (tensor<4xf32>, tensor<4x!tile.ptr<f32>>, i1) -> tensor<4xf32>
}

// -----

tile.func @atomic_rmw_c3(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{and does not work on elements 'f32'; integers of 32 or 64 bits always do, f16, bf16, f32 and f64 with exchange, add, max and min (atomic_rmw_c3)}}
  %o = tile.atomic_rmw and relaxed device %v, %p : !tile.ptr<f32>
}

// -----

tile.func @atomic_rmw_c4(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{order weak; expected relaxed, acquire, release, acq_rel (atomic_rmw_c4)}}
  %o = tile.atomic_rmw add weak device %v, %p : !tile.ptr<f32>
}

// -----

tile.func @atomic_cas_c1(%p: !tile.ptr<i64>, %v: i32) {
  // expected-error @+1 {{the value is 'i32', '!tile.ptr<i64>' points to 'i64' (atomic_cas_c1)}}
  %o = "tile.atomic_cas"(%v, %v, %p) <{order = 1 : i32, scope = 2 : i32}> : (i32, i32, !tile.ptr<i64>) -> i64
}

// -----

tile.func @atomic_cas_c2(%p: tensor<4x!tile.ptr<i32>>, %v: tensor<4xi32>, %m: tensor<2xi1>) {
  // expected-error @+1 {{the mask is 2, the pointers are 4 (atomic_cas_c2)}}
  %o = "tile.atomic_cas"(%v, %v, %p, %m) <{order = 1 : i32, scope = 2 : i32}> : (tensor<4xi32>, tensor<4xi32>, tensor<4x!tile.ptr<i32>>, tensor<2xi1>) -> tensor<4xi32>
}

// -----

tile.func @atomic_cas_c3(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{elements 'f32'; expected integers of 16, 32 or 64 bits (atomic_cas_c3)}}
  %o = tile.atomic_cas relaxed device %v, %v, %p : !tile.ptr<f32>
}

// -----

tile.func @atomic_cas_c4(%p: !tile.ptr<i32>, %v: i32) {
  // expected-error @+1 {{order seq_cst; expected relaxed, acquire, release, acq_rel (atomic_cas_c4)}}
  %o = tile.atomic_cas seq_cst device %v, %v, %p : !tile.ptr<i32>
}

// -----

tile.kernel @atomic_reduce_c1(%x: !tile.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{the tile 4 has 1 dimensions, the view '!tile.view<?x?xf32>' has 2 (atomic_reduce_c1)}}
  tile.atomic_reduce add relaxed device %t, %x[%i, %i] : tensor<4xf32>, !tile.view<?x?xf32>
}

// -----

tile.kernel @atomic_reduce_c2(%x: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{2 indices for a view with 1 dimensions (atomic_reduce_c2)}}
  tile.atomic_reduce add relaxed device %t, %x[%i, %i] : tensor<4xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @atomic_reduce_c3(%x: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<0> : tensor<4xi32>
  // expected-error @+1 {{the tile has elements 'i32', the view 'f32' (atomic_reduce_c3)}}
  tile.atomic_reduce add relaxed device %t, %x[%i] : tensor<4xi32>, !tile.view<?xf32>
}

// -----

tile.kernel @atomic_reduce_c4(%x: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{steps [-1]; expected one positive number for each of 1 dimensions, with offsets in elements (atomic_reduce_c4)}}
  tile.atomic_reduce add relaxed device %t, %x at [%i] step [-1] : tensor<4xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @atomic_reduce_c5(%x: !tile.view<?xi8>, %i: index) {
  %t = arith.constant dense<0> : tensor<4xi8>
  // expected-error @+1 {{add does not work on elements 'i8'; integers of 32 or 64 bits always do, f16, bf16, f32 and f64 with exchange, add, max and min (atomic_reduce_c5)}}
  tile.atomic_reduce add relaxed device %t, %x[%i] : tensor<4xi8>, !tile.view<?xi8>
}

// -----

tile.kernel @atomic_reduce_c6(%x: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @+1 {{order acquire; expected relaxed, release (atomic_reduce_c6)}}
  tile.atomic_reduce add acquire device %t, %x[%i] : tensor<4xf32>, !tile.view<?xf32>
}

// -----

tile.func @fence_c1() {
  // expected-error @+1 {{order relaxed; expected acquire, release, acq_rel, seq_cst (fence_c1)}}
  tile.fence relaxed device
}
