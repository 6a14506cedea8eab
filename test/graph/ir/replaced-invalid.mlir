// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @replaced_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{the body's arguments are not of the operands' types (replaced_c1)}}
  %y = graph.replaced @k(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %n: index):
    graph.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @replaced_c2(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{the body does not yield values of the results' types (replaced_c2)}}
  %y = graph.replaced @k(%x : tensor<4xf32>) : tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @replaced_c3(%x: tensor<4xf32>) {
  // expected-error @below {{has no result (replaced_c3)}}
  "graph.replaced"(%x) <{kernel = @k,
      operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield
  }) : (tensor<4xf32>) -> ()
  return
}
