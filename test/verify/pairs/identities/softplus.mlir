// The stable softplus, max(x, 0) + log1p(exp(-|x|)), becomes its textbook form.
// Wrong: log(1 + exp(x)) overflows at 89, and is 0 from -17 down.
// Right: log1p(exp(x)), and x itself where x is large.
// relation: near=1e-3
// witness: x = [100, -30, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  %1 = math.absf %x : tensor<16xf32>
  %2 = arith.negf %1 : tensor<16xf32>
  %3 = math.exp %2 : tensor<16xf32>
  %4 = math.log1p %3 : tensor<16xf32>
  %5 = arith.addf %0, %4 : tensor<16xf32>
  return %5 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<30.0> : tensor<16xf32>
  %large = arith.cmpf ogt, %x, %c0 : tensor<16xf32>
  %0 = math.exp %x : tensor<16xf32>
  %1 = math.log1p %0 : tensor<16xf32>
  %2 = arith.select %large, %x, %1 : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = math.exp %x : tensor<16xf32>
  %1 = arith.addf %c0, %0 : tensor<16xf32>
  %2 = math.log %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}
