// x - x becomes 0.
// Wrong: inf - inf and NaN - NaN are NaN.
// Right: 0 where x is finite.
// seen: tile-ai/tilelang#2638
// relation: exact
// witness: x = [inf, 1, nan]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.subf %x, %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0x7F800000> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %c2 = arith.constant dense<0x7FC00000> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %finite = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %1 = arith.select %finite, %c1, %c2 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  return %c0 : tensor<16xf32>
}
