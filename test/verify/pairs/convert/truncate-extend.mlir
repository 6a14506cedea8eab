// Truncation to i8 and sign extension go, as if the number were small.
// Wrong: 200 becomes -56.
// Right: two shifts.
// relation: exact
// witness: n = [200, 5]

// before
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  %0 = arith.trunci %n : tensor<16xi32> to tensor<16xi8>
  %1 = arith.extsi %0 : tensor<16xi8> to tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<24> : tensor<16xi32>
  %0 = arith.shli %n, %c0 : tensor<16xi32>
  %1 = arith.shrsi %0, %c0 : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  return %n : tensor<16xi32>
}
