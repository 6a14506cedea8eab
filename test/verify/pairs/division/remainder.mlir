// fmod(x, y) becomes x - trunc(x / y) * y.
// Wrong: a large quotient is rounded, and an infinite y makes NaN of x.
// Right: a test for the usual case, in which x is smaller than y.
// relation: near=1e-2
// witness: x = [1e10, 1, 2.5]
// witness: y = [3, inf, 1]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.remf %x, %y : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.absf %x : tensor<16xf32>
  %1 = math.absf %y : tensor<16xf32>
  %less = arith.cmpf olt, %0, %1 : tensor<16xf32>
  %2 = arith.remf %x, %y : tensor<16xf32>
  %3 = arith.select %less, %x, %2 : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.divf %x, %y : tensor<16xf32>
  %1 = math.trunc %0 : tensor<16xf32>
  %2 = arith.mulf %1, %y : tensor<16xf32>
  %3 = arith.subf %x, %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}
