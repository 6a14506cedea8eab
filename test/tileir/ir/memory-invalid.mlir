// RUN: tilewright-opt %s -verify-diagnostics -split-input-file

tile.kernel @make_view_c1(%p: !tile.ptr<f32>) {
  // expected-error @+1 {{the pointer is '!tile.ptr<f32>', the view has elements 'i32' (make_view_c1)}}
  %v = tile.make_view %p : !tile.ptr<f32> -> !tile.view<4xi32>
}

// -----

tile.kernel @make_view_c2(%p: !tile.ptr<f32>, %n: index) {
  // expected-error @+1 {{1 sizes for '!tile.view<?x?xf32>', which has 2 dynamic dimensions (make_view_c2)}}
  %v = tile.make_view %p sizes [%n] : !tile.ptr<f32> -> !tile.view<?x?xf32>
}

// -----

tile.kernel @make_view_c3(%p: !tile.ptr<f32>, %n: index) {
  // expected-error @+1 {{0 strides for '!tile.view<4xf32, strides<[?]>>', which has 1 dynamic strides (make_view_c3)}}
  %v = tile.make_view %p : !tile.ptr<f32> -> !tile.view<4xf32, strides<[?]>>
}

// -----

tile.kernel @dim_c1(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{dimension 2 of a view with 2 dimensions (dim_c1)}}
  %d = tile.dim %v, 2 : !tile.view<?x?xf32>
}

// -----

tile.kernel @stride_c1(%v: !tile.view<?x?xf32>) {
  // expected-error @+1 {{dimension -1 of a view with 2 dimensions (stride_c1)}}
  %d = tile.stride %v, -1 : !tile.view<?x?xf32>
}

// -----

tile.kernel @count_c1(%v: !tile.view<?xf32>) {
  // expected-error @+1 {{dimension 1 of a view with 1 dimensions (count_c1)}}
  %d = tile.count %v, 1 by 64 : !tile.view<?xf32>
}

// -----

tile.kernel @count_c2(%v: !tile.view<?xf32>) {
  // expected-error @+1 {{the extent is 0, expected at least 1 (count_c2)}}
  %d = tile.count %v, 0 by 0 : !tile.view<?xf32>
}

// -----

tile.kernel @load_c1(%v: !tile.view<?x?xf32>, %i: index) {
  // expected-error @+1 {{the tile 64 has 1 dimensions, the view '!tile.view<?x?xf32>' has 2 (load_c1)}}
  %t = tile.load %v[%i, %i] : !tile.view<?x?xf32> -> tensor<64xf32>
}

// -----

tile.kernel @load_c2(%v: !tile.view<?x?xf32>, %i: index) {
  // expected-error @+1 {{1 indices for a view with 2 dimensions (load_c2)}}
  %t = tile.load %v[%i] : !tile.view<?x?xf32> -> tensor<8x8xf32>
}

// -----

tile.kernel @load_c3(%v: !tile.view<?xf32>, %i: index) {
  // expected-error @+1 {{the tile has elements 'f16', the view 'f32' (load_c3)}}
  %t = tile.load %v[%i] : !tile.view<?xf32> -> tensor<8xf16>
}

// -----

tile.kernel @load_c4(%v: !tile.view<?xf32>, %i: index) {
  // expected-error @+1 {{steps [0]; expected one positive number for each of 1 dimensions, with offsets in elements (load_c4)}}
  %t = tile.load %v at [%i] step [0] : !tile.view<?xf32> -> tensor<8xf32>
}

// -----

tile.kernel @load_c5(%v: !tile.view<?xf32>, %i: index) {
  // expected-error @+1 {{the padding is 'f64', the view has elements 'f32' (load_c5)}}
  %t = "tile.load"(%v, %i) <{pad = 0.0 : f64}> : (!tile.view<?xf32>, index) -> tensor<8xf32>
}

// -----

tile.kernel @not_a_float(%v: !tile.view<?xf32>, %i: index) {
  // expected-error @+1 {{expected a number with a decimal point for 'f32'}}
  %t = tile.load %v[%i] pad 0 : !tile.view<?xf32> -> tensor<8xf32>
}

// -----

tile.kernel @does_not_fit(%v: !tile.view<?xi8>, %i: index) {
  // expected-error @+1 {{this number does not fit into 'i8'}}
  %t = tile.load %v[%i] pad -129 : !tile.view<?xi8> -> tensor<8xi8>
}

// -----

tile.kernel @store_c1(%v: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<8x8xf32>
  // expected-error @+1 {{the tile 8x8 has 2 dimensions, the view '!tile.view<?xf32>' has 1 (store_c1)}}
  tile.store %t, %v[%i] : tensor<8x8xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @store_c2(%v: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{2 indices for a view with 1 dimensions (store_c2)}}
  tile.store %t, %v[%i, %i] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

tile.kernel @store_c3(%v: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<0> : tensor<8xi32>
  // expected-error @+1 {{the tile has elements 'i32', the view 'f32' (store_c3)}}
  tile.store %t, %v[%i] : tensor<8xi32>, !tile.view<?xf32>
}

// -----

tile.kernel @store_c4(%v: !tile.view<?xf32>, %i: index) {
  %t = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @+1 {{steps [1, 1]; expected one positive number for each of 1 dimensions, with offsets in elements (store_c4)}}
  tile.store %t, %v at [%i] step [1, 1] : tensor<8xf32>, !tile.view<?xf32>
}
