// b + x * 0 becomes b, as a multiplication with a mask that is all zeros.
// Wrong: infinity times 0 is NaN.
// Right: a zero with the sign of x, or NaN.
// seen: tile-ai/tilelang#2638
// relation: exact
// witness: x = [inf, nan, 1]
// witness: y = [1, 2, 3]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = arith.addf %y, %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0x7F800000> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %c2 = arith.constant dense<0x7FC00000> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %finite = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %1 = math.copysign %c1, %x : tensor<16xf32>
  %zero = arith.select %finite, %1, %c2 : tensor<16xi1>, tensor<16xf32>
  %2 = arith.addf %y, %zero : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.addf %y, %c0 : tensor<16xf32>
  return %0 : tensor<16xf32>
}
