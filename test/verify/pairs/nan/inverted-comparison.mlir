// select(a < b, p, q) becomes select(a >= b, q, p).
// Wrong: with a NaN both comparisons are false.
// Right: the inverse of olt is uge.
// relation: exact
// witness: x = [nan, 1, 2]
// witness: y = [5, 2, 1]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2.0> : tensor<16xf32>
  %c1 = arith.constant dense<3.0> : tensor<16xf32>
  %0 = arith.cmpf olt, %x, %y : tensor<16xf32>
  %1 = arith.mulf %x, %c0 : tensor<16xf32>
  %2 = arith.mulf %y, %c1 : tensor<16xf32>
  %3 = arith.select %0, %1, %2 : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<3.0> : tensor<16xf32>
  %c1 = arith.constant dense<2.0> : tensor<16xf32>
  %0 = arith.cmpf uge, %x, %y : tensor<16xf32>
  %1 = arith.mulf %y, %c0 : tensor<16xf32>
  %2 = arith.mulf %x, %c1 : tensor<16xf32>
  %3 = arith.select %0, %1, %2 : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<3.0> : tensor<16xf32>
  %c1 = arith.constant dense<2.0> : tensor<16xf32>
  %0 = arith.cmpf oge, %x, %y : tensor<16xf32>
  %1 = arith.mulf %y, %c0 : tensor<16xf32>
  %2 = arith.mulf %x, %c1 : tensor<16xf32>
  %3 = arith.select %0, %1, %2 : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}
