// sqrt(x * x) becomes |x|.
// Wrong: the square of 1e20 is infinite, and that of 1e-30 is 0.
// Right: only between 1e-15 and 1e15.
// relation: near=1e-4
// witness: x = [1e20, 1e-30, 2]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.mulf %x, %x : tensor<16xf32>
  %1 = math.sqrt %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0e-15> : tensor<16xf32>
  %c1 = arith.constant dense<1000000000000000.0> : tensor<16xf32>
  %a = math.absf %x : tensor<16xf32>
  %low = arith.cmpf ogt, %a, %c0 : tensor<16xf32>
  %high = arith.cmpf olt, %a, %c1 : tensor<16xf32>
  %0 = arith.andi %low, %high : tensor<16xi1>
  %1 = arith.mulf %x, %x : tensor<16xf32>
  %2 = math.sqrt %1 : tensor<16xf32>
  %3 = arith.select %0, %a, %2 : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.absf %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
