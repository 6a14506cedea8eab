// RUN: tilewright-opt %s --decompose-linalg --split-input-file --verify-diagnostics

func.func @softmax(%x: tensor<?x?xi128>, %e: tensor<?x?xi128>) -> tensor<?x?xi128> {
  // expected-error @+1 {{expected elements of a floating-point type, found 'i128'}}
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?xi128>) outs(%e : tensor<?x?xi128>) -> tensor<?x?xi128>
  return %y : tensor<?x?xi128>
}

// -----

func.func @winograd(%f: tensor<2x3x3x5xi32>, %e: tensor<6x6x5x2xi32>) -> tensor<6x6x5x2xi32> {
  // expected-error @+1 {{expected elements of a floating-point type, found 'i32'}}
  %y = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xi32>) outs(%e : tensor<6x6x5x2xi32>) -> tensor<6x6x5x2xi32>
  return %y : tensor<6x6x5x2xi32>
}
