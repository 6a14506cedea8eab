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

// -----

func.func @resize_rows_c1(%x: tensor<9x4xf32>, %n: index) -> tensor<?x5xf32> {
  // expected-error @below {{makes a 'tensor<?x5xf32>' of a 'tensor<9x4xf32>', expected types that are equal but for dimension 0, which is dynamic in the result (resize_rows_c1)}}
  %0 = graph.resize_rows %x to %n : tensor<9x4xf32> -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
