// RUN: tilewright-opt %s -verify-diagnostics -split-input-file

tile.func @iota_c1() {
  // expected-error @+1 {{the result has 2 dimensions, expected 1 (iota_c1)}}
  %i = tile.iota : tensor<8x8xi32>
}

// -----

tile.func @iota_c2() {
  // expected-error @+1 {{'i4' cannot count to 17 (iota_c2)}}
  %i = tile.iota : tensor<17xi4>
}

// -----

tile.func @splat_c1(%x: f32) {
  // expected-error @+1 {{the scalar is 'f32', the result's elements are 'f16' (splat_c1)}}
  %t = tile.splat %x : f32 -> tensor<8xf16>
}

// -----

tile.func @broadcast_c1(%x: tensor<1xf32>) {
  // expected-error @+1 {{element types differ: 'f32' and 'f16' (broadcast_c1)}}
  %t = tile.broadcast %x : tensor<1xf32> -> tensor<8xf16>
}

// -----

tile.func @broadcast_c2(%x: tensor<1xf32>) {
  // expected-error @+1 {{the source is 1, the result 8x8; expected equal ranks (broadcast_c2)}}
  %t = tile.broadcast %x : tensor<1xf32> -> tensor<8x8xf32>
}

// -----

tile.func @broadcast_c3(%x: tensor<1x2xf32>) {
  // expected-error @+1 {{dimension 1 is 2 in the source and 4 in the result; only size 1 can grow (broadcast_c3)}}
  %t = tile.broadcast %x : tensor<1x2xf32> -> tensor<4x4xf32>
}

// -----

tile.func @reshape_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{element types differ: 'f32' and 'i32' (reshape_c1)}}
  %t = tile.reshape %x : tensor<8xf32> -> tensor<8xi32>
}

// -----

tile.func @reshape_c2(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{the source 4x3 has 12 elements, the result 2x5 has 10 (reshape_c2)}}
  %t = tile.reshape %x : tensor<4x3xf32> -> tensor<2x5xf32>
}

// -----

tile.func @transpose_c1(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{the permutation has 1 numbers, the source has 2 dimensions (transpose_c1)}}
  %t = tile.transpose %x [0] : tensor<4x3xf32> -> tensor<4x3xf32>
}

// -----

tile.func @transpose_c2(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{[1, 1] is not a permutation of the dimensions (transpose_c2)}}
  %t = tile.transpose %x [1, 1] : tensor<4x3xf32> -> tensor<3x3xf32>
}

// -----

tile.func @transpose_c3(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{the result is 'tensor<4x3xf32>', expected 'tensor<3x4xf32>' (transpose_c3)}}
  %t = tile.transpose %x [1, 0] : tensor<4x3xf32> -> tensor<4x3xf32>
}

// -----

tile.func @join_c1(%a: tensor<4xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{the inputs are ('tensor<4xf32>', 'tensor<3xf32>'), expected one or more of one type (join_c1)}}
  %t = tile.join %a, %b : tensor<4xf32>, tensor<3xf32> -> tensor<4x2xf32>
}

// -----

tile.func @join_c2(%a: tensor<4xf32>) {
  // expected-error @+1 {{the result is 'tensor<2x4xf32>', expected 'tensor<4x2xf32>' (join_c2)}}
  %t = tile.join %a, %a : tensor<4xf32>, tensor<4xf32> -> tensor<2x4xf32>
}

// -----

tile.func @split_c1(%a: tensor<f32>) {
  // expected-error @+1 {{the source has no dimension (split_c1)}}
  %t = tile.split %a : tensor<f32> -> tensor<f32>
}

// -----

tile.func @split_c2(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{the results are ('tensor<4xf32>'), expected 2 of 'tensor<4xf32>' (split_c2)}}
  %t = tile.split %a : tensor<4x2xf32> -> tensor<4xf32>
}

// -----

tile.func @concat_c1() {
  // expected-error @+1 {{expected at least one input (concat_c1)}}
  %t = "tile.concat"() <{axis = 0 : i64}> : () -> tensor<4xf32>
}

// -----

tile.func @concat_c2(%a: tensor<4xf32>) {
  // expected-error @+1 {{axis 1 of tiles with 1 dimensions (concat_c2)}}
  %t = tile.concat %a, %a axis 1 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
}

// -----

tile.func @concat_c3(%a: tensor<4x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @+1 {{the inputs 4x3 and 4x2 differ in another dimension than 0 (concat_c3)}}
  %t = tile.concat %a, %b axis 0 : tensor<4x3xf32>, tensor<4x2xf32> -> tensor<8x3xf32>
}

// -----

tile.func @concat_c4(%a: tensor<4xf32>) {
  // expected-error @+1 {{the inputs are ('tensor<4xf32>', 'tensor<4xf32>') and the result 'tensor<9xf32>', expected 'tensor<8xf32>' (concat_c4)}}
  %t = tile.concat %a, %a axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<9xf32>
}

// -----

tile.func @slice_c1(%a: tensor<4xf32>) {
  // expected-error @+1 {{element types differ: 'f32' and 'f16' (slice_c1)}}
  %t = tile.slice %a [0] : tensor<4xf32> -> tensor<2xf16>
}

// -----

tile.func @slice_c2(%a: tensor<4xf32>) {
  // expected-error @+1 {{the source is 4, the result 2, with 2 offsets; expected equal numbers of dimensions (slice_c2)}}
  %t = tile.slice %a [0, 0] : tensor<4xf32> -> tensor<2xf32>
}

// -----

tile.func @slice_c3(%a: tensor<4xf32>) {
  // expected-error @+1 {{steps [-1]; expected one positive number for each of 1 dimensions (slice_c3)}}
  %t = tile.slice %a [3] step [-1] : tensor<4xf32> -> tensor<2xf32>
}

// -----

tile.func @slice_c4(%a: tensor<4xf32>) {
  // expected-error @+1 {{takes elements 1 to 5 of dimension 0, which has 4 (slice_c4)}}
  %t = tile.slice %a [1] step [2] : tensor<4xf32> -> tensor<3xf32>
}

// -----

// The last element is beyond all numbers of 64 bits.
tile.func @slice_c4(%a: tensor<4xf32>) {
  // expected-error @+1 {{takes elements 1 to 9223372036854775807 of dimension 0, which has 4 (slice_c4)}}
  %t = tile.slice %a [1] step [9223372036854775807] : tensor<4xf32> -> tensor<3xf32>
}

// -----

tile.func @extract_c1(%a: tensor<4x4xf32>, %i: index) {
  // expected-error @+1 {{1 indices for a tile with 2 dimensions (extract_c1)}}
  %t = tile.extract %a[%i] : tensor<4x4xf32>
}

// -----

tile.func @gather_c1(%a: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{axis 1 of tiles with 1 dimensions (gather_c1)}}
  %t = tile.gather %a, %i axis 1 : tensor<4xf32>, tensor<2xi32> -> tensor<2xf32>
}

// -----

tile.func @gather_c2(%a: tensor<4x4xf32>, %i: tensor<2x3xi32>) {
  // expected-error @+1 {{the source is 4x4, the indices 2x3; only dimension 0 may differ (gather_c2)}}
  %t = tile.gather %a, %i axis 0 : tensor<4x4xf32>, tensor<2x3xi32> -> tensor<2x3xf32>
}

// -----

tile.func @gather_c3(%a: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error @+1 {{the result is 'tensor<4xf32>', expected 'tensor<2xf32>' (gather_c3)}}
  %t = tile.gather %a, %i axis 0 : tensor<4xf32>, tensor<2xi32> -> tensor<4xf32>
}

// -----

// A tile has a static shape and no dimension of size 0.
tile.func @not_a_tile(%s: f32) {
  // expected-error @+1 {{must be tile (tensor of static shape), but got 'tensor<?xf32>'}}
  %t = tile.splat %s : f32 -> tensor<?xf32>
}
