// The error of a sum, for a compensated addition, is optimized to 0.
// Wrong: as real numbers s - x - y is 0; in floats it is what the sum lost.
// Right: the same steps with the signs exchanged. (Added to 1, so that small
// errors of usual numbers do not count.)
// relation: near=1e-4
// witness: x = [1e8, 1]
// witness: y = [3, 1]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %s = arith.addf %x, %y : tensor<16xf32>
  %t = arith.subf %s, %x : tensor<16xf32>
  %e = arith.subf %y, %t : tensor<16xf32>
  %0 = arith.addf %c0, %e : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %s = arith.addf %y, %x : tensor<16xf32>
  %t = arith.subf %x, %s : tensor<16xf32>
  %e = arith.addf %t, %y : tensor<16xf32>
  %0 = arith.addf %e, %c0 : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  return %c0 : tensor<16xf32>
}
