// Rounding to the nearest even number becomes rounding away from zero at ties.
// Wrong: 0.5 is rounded to 1, 2.5 to 3.
// Right: a tie that became odd is corrected.
// relation: exact
// witness: x = [0.5, 2.5, -0.5, 1.5]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.roundeven %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %t = math.trunc %x : tensor<16xf32>
  %0 = arith.subf %x, %t : tensor<16xf32>
  %f = math.absf %0 : tensor<16xf32>
  %half = arith.mulf %t, %c0 : tensor<16xf32>
  %1 = math.trunc %half : tensor<16xf32>
  %odd = arith.cmpf une, %1, %half : tensor<16xf32>
  %2 = math.copysign %c1, %x : tensor<16xf32>
  %up = arith.addf %t, %2 : tensor<16xf32>
  %tie = arith.cmpf oeq, %f, %c0 : tensor<16xf32>
  %more = arith.cmpf ogt, %f, %c0 : tensor<16xf32>
  %3 = arith.andi %tie, %odd : tensor<16xi1>
  %away = arith.ori %3, %more : tensor<16xi1>
  %4 = arith.select %away, %up, %t : tensor<16xi1>, tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.round %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
