// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

func.func @scatter_c1(%u: tensor<8xf32>, %x: tensor<9xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{kind is 'sub', expected set, add, mul, min, max, umin or umax (scatter_c1)}}
  %y = graph.scatter "sub" %u into %x at(%i : tensor<8xi64>)
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

// -----

func.func @scatter_c4_bytes(%u: tensor<8xi8>, %x: tensor<9xi8>, %i: tensor<8xi64>) {
  // expected-error @below {{of kind add has elements of type 'i8', expected i32 or i64, or f16, bf16, f32 or f64 but for umin and umax (scatter_c4)}}
  %y = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xi8>, tensor<9xi8>
  return
}

// -----

func.func @scatter_c4_unsigned(%u: tensor<8xf32>, %x: tensor<9xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{of kind umax has elements of type 'f32'}}
  %y = graph.scatter "umax" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xf32>, tensor<9xf32>
  return
}

// -----

func.func @scatter_c5(%u: tensor<8x4xf32>, %x: tensor<9x4xf32>, %i: tensor<8xi64>) {
  // The columns of a row have one owner.
  // expected-error @below {{of kind set has owners of type 'tensor<9x4xi32>' for data of type 'tensor<9x4xf32>' (scatter_c5)}}
  %y, %o = graph.scatter "set" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x4xf32>, tensor<9x4xf32> owners tensor<9x4xi32>
  return
}

// -----

func.func @scatter_c5_kind(%u: tensor<8xf32>, %x: tensor<9xf32>, %i: tensor<8xi64>) {
  // expected-error @below {{of kind add has owners of type}}
  %y, %o = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>]
      : tensor<8xf32>, tensor<9xf32> owners tensor<9xi32>
  return
}
