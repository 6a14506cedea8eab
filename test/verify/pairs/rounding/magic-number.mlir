// Rounding by adding and subtracting 1.5 * 2^23.
// Wrong: numbers above 2^22 lose bits that they have.
// Right: the trick is limited to small numbers.
// relation: near=1e-8
// witness: x = [8388609, 1.25, 16777211]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.roundeven %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<4194304.0> : tensor<16xf32>
  %c1 = arith.constant dense<12582912.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %small = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %1 = arith.addf %x, %c1 : tensor<16xf32>
  %r = arith.subf %1, %c1 : tensor<16xf32>
  %2 = math.roundeven %x : tensor<16xf32>
  %3 = arith.select %small, %r, %2 : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<12582912.0> : tensor<16xf32>
  %0 = arith.addf %x, %c0 : tensor<16xf32>
  %1 = arith.subf %0, %c0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
