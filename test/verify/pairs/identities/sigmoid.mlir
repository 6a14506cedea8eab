// 1 / (1 + exp(-x)) becomes exp(x) / (1 + exp(x)).
// Wrong: from 89 on that is inf / inf.
// Right: only between -80 and 0.
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
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<-80.0> : tensor<16xf32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %e = math.exp %x : tensor<16xf32>
  %0 = arith.cmpf olt, %x, %c0 : tensor<16xf32>
  %1 = arith.cmpf ogt, %x, %c1 : tensor<16xf32>
  %moderate = arith.andi %0, %1 : tensor<16xi1>
  %2 = arith.addf %c2, %e : tensor<16xf32>
  %3 = arith.divf %e, %2 : tensor<16xf32>
  %4 = arith.negf %x : tensor<16xf32>
  %5 = math.exp %4 : tensor<16xf32>
  %6 = arith.addf %c2, %5 : tensor<16xf32>
  %7 = arith.divf %c2, %6 : tensor<16xf32>
  %8 = arith.select %moderate, %3, %7 : tensor<16xi1>, tensor<16xf32>
  return %8 : tensor<16xf32>
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
