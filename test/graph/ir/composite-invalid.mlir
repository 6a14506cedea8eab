// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @composite_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{the body's arguments are not of the operands' types (composite_c1)}}
  %y = graph.composite @k(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %n: index):
    graph.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @composite_c2(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{the body does not yield values of the results' types (composite_c2)}}
  %y = graph.composite @k(%x : tensor<4xf32>) : tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @composite_c3(%x: tensor<4xf32>) {
  // expected-error @below {{has no result (composite_c3)}}
  "graph.composite"(%x) <{kernel = @k,
      operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield
  }) : (tensor<4xf32>) -> ()
  return
}
