// x > 0 ? x : 0 becomes max(x, 0).
// Wrong: the select makes NaN 0, maximumf keeps it.
// Right: maxnumf takes the number; a sum with 0 makes -0 positive.
// relation: exact
// witness: x = [nan, 1, -1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %positive = arith.cmpf ogt, %x, %c0 : tensor<16xf32>
  %0 = arith.select %positive, %x, %c0 : tensor<16xi1>, tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.maxnumf %x, %c0 : tensor<16xf32>
  %1 = arith.addf %0, %c0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  return %0 : tensor<16xf32>
}
