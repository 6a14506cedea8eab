// A product of two exponentials becomes the exponential of the sum.
// Wrong: exp(90) is infinite, and infinity times exp(-90) stays infinite;
// exp(0) is 1.
// Right: only where both exponentials are far from the ends of f32.
// relation: near=1e-4
// witness: x = [90, 1, -90]
// witness: y = [-90, 1, 90]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.exp %x : tensor<16xf32>
  %1 = math.exp %y : tensor<16xf32>
  %2 = arith.mulf %0, %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<40.0> : tensor<16xf32>
  %a = math.absf %x : tensor<16xf32>
  %b = math.absf %y : tensor<16xf32>
  %m = arith.maximumf %a, %b : tensor<16xf32>
  %small = arith.cmpf olt, %m, %c0 : tensor<16xf32>
  %0 = arith.addf %x, %y : tensor<16xf32>
  %1 = math.exp %0 : tensor<16xf32>
  %2 = math.exp %x : tensor<16xf32>
  %3 = math.exp %y : tensor<16xf32>
  %4 = arith.mulf %2, %3 : tensor<16xf32>
  %5 = arith.select %small, %1, %4 : tensor<16xi1>, tensor<16xf32>
  return %5 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.addf %x, %y : tensor<16xf32>
  %1 = math.exp %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
