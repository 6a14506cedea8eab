// RUN: tilewright-opt %s -verify-diagnostics -split-input-file

tile.func @dot_c1(%a: tensor<4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) {
  // expected-error @+1 {{lhs is 4, rhs 4x4, acc 4x4; expected all with 2 or all with 3 dimensions (dot_c1)}}
  %d = tile.dot %a, %b, %c : tensor<4xf32>, tensor<4x4xf32> -> tensor<4x4xf32>
}

// -----

tile.func @dot_c2(%a: tensor<128x64xf32>, %c: tensor<128x96xf32>) {
  // expected-note @+1 {{rhs is made here with 32 rows}}
  %b = arith.constant dense<0.0> : tensor<32x96xf32>
  // expected-error @+1 {{tile.dot: inner dimensions differ: lhs is 128x64, rhs is 32x96 (dot_c2)}}
  %d = tile.dot %a, %b, %c : tensor<128x64xf32>, tensor<32x96xf32> -> tensor<128x96xf32>
}

// -----

tile.func @dot_c3(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<6x8xf32>) {
  // expected-error @+1 {{acc is 6x8, lhs 8x4 times rhs 4x6 is 8x6 (dot_c3)}}
  %d = tile.dot %a, %b, %c : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<6x8xf32>
}

// -----

tile.func @dot_c3_batches(%a: tensor<2x8x4xf32>, %b: tensor<3x4x6xf32>, %c: tensor<2x8x6xf32>) {
  // expected-error @+1 {{acc is 2x8x6, lhs 2x8x4 times rhs 3x4x6 have different batch sizes (dot_c3)}}
  %d = tile.dot %a, %b, %c : tensor<2x8x4xf32>, tensor<3x4x6xf32> -> tensor<2x8x6xf32>
}

// -----

tile.func @dot_c4(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<8x6xbf16>) {
  // expected-error @+1 {{elements 'f32' times 'f32' cannot be added up in 'bf16'; expected one type, and an accumulator no narrower: f16, bf16, f32 or f64 for floats, i32 or i64 for integers (dot_c4)}}
  %d = tile.dot %a, %b, %c : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xbf16>
}

// -----

tile.func @dot_c5(%a: tensor<8x4xf16>, %b: tensor<4x6xf16>, %c: tensor<8x6xf32>) {
  // expected-error @+1 {{precision tf32 is for f32, the elements are 'f16' (dot_c5)}}
  %d = tile.dot %a, %b, %c precision tf32 : tensor<8x4xf16>, tensor<4x6xf16> -> tensor<8x6xf32>
}

// -----

tile.func @dot_c6(%a: tensor<8x4xf16>, %b: tensor<4x6xf16>, %c: tensor<8x6xf32>) {
  // expected-error @+1 {{unsigned operands must be integers, found 'f16' (dot_c6)}}
  %d = tile.dot %a, %b, %c lhs_unsigned : tensor<8x4xf16>, tensor<4x6xf16> -> tensor<8x6xf32>
}

// -----

tile.func @reduce_c1(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{the inputs are 8 and 4, expected equal shapes (reduce_c1)}}
  %r:2 = tile.reduce %a, %b axis 0 {
  ^bb0(%x: f32, %y: f32, %z: f32, %w: f32):
    tile.yield %x, %y : f32, f32
  } : tensor<8xf32>, tensor<4xf32> -> tensor<f32>, tensor<f32>
}

// -----

tile.func @reduce_c2(%a: tensor<8xf32>) {
  // expected-error @+1 {{axis 1 of inputs with 1 dimensions (reduce_c2)}}
  %r = tile.reduce %a axis 1 {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  } : tensor<8xf32> -> tensor<f32>
}

// -----

tile.func @reduce_c3(%a: tensor<8x4xf32>) {
  // expected-error @+1 {{the results are ('tensor<8xf32>'), expected ('tensor<4xf32>') (reduce_c3)}}
  %r = tile.reduce %a axis 0 {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  } : tensor<8x4xf32> -> tensor<8xf32>
}

// -----

tile.func @reduce_c4(%a: tensor<8xf32>) {
  // expected-error @+1 {{the region takes ('f32'), expected ('f32', 'f32') (reduce_c4)}}
  %r = tile.reduce %a axis 0 {
  ^bb0(%x: f32):
    tile.yield %x : f32
  } : tensor<8xf32> -> tensor<f32>
}

// -----

tile.func @reduce_c5(%a: tensor<8xf32>) {
  // expected-error @+1 {{the region yields ('i1'), expected ('f32') (reduce_c5)}}
  %r = tile.reduce %a axis 0 {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf olt, %x, %y : f32
    tile.yield %c : i1
  } : tensor<8xf32> -> tensor<f32>
}

// -----

tile.func @scan_c1() {
  // expected-error @+1 {{expected at least one input (scan_c1)}}
  "tile.scan"() <{axis = 0 : i64}> ({
    tile.yield
  }) : () -> ()
}

// -----

tile.func @scan_c2(%a: tensor<8xf32>) {
  // expected-error @+1 {{axis -1 of inputs with 1 dimensions (scan_c2)}}
  %r = tile.scan %a axis -1 {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  } : tensor<8xf32> -> tensor<8xf32>
}

// -----

tile.func @scan_c3(%a: tensor<8xf32>) {
  // expected-error @+1 {{the results are ('tensor<f32>'), expected ('tensor<8xf32>') (scan_c3)}}
  %r = tile.scan %a axis 0 {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x : f32
  } : tensor<8xf32> -> tensor<f32>
}

// -----

tile.func @scan_c4(%a: tensor<8xf32>) {
  // expected-error @+1 {{the region takes ('f64', 'f64'), expected ('f32', 'f32') (scan_c4)}}
  %r = tile.scan %a axis 0 {
  ^bb0(%x: f64, %y: f64):
    tile.yield %x : f64
  } : tensor<8xf32> -> tensor<8xf32>
}

// -----

tile.func @scan_c5(%a: tensor<8xf32>) {
  // expected-error @+1 {{the region yields ('f32', 'f32'), expected ('f32') (scan_c5)}}
  %r = tile.scan %a axis 0 {
  ^bb0(%x: f32, %y: f32):
    tile.yield %x, %y : f32, f32
  } : tensor<8xf32> -> tensor<8xf32>
}

// -----

tile.func @sort_c1(%a: tensor<8xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{the inputs are 8 and 4, expected equal shapes (sort_c1)}}
  %r:2 = tile.sort %a, %b axis 0 : tensor<8xf32>, tensor<4xf32>
}

// -----

tile.func @sort_c2(%a: tensor<8xf32>) {
  // expected-error @+1 {{axis 2 of inputs with 1 dimensions (sort_c2)}}
  %r = tile.sort %a axis 2 : tensor<8xf32>
}

// -----

tile.func @sort_c3(%a: tensor<8xf32>) {
  // expected-error @+1 {{the results are ('tensor<8xi32>'), the inputs ('tensor<8xf32>') (sort_c3)}}
  %r = "tile.sort"(%a) <{axis = 0 : i64}> : (tensor<8xf32>) -> tensor<8xi32>
}

// -----

tile.func @sort_c4(%a: tensor<8xf32>) {
  // expected-error @+1 {{keys 'f32'; expected floats, integers or index, and unsigned only for the latter two (sort_c4)}}
  %r = tile.sort %a axis 0 unsigned : tensor<8xf32>
}

// -----

tile.func @top_k_c1(%a: tensor<8xf32>) {
  // expected-error @+1 {{axis 1 of a source with 1 dimensions (top_k_c1)}}
  %v, %i = tile.top_k %a axis 1 : tensor<8xf32> -> tensor<4xf32>, tensor<4xi32>
}

// -----

tile.func @top_k_c2(%a: tensor<8xf32>) {
  // expected-error @+1 {{the source is 8, the values 9, the indices 9; the results may be smaller along dimension 0 alone (top_k_c2)}}
  %v, %i = tile.top_k %a axis 0 : tensor<8xf32> -> tensor<9xf32>, tensor<9xi32>
}

// -----

tile.func @top_k_c3(%a: tensor<8xf32>) {
  // expected-error @+1 {{the source has elements 'f32', the values 'f16' (top_k_c3)}}
  %v, %i = tile.top_k %a axis 0 : tensor<8xf32> -> tensor<4xf16>, tensor<4xi32>
}

// -----

tile.func @top_k_c4(%a: tensor<8x!tile.ptr<f32>>) {
  // expected-error @+1 {{elements '!tile.ptr<f32>'; expected floats, integers or index, and unsigned only for the latter two (top_k_c4)}}
  %v, %i = tile.top_k %a axis 0 : tensor<8x!tile.ptr<f32>> -> tensor<4x!tile.ptr<f32>>, tensor<4xi32>
}

// -----

tile.func @histogram_c1(%a: tensor<8xi32>) {
  // expected-error @+1 {{the result is 4x4, expected one dimension (histogram_c1)}}
  %h = tile.histogram %a : tensor<8xi32> -> tensor<4x4xi32>
}

// -----

tile.func @histogram_c2(%a: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @+1 {{the mask is 4, the source 8 (histogram_c2)}}
  %h = "tile.histogram"(%a, %m) : (tensor<8xi32>, tensor<4xi1>) -> tensor<4xi32>
}

// -----

tile.func @convert_c1(%a: tensor<8xf32>) {
  // expected-error @+1 {{the source is 8, the result 4 (convert_c1)}}
  %h = tile.convert %a : tensor<8xf32> -> tensor<4xf16>
}

// -----

tile.func @convert_c2(%a: f32) {
  // expected-error @+1 {{cannot convert 'f32' to 'i1'; expected integers, index or floats, and not to i1 (convert_c2)}}
  %h = tile.convert %a : f32 -> i1
}

// -----

tile.func @convert_c3(%a: f32) {
  // expected-error @+1 {{this converts 'f32' to 'f16' (convert_c3)}}
  %h = tile.convert %a to_unsigned : f32 -> f16
}

// -----

tile.func @convert_c4(%a: f32) {
  // expected-error @+1 {{stochastic rounding, and only it, takes random numbers of the source's shape, from float to float (convert_c4)}}
  %h = tile.convert %a rounding stochastic : f32 -> f16
}
