// A product is computed as a GPU does with flushing: subnormal results become
// 0.
// Wrong: 1e-20 * 1e-20 is 1e-40, a subnormal number.
// Right: in f64, rounded once.
// relation: exact
// witness: x = [1e-20, 1]
// witness: y = [1e-20, 2]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.mulf %x, %y : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %1 = arith.extf %y : tensor<16xf32> to tensor<16xf64>
  %2 = arith.mulf %0, %1 : tensor<16xf64>
  %3 = arith.truncf %2 : tensor<16xf64> to tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.1754943508222875e-38> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %p = arith.mulf %x, %y : tensor<16xf32>
  %0 = math.absf %p : tensor<16xf32>
  %tiny = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %1 = math.copysign %c1, %p : tensor<16xf32>
  %2 = arith.select %tiny, %1, %p : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}
