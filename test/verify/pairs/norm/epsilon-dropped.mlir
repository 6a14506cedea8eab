// A batch norm of stored variances is folded, and its epsilon is lost.
// Wrong: a channel that is constant has variance 0.
// Right: a product with the reciprocal root.
// seen: torchcvnn/torchcvnn#32
// relation: near=1e-2
// friendly: v = r.uniform(0.5, 1.5, 16)
// witness: x = [1, 2]
// witness: v = [0.0, 1]

// before
func.func @main(%x: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0e-05> : tensor<16xf32>
  %0 = arith.maximumf %v, %c0 : tensor<16xf32>
  %1 = arith.addf %0, %c1 : tensor<16xf32>
  %2 = math.sqrt %1 : tensor<16xf32>
  %3 = arith.divf %x, %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0e-05> : tensor<16xf32>
  %0 = arith.maximumf %v, %c0 : tensor<16xf32>
  %1 = arith.addf %0, %c1 : tensor<16xf32>
  %2 = math.rsqrt %1 : tensor<16xf32>
  %3 = arith.mulf %x, %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %v: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.maximumf %v, %c0 : tensor<16xf32>
  %1 = math.sqrt %0 : tensor<16xf32>
  %2 = arith.divf %x, %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}
