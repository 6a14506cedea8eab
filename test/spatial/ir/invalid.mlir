// RUN: tilewright-opt %s -split-input-file -verify-diagnostics
// One case for each rule of the dialect.

func.func @constant_c1() attributes {spatial.lanes = 4 : i64} {
  // expected-error@+1 {{expected elements of 2 vectors of the function's lanes, found 'tensor<2x3xf32>' (constant_c1)}}
  %w = spatial.constant dense<1.0> : tensor<2x3xf32>
      -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @alu_c1(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{found add of 1 (alu_c1)}}
  %y = spatial.alu add f32 (%x[0, 1])
      : (!spatial.vectors<2 x f32>) -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @alu_c2(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{and of 'f32' has no result of 'f32' (alu_c2)}}
  %y = spatial.alu and f32 (%x[0, 1], %x[0, 1])
      : (!spatial.vectors<2 x f32>, !spatial.vectors<2 x f32>)
      -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @alu_c3(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{operand 0 has 2 vectors, an index is 2 (alu_c3)}}
  %y = spatial.alu exp f32 (%x[1, 2])
      : (!spatial.vectors<2 x f32>) -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @multiply_c1(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{found 1 operands (multiply_c1)}}
  %y = spatial.multiply f32 rows 2 (%x[0, 1])
      : (!spatial.vectors<2 x f32>) -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @multiply_c2(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{products of 'f16' take operands of it, and their sums are f32 (multiply_c2)}}
  %y = spatial.multiply f16 rows 2 (%x[0, 1], %x[0])
      : (!spatial.vectors<2 x f32>, !spatial.vectors<2 x f32>)
      -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @multiply_c3(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{has 2 rows of weights, of 0 lanes, in 2 vectors (multiply_c3)}}
  %y = spatial.multiply f32 rows 2 (%x[0, 1], %x[1])
      : (!spatial.vectors<2 x f32>, !spatial.vectors<2 x f32>)
      -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @multiply_c4(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{expected 1 indices of operand 0, found 2 (multiply_c4)}}
  %y = spatial.multiply f32 rows 2 (%x[0, 1], %x[0])
      : (!spatial.vectors<2 x f32>, !spatial.vectors<2 x f32>)
      -> !spatial.vectors<1 x f32>
  return
}

// -----

func.func @map_c1(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{expected one or two operands of the result's elements (map_c1)}}
  %y = spatial.map [0, 1] (%x[0])
      : (!spatial.vectors<2 x f32>) -> !spatial.vectors<1 x f16>
  return
}

// -----

func.func @map_c2(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{expected -1 or a lane of an operand for each lane (map_c2)}}
  %y = spatial.map [0, 2] (%x[0])
      : (!spatial.vectors<2 x f32>) -> !spatial.vectors<1 x f32>
  return
}

// -----

func.func @map_c3(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{expected 2 indices of operand 0, found 1 (map_c3)}}
  %y = spatial.map [0, 1] (%x[0])
      : (!spatial.vectors<2 x f32>) -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @transpose_c1(%x: !spatial.vectors<2 x f32>) {
  // expected-error@+1 {{expected one operand of the result's elements (transpose_c1)}}
  %y = spatial.transpose 2 (%x[0])
      : (!spatial.vectors<2 x f32>) -> !spatial.vectors<2 x f16>
  return
}

// -----

func.func @transpose_c2(%x: !spatial.vectors<3 x f32>)
    attributes {spatial.lanes = 4 : i64} {
  // expected-error@+1 {{blocks of 3 do not divide 4 lanes (transpose_c2)}}
  %y = spatial.transpose 3 (%x[0])
      : (!spatial.vectors<3 x f32>) -> !spatial.vectors<3 x f32>
  return
}

// -----

func.func @transpose_c3(%x: !spatial.vectors<3 x f32>) {
  // expected-error@+1 {{expected 2 vectors of operand and result for each index (transpose_c3)}}
  %y = spatial.transpose 2 (%x[2])
      : (!spatial.vectors<3 x f32>) -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @gather_c1(%x: !spatial.vectors<3 x f32>,
                     %i: !spatial.vectors<1 x i32>) {
  // expected-error@+1 {{expected row numbers of i32 and 4 rows in a table of 3 vectors of the result's elements (gather_c1)}}
  %y = spatial.gather rows 4 (%x[0], %i[0])
      : (!spatial.vectors<3 x f32>, !spatial.vectors<1 x i32>)
      -> !spatial.vectors<1 x f32>
  return
}

// -----

func.func @gather_c2(%x: !spatial.vectors<3 x f32>,
                     %i: !spatial.vectors<1 x i32>) {
  // expected-error@+1 {{expected 2 indices of operand 1, found 1 (gather_c2)}}
  %y = spatial.gather rows 3 (%x[0], %i[0])
      : (!spatial.vectors<3 x f32>, !spatial.vectors<1 x i32>)
      -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @select_vectors_c1(%x: !spatial.vectors<3 x f32>) {
  // expected-error@+1 {{expected 2 sources and indices, found 1 and 1 (select_vectors_c1)}}
  %y = spatial.select_vectors [0] [0] (%x)
      : (!spatial.vectors<3 x f32>) -> !spatial.vectors<2 x f32>
  return
}

// -----

func.func @select_vectors_c2(%x: !spatial.vectors<3 x f32>) {
  // expected-error@+1 {{there is no vector 3 of operand 0 (select_vectors_c2)}}
  %y = spatial.select_vectors [0] [3] (%x)
      : (!spatial.vectors<3 x f32>) -> !spatial.vectors<1 x f32>
  return
}
