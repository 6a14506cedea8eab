// (x * y) / y becomes x.
// Wrong: the product overflows, or y is 0.
// Right: only where the numbers are moderate.
// relation: near=1e-5
// witness: x = [1e30, 1, 2]
// witness: y = [1e30, 0.0, 3]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.mulf %x, %y : tensor<16xf32>
  %1 = arith.divf %0, %y : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1000000000000000.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0e-15> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %p = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %1 = math.absf %y : tensor<16xf32>
  %q = arith.cmpf olt, %1, %c0 : tensor<16xf32>
  %2 = math.absf %x : tensor<16xf32>
  %r = arith.cmpf ogt, %2, %c1 : tensor<16xf32>
  %3 = math.absf %y : tensor<16xf32>
  %s = arith.cmpf ogt, %3, %c1 : tensor<16xf32>
  %4 = arith.andi %p, %q : tensor<16xi1>
  %5 = arith.andi %r, %s : tensor<16xi1>
  %safe = arith.andi %4, %5 : tensor<16xi1>
  %6 = arith.mulf %x, %y : tensor<16xf32>
  %7 = arith.divf %6, %y : tensor<16xf32>
  %8 = arith.select %safe, %x, %7 : tensor<16xi1>, tensor<16xf32>
  return %8 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  return %x : tensor<16xf32>
}
