// tanh(x) becomes (e - 1) / (e + 1) with e = exp(2x).
// Wrong: inf / inf for large x, and 0 for tiny x.
// Right: expm1 of a negative number, with the sign of x.
// relation: near=1e-2
// witness: x = [50, 1e-9, 0.5]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.tanh %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-2.0> : tensor<16xf32>
  %c1 = arith.constant dense<2.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = arith.mulf %c0, %0 : tensor<16xf32>
  %t = math.expm1 %1 : tensor<16xf32>
  %2 = arith.negf %t : tensor<16xf32>
  %3 = arith.addf %t, %c1 : tensor<16xf32>
  %r = arith.divf %2, %3 : tensor<16xf32>
  %4 = math.copysign %r, %x : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.mulf %c0, %x : tensor<16xf32>
  %e = math.exp %0 : tensor<16xf32>
  %1 = arith.subf %e, %c1 : tensor<16xf32>
  %2 = arith.addf %e, %c1 : tensor<16xf32>
  %3 = arith.divf %1, %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}
