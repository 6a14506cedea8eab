// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

func.func @top_k_c1(%x: tensor<4x8xf32>) {
  // expected-error @below {{axis is 2, the source has 2 dimensions (top_k_c1)}}
  %v, %i = graph.top_k %x axis 2
      : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>
  return
}

// -----

func.func @top_k_c2(%x: tensor<4x8xf32>) {
  // expected-error @below {{results have types 'tensor<3x2xf32>' and 'tensor<3x2xi64>', the source has 'tensor<4x8xf32>' (top_k_c2)}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x8xf32> -> tensor<3x2xf32>, tensor<3x2xi64>
  return
}

// -----

func.func @top_k_c3_of_row(%x: tensor<4x8xf32>) {
  // expected-error @below {{selects 9 elements, expected at most 8 (top_k_c3)}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi64>
  return
}

// -----

func.func @top_k_c3_of_nothing(%x: tensor<4x0xf32>) {
  // expected-error @below {{selects 4 elements, expected at most 0 (top_k_c3)}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x0xf32> -> tensor<4x4xf32>, tensor<4x4xi64>
  return
}

// -----

func.func @top_k_c3_many(%x: tensor<4x8192xf32>) {
  // expected-error @below {{selects 33 elements, expected at most 32 (top_k_c3)}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x8192xf32> -> tensor<4x33xf32>, tensor<4x33xi64>
  return
}

// -----

func.func @top_k_c3_dynamic(%x: tensor<4x?xf32>) {
  // expected-error @below {{selects 4096 elements, expected at most 32 (top_k_c3)}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x?xf32> -> tensor<4x4096xf32>, tensor<4x4096xi64>
  return
}

// -----

func.func @top_k_c4(%x: tensor<4x8xf64>) {
  // expected-error @below {{has elements of type 'f64', expected f16, bf16, f32, or an integer of 8 to 32 bits (top_k_c4)}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x8xf64> -> tensor<4x2xf64>, tensor<4x2xi64>
  return
}

// -----

func.func @top_k_c4_bits(%x: tensor<4x8xi1>) {
  // expected-error @below {{has elements of type 'i1', expected}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x8xi1> -> tensor<4x2xi1>, tensor<4x2xi64>
  return
}
