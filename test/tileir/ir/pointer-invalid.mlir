// RUN: tilewright-opt %s -verify-diagnostics -split-input-file

tile.kernel @base_c1(%v: !tile.view<?xf32>) {
  // expected-error @+1 {{the result is '!tile.ptr<i32>', the view has elements 'f32' (base_c1)}}
  %p = tile.base %v : !tile.view<?xf32> -> !tile.ptr<i32>
}

// -----

tile.func @offset_c1(%p: tensor<8x!tile.ptr<f32>>, %i: i32) {
  // expected-error @+1 {{the pointers are 8, the offsets scalar (offset_c1)}}
  %q = tile.offset %p, %i : tensor<8x!tile.ptr<f32>>, i32
}

// -----

tile.func @ptr_cast_c1(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{the operand is scalar, the result 4 (ptr_cast_c1)}}
  %q = tile.ptr_cast %p : !tile.ptr<f32> -> tensor<4x!tile.ptr<i32>>
}

// -----

tile.func @ptr_to_int_c1(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{the operand is scalar, the result 4 (ptr_to_int_c1)}}
  %q = tile.ptr_to_int %p : !tile.ptr<f32> -> tensor<4xi64>
}

// -----

tile.func @ptr_to_int_c2(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{the address is 'i32', expected i64 (ptr_to_int_c2)}}
  %q = tile.ptr_to_int %p : !tile.ptr<f32> -> i32
}

// -----

tile.func @int_to_ptr_c1(%i: tensor<4xi64>) {
  // expected-error @+1 {{the operand is 4, the result scalar (int_to_ptr_c1)}}
  %q = tile.int_to_ptr %i : tensor<4xi64> -> !tile.ptr<f32>
}

// -----

tile.func @int_to_ptr_c2(%i: i32) {
  // expected-error @+1 {{the address is 'i32', expected i64 (int_to_ptr_c2)}}
  %q = tile.int_to_ptr %i : i32 -> !tile.ptr<f32>
}

// -----

tile.func @load_ptr_c1(%p: !tile.ptr<f32>, %m: i1, %o: f64) {
  // expected-error @+1 {{the value is 'f64', '!tile.ptr<f32>' points to 'f32' (load_ptr_c1)}}
  %x = "tile.load_ptr"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tile.ptr<f32>, i1, f64) -> f32
}

// -----

tile.func @load_ptr_c2(%p: tensor<8x!tile.ptr<f32>>, %m: i1) {
  // expected-error @+1 {{the mask is scalar, the pointers are 8 (load_ptr_c2)}}
  %x = "tile.load_ptr"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tile.ptr<f32>>, i1) -> tensor<8xf32>
}

// -----

tile.func @load_ptr_c3(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{order release with a scope; expected weak, relaxed, acquire, and a scope unless weak (load_ptr_c3)}}
  %x = tile.load_ptr %p release device : !tile.ptr<f32>
}

// -----

tile.func @load_ptr_c4(%p: !tile.ptr<f32>, %o: f32) {
  // expected-error @+1 {{other is given without a mask (load_ptr_c4)}}
  %x = tile.load_ptr %p other %o : !tile.ptr<f32>
}

// -----

tile.func @store_ptr_c1(%p: !tile.ptr<f32>, %v: f64) {
  // expected-error @+1 {{the value is 'f64', '!tile.ptr<f32>' points to 'f32' (store_ptr_c1)}}
  "tile.store_ptr"(%v, %p) : (f64, !tile.ptr<f32>) -> ()
}

// -----

tile.func @store_ptr_c2(%p: tensor<8x!tile.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<4xi1>) {
  // expected-error @+1 {{the mask is 4, the pointers are 8 (store_ptr_c2)}}
  "tile.store_ptr"(%v, %p, %m) : (tensor<8xf32>, tensor<8x!tile.ptr<f32>>, tensor<4xi1>) -> ()
}

// -----

tile.func @store_ptr_c3(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @+1 {{order acquire with a scope; expected weak, relaxed, release, and a scope unless weak (store_ptr_c3)}}
  tile.store_ptr %v, %p acquire device : !tile.ptr<f32>
}
