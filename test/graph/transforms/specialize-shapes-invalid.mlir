// RUN: tilewright-opt %s --split-input-file --verify-diagnostics --specialize-shapes

module attributes {graph.shapes = {z = array<i64: 8>}} {
  // expected-error @below {{a shape was given for 'z', which is not an input of the model}}
  func.func @main(%x: tensor<?xf32> {graph.name = "x"}, %y: tensor<?xf32>) {
    return
  }
}

// -----

module attributes {graph.shapes = {input0 = array<i64: 8, 8>}} {
  // expected-error @below {{input 'input0' was given a shape of 2 dimensions, it has 1}}
  func.func @main(%x: tensor<?xf32>) {
    return
  }
}

// -----

module attributes {graph.shapes = {input0 = array<i64: 8>}} {
  // expected-error @below {{input 'input0' was given the size 8 in dimension 0, which is 4}}
  func.func @main(%x: tensor<4xf32>) {
    return
  }
}

// -----

module attributes {graph.shapes = {input0 = array<i64: 8>, input1 = array<i64: 4>}} {
  // expected-error @below {{the size 'N' was given as 8 and as 4, of input 'input1'}}
  func.func @main(%x: tensor<?xf32> {graph.dims = ["N"]}, %y: tensor<?xf32> {graph.dims = ["N"]}) {
    return
  }
}

// -----

// expected-error @below {{graph.shapes: expected arrays of i64, found 8}}
module attributes {graph.shapes = {input0 = 8}} {
  func.func @main(%x: tensor<?xf32>) {
    return
  }
}
