// An unsigned i32 is converted to f64 as a signed one.
// Wrong: from 2^31 on it is negative.
// Right: by way of i64.
// relation: exact
// witness: n = [46341, 65535, 2]

// before
func.func @main(%n: tensor<16xi32>) -> tensor<16xf64> {
  %0 = arith.muli %n, %n : tensor<16xi32>
  %1 = arith.uitofp %0 : tensor<16xi32> to tensor<16xf64>
  return %1 : tensor<16xf64>
}

// -----

// right
func.func @main(%n: tensor<16xi32>) -> tensor<16xf64> {
  %0 = arith.muli %n, %n : tensor<16xi32>
  %1 = arith.extui %0 : tensor<16xi32> to tensor<16xi64>
  %2 = arith.sitofp %1 : tensor<16xi64> to tensor<16xf64>
  return %2 : tensor<16xf64>
}

// -----

// wrong
func.func @main(%n: tensor<16xi32>) -> tensor<16xf64> {
  %0 = arith.muli %n, %n : tensor<16xi32>
  %1 = arith.sitofp %0 : tensor<16xi32> to tensor<16xf64>
  return %1 : tensor<16xf64>
}
