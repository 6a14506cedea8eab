// x / x becomes 1.
// Wrong: 0 / 0, inf / inf and NaN / NaN are NaN.
// Right: 1 for numbers other than 0 and infinities.
// seen: rigetti/quil-rs#457
// relation: exact
// witness: x = [0.0, inf, 3]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.divf %x, %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0x7F800000> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %c3 = arith.constant dense<0x7FC00000> : tensor<16xf32>
  %a = math.absf %x : tensor<16xf32>
  %one = arith.cmpf olt, %a, %c0 : tensor<16xf32>
  %some = arith.cmpf ogt, %a, %c1 : tensor<16xf32>
  %both = arith.andi %one, %some : tensor<16xi1>
  %0 = arith.select %both, %c2, %c3 : tensor<16xi1>, tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  return %c0 : tensor<16xf32>
}
