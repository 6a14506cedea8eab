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

func.func @top_k_c3(%x: tensor<4x8xf32>) {
  // expected-error @below {{selects 9 elements of 8 (top_k_c3)}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi64>
  return
}

// -----

func.func @top_k_c4(%x: tensor<4x8xf64>) {
  // expected-error @below {{has elements of type 'f64', expected integers (top_k_c4)}}
  %v, %i = graph.top_k %x axis 1 unsigned
      : tensor<4x8xf64> -> tensor<4x2xf64>, tensor<4x2xi64>
  return
}

// -----

func.func @top_k_c4_indices(%x: tensor<4x8xindex>) {
  // expected-error @below {{has elements of type 'index', expected floats or integers (top_k_c4)}}
  %v, %i = graph.top_k %x axis 1
      : tensor<4x8xindex> -> tensor<4x2xindex>, tensor<4x2xi64>
  return
}
