// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @group_c1(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // expected-error @below {{the body's arguments are not of the operands' types (group_c1)}}
  %y = graph.group(%x : tensor<4xf32>) sizes(%n : index) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %size: i64):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @group_c2(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{the body does not yield values of the results' types (group_c2)}}
  %y = graph.group(%x : tensor<4xf32>) : tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<8xf32>
}

// -----

func.func @group_c3(%x: tensor<4xf32>) {
  // expected-error @below {{has no result (group_c3)}}
  "graph.group"(%x) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: tensor<4xf32>):
    graph.yield
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

// An input that is given on as it is: no op computes it.
func.func @group_c3(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected each result to be computed by an op of the body, and yielded once (group_c3)}}
  %y = graph.group(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @group_c3(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected each result to be computed by an op of the body, and yielded once (group_c3)}}
  %y:2 = graph.group(%x : tensor<4xf32>) : tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %y#1 : tensor<4xf32>
}

// -----

// Another op may not be read through the wall.
func.func @isolated(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{required by region isolation constraints}}
  %y = graph.group() : tensor<4xf32> {
    // expected-error @below {{'linalg.exp' op using value defined outside the region}}
    %b = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @launch_c1(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expected ascending positions of tensors that are written, found 0 (launch_c1)}}
  %y:2 = graph.launch @k(%x, %x) writes [1, 0] "k"
      : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @launch_c1(%x: tensor<4xf32>) {
  // expected-error @below {{found 1 (launch_c1)}}
  %y = graph.launch @k(%x) writes [1] "k" : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @launch_c1(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{found 1 (launch_c1)}}
  %y = graph.launch @k(%x, %n) writes [1] "k" : (tensor<4xf32>, index) -> tensor<4xf32>
  return
}

// -----

func.func @launch_c2(%x: tensor<4xf32>) {
  // expected-error @below {{writes 1 arguments and has 0 results (launch_c2)}}
  graph.launch @k(%x) writes [0] "k" : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @launch_c2(%x: tensor<4xf32>) {
  // expected-error @below {{result 0 is not of the type of the argument that is written (launch_c2)}}
  %y = graph.launch @k(%x) writes [0] "k" : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// What is checked is a size, known before a kernel runs.
func.func @check(%n: i64) {
  // expected-error @below {{operand #0 must be index, but got 'i64'}}
  "graph.check"(%n, %n) <{message = "one batch"}> : (i64, i64) -> ()
  return
}
