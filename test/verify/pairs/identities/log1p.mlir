// log1p(x) becomes log(1 + x).
// Wrong: for tiny x the sum rounds to 1, and its logarithm is 0.
// Right: the sum is formed in f64.
// relation: near=1e-3
// witness: x = [1e-10, 1, 3e-9]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.absf %x : tensor<16xf32>
  %1 = math.log1p %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.absf %x : tensor<16xf32>
  %w = arith.extf %0 : tensor<16xf32> to tensor<16xf64>
  %1 = math.log1p %w : tensor<16xf64>
  %2 = arith.truncf %1 : tensor<16xf64> to tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = arith.addf %c0, %0 : tensor<16xf32>
  %2 = math.log %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}
