// RUN: tilewright-opt %s --verify-graph-form --split-input-file --verify-diagnostics

func.func @op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the graph level has no lowering for this op; expected ops of linalg, tensor, arith, math and scf on tensors}}
  %r = math.exp %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @result(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected result 0 to be indexed by loops, each once}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i * 2)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A running sum: each element is a sum of those before it.
func.func @scan(%x: tensor<4x8xf32>, %s: tensor<4xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{expected results that are computed from each other to be indexed alike}}
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%s, %y : tensor<4xf32>, tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.addf %a, %b : f32
    linalg.yield %t, %t : f32, f32
  } -> (tensor<4xf32>, tensor<4x8xf32>)
  return %r#1 : tensor<4x8xf32>
}

// -----

func.func @body(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{in the body of this op}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @+1 {{expected ops of arith and math, linalg.index, tensor.extract and structured control flow in the body of an op on tensors, found vector.broadcast}}
    %v = vector.broadcast %a : f32 to vector<4xf32>
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected elements that are i1, i4, i8, i16, i32, i64, index, f16, bf16, f32, f64, f8E4M3FN, f8E5M2, f4E2M1FN or f8E8M0FNU, found 'tensor<4xui8>'}}
func.func @unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  return %x : tensor<4xui8>
}

// -----

// The host needs a condition in memory.
func.func @condition(%x: tensor<4xf32>, %t: tensor<i1>) -> tensor<4xf32> {
  %c = tensor.extract %t[] : tensor<i1>
  // expected-error @+1 {{expected the condition of a branch to be a graph.condition}}
  %r = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @number(%a: tensor<f32>, %t: tensor<i1>) -> tensor<f32> {
  %c = graph.condition %t : tensor<i1>
  %z = arith.constant 0.0 : f32
  %v = tensor.extract %a[] : tensor<f32>
  // expected-error @+1 {{expected a branch or a loop to yield tensors of known rank and sizes, found 'f32'}}
  %r = scf.if %c -> f32 {
    scf.yield %z : f32
  } else {
    scf.yield %v : f32
  }
  return %a : tensor<f32>
}

// -----

func.func @bounds(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{expected the bounds of a loop to be sizes, found 'i32'}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> : i32 {
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The condition is computed where the loop is decided.
func.func @decided(%x: tensor<4xf32>, %t: tensor<i1>) -> tensor<4xf32> {
  // expected-error @+1 {{expected a loop that passes on what it carries, and goes on as a graph.condition of a carried tensor says}}
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %c = graph.condition %t : tensor<i1>
    scf.condition(%c) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// What is in a region is checked like the rest.
func.func @inside(%x: tensor<4xf32>, %t: tensor<i1>) -> tensor<4xf32> {
  %c = graph.condition %t : tensor<i1>
  %r = scf.if %c -> tensor<4xf32> {
    // expected-error @+1 {{the graph level has no lowering for this op}}
    %e = math.exp %x : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The host does not know elements.
func.func @elements(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %e : i64 to index
  // expected-error @+1 {{expected the numbers of a branch or a loop to be sizes; a graph.size reads one from memory}}
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
