// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

func.func @scatter_c1(%u: tensor<8xf32>, %x: tensor<9xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{kind is 'mul', expected add, min or max (scatter_c1)}}
  %y = graph.scatter "mul" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xf32>, tensor<9xf32>
  return
}

// -----

func.func @scatter_c2(%u: tensor<8xf32>, %x: tensor<9xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{(scatter_c2)}}
  %y = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0, d1) -> (d0)>] : tensor<8xf32>, tensor<9xf32>
  return
}

// -----

func.func @scatter_c3(%u: tensor<8xf32>, %x: tensor<9xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{expected dimensions of the updates or symbols, one for each of 1 dimensions (scatter_c3)}}
  %y = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0 + d0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xf32>, tensor<9xf32>
  return
}

// -----

func.func @scatter_c4(%u: tensor<8xf16>, %x: tensor<9xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{updates are of type 'tensor<8xf16>', the data of 'tensor<9xf32>' (scatter_c4)}}
  %y = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xf16>, tensor<9xf32>
  return
}
