// log(a) + log(b) becomes log(a * b): one logarithm less.
// Wrong: the product of two large numbers is infinite.
// Right: the product only where it cannot overflow.
// relation: near=1e-4
// witness: x = [1e30, 1]
// witness: y = [1e30, 1]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %a = arith.addf %0, %c0 : tensor<16xf32>
  %1 = math.absf %y : tensor<16xf32>
  %b = arith.addf %1, %c0 : tensor<16xf32>
  %2 = math.log %a : tensor<16xf32>
  %3 = math.log %b : tensor<16xf32>
  %4 = arith.addf %2, %3 : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0e+18> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %a = arith.addf %0, %c0 : tensor<16xf32>
  %1 = math.absf %y : tensor<16xf32>
  %b = arith.addf %1, %c0 : tensor<16xf32>
  %2 = arith.maximumf %a, %b : tensor<16xf32>
  %small = arith.cmpf olt, %2, %c1 : tensor<16xf32>
  %3 = arith.mulf %a, %b : tensor<16xf32>
  %4 = math.log %3 : tensor<16xf32>
  %5 = math.log %a : tensor<16xf32>
  %6 = math.log %b : tensor<16xf32>
  %7 = arith.addf %5, %6 : tensor<16xf32>
  %8 = arith.select %small, %4, %7 : tensor<16xi1>, tensor<16xf32>
  return %8 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %a = arith.addf %0, %c0 : tensor<16xf32>
  %1 = math.absf %y : tensor<16xf32>
  %b = arith.addf %1, %c0 : tensor<16xf32>
  %2 = arith.mulf %a, %b : tensor<16xf32>
  %3 = math.log %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}
