// 1 / (1 + exp(-x)) becomes exp(x) / (1 + exp(x)).
// Wrong: from 89 on that is inf / inf.
// Right: the second form for negative x only.
// relation: near=1e-3
// witness: x = [100, 1, 200]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.negf %x : tensor<16xf32>
  %1 = math.exp %0 : tensor<16xf32>
  %2 = arith.addf %c0, %1 : tensor<16xf32>
  %3 = arith.divf %c0, %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = arith.negf %0 : tensor<16xf32>
  %e = math.exp %1 : tensor<16xf32>
  %d = arith.addf %c0, %e : tensor<16xf32>
  %negative = arith.cmpf olt, %x, %c1 : tensor<16xf32>
  %2 = arith.select %negative, %e, %c0 : tensor<16xi1>, tensor<16xf32>
  %3 = arith.divf %2, %d : tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %e = math.exp %x : tensor<16xf32>
  %0 = arith.addf %c0, %e : tensor<16xf32>
  %1 = arith.divf %e, %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
