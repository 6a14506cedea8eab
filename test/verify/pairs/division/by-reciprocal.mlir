// x / y becomes x * (1 / y).
// Wrong: the reciprocal of a subnormal number is infinite, and that of 2e38 is
// subnormal.
// Right: only where both numbers are far from the ends of f32.
// relation: near=1e-5
// witness: x = [0.0, 1e-39, 1]
// witness: y = [1e-40, 1e-39, 3]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.divf %x, %y : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1000000000000000.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0e-15> : tensor<16xf32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %p = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %1 = math.absf %y : tensor<16xf32>
  %q = arith.cmpf olt, %1, %c0 : tensor<16xf32>
  %2 = math.absf %y : tensor<16xf32>
  %s = arith.cmpf ogt, %2, %c1 : tensor<16xf32>
  %3 = arith.andi %p, %q : tensor<16xi1>
  %safe = arith.andi %3, %s : tensor<16xi1>
  %4 = arith.divf %c2, %y : tensor<16xf32>
  %5 = arith.mulf %x, %4 : tensor<16xf32>
  %6 = arith.divf %x, %y : tensor<16xf32>
  %7 = arith.select %safe, %5, %6 : tensor<16xi1>, tensor<16xf32>
  return %7 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.divf %c0, %y : tensor<16xf32>
  %1 = arith.mulf %x, %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
