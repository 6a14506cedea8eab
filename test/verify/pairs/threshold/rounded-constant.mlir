// A comparison of an extended f16 with 0.1 is narrowed to f16.
// Wrong: 0.1 is rounded down to 0.09998, which is at least itself.
// Right: greater than the rounded constant.
// relation: exact
// witness: x = [0.0999755859375, 1]

// before
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %c0 = arith.constant dense<0.1> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf16>
  %0 = arith.extf %x : tensor<16xf16> to tensor<16xf32>
  %1 = arith.cmpf oge, %0, %c0 : tensor<16xf32>
  %2 = arith.select %1, %x, %c1 : tensor<16xi1>, tensor<16xf16>
  return %2 : tensor<16xf16>
}

// -----

// right
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %c0 = arith.constant dense<0.0999755859375> : tensor<16xf16>
  %c1 = arith.constant dense<0.0> : tensor<16xf16>
  %0 = arith.cmpf ogt, %x, %c0 : tensor<16xf16>
  %1 = arith.select %0, %x, %c1 : tensor<16xi1>, tensor<16xf16>
  return %1 : tensor<16xf16>
}

// -----

// wrong
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %c0 = arith.constant dense<0.0999755859375> : tensor<16xf16>
  %c1 = arith.constant dense<0.0> : tensor<16xf16>
  %0 = arith.cmpf oge, %x, %c0 : tensor<16xf16>
  %1 = arith.select %0, %x, %c1 : tensor<16xi1>, tensor<16xf16>
  return %1 : tensor<16xf16>
}
