// RUN: tilewright-opt %s -verify-diagnostics -split-input-file

tile.func @assume_c1(%x: index) {
  // expected-error @+1 {{assumes nothing; expected divisible or range (assume_c1)}}
  %y = tile.assume %x : index
}

// -----

tile.func @assume_c2(%x: f32) {
  // expected-error @+1 {{elements 'f32'; divisible is for integers, index and pointers, range for the former two (assume_c2)}}
  %y = tile.assume %x divisible 2 : f32
}

// -----

tile.func @assume_c3(%x: index) {
  // expected-error @+1 {{the divisor is 0, expected at least 1 (assume_c3)}}
  %y = tile.assume %x divisible 0 : index
}

// -----

tile.func @assume_c4(%x: index) {
  // expected-error @+1 {{range [4, 3]; expected the least and the greatest value (assume_c4)}}
  %y = tile.assume %x range [4, 3] : index
}

// -----

tile.func @inline_ptx_c1(%x: tensor<4xi32>, %y: tensor<8xi32>) {
  // expected-error @+1 {{operands and results are 4 and 8, expected equal shapes (inline_ptx_c1)}}
  %z = tile.inline_ptx "" constraints "=r,r,r" (%x, %y) : (tensor<4xi32>, tensor<8xi32>) -> tensor<4xi32>
}

// -----

tile.func @inline_ptx_c2(%x: i32) {
  // expected-error @+1 {{constraints "=r,r,r" name 1 results and 2 operands, found 1 and 1 (inline_ptx_c2)}}
  %z = tile.inline_ptx "" constraints "=r,r,r" (%x) : (i32) -> i32
}

// -----

tile.func @tunable_c1() {
  // expected-error @+1 {{"BM" has values [64, 64]; expected one or more different numbers (tunable_c1)}}
  %z = tile.tunable "BM" of [64, 64]
}

// -----

tile.func @tunable_c2() {
  // expected-error @+2 {{"BM" has values [64] here and [32, 64] elsewhere (tunable_c2)}}
  // expected-note @+2 {{the other one is here}}
  %z = tile.tunable "BM" of [64]
  %w = tile.tunable "BM" of [32, 64]
}
