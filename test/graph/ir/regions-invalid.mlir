// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @condition_c1(%c: tensor<1xi1>) -> i1 {
  // expected-error @below {{reads a 'tensor<1xi1>', expected a tensor<i1> (condition_c1)}}
  %0 = graph.condition %c : tensor<1xi1>
  return %0 : i1
}

// -----

func.func @size_c1(%n: tensor<f32>) -> index {
  // expected-error @below {{reads a 'tensor<f32>', expected a tensor<i64> or a tensor<i32> (size_c1)}}
  %0 = graph.size %n : tensor<f32>
  return %0 : index
}
