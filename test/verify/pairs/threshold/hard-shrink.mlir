// |x| > 0.5 ? x : 0 becomes |x| >= 0.5 ? x : 0.
// Wrong: at 0.5 itself.
// Right: the inverse comparison, which is true for NaN.
// relation: exact
// witness: x = [0.5, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = arith.cmpf ogt, %0, %c0 : tensor<16xf32>
  %2 = arith.select %1, %x, %c1 : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = arith.cmpf ule, %0, %c0 : tensor<16xf32>
  %2 = arith.select %1, %c1, %x : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = arith.cmpf oge, %0, %c0 : tensor<16xf32>
  %2 = arith.select %1, %x, %c1 : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}
