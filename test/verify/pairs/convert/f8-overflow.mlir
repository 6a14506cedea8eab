// The conversion to f8E5M2 saturates, where the program asks for infinity.
// Wrong: 1e6 becomes 57344.
// Right: by way of f64, which is exact.
// relation: exact
// witness: x = [1e6, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.truncf %x : tensor<16xf32> to tensor<16xf8E5M2>
  %1 = arith.extf %0 : tensor<16xf8E5M2> to tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %w = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %0 = arith.truncf %w : tensor<16xf64> to tensor<16xf8E5M2>
  %1 = arith.extf %0 : tensor<16xf8E5M2> to tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-57344.0> : tensor<16xf32>
  %c1 = arith.constant dense<57344.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  %c = arith.minimumf %0, %c1 : tensor<16xf32>
  %1 = arith.truncf %c : tensor<16xf32> to tensor<16xf8E5M2>
  %2 = arith.extf %1 : tensor<16xf8E5M2> to tensor<16xf32>
  return %2 : tensor<16xf32>
}
