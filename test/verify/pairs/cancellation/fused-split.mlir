// fma(x, y, z) becomes a product and a sum.
// Wrong: the product overflows, although the sum is in range.
// Right: in f64, where the product is exact.
// relation: near=1e-2
// witness: x = [2e19, 1]
// witness: y = [2e19, 2]
// witness: z = [-3e38, 3]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %0 = math.fma %x, %y, %z : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %0 = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %1 = arith.extf %y : tensor<16xf32> to tensor<16xf64>
  %p = arith.mulf %0, %1 : tensor<16xf64>
  %2 = arith.extf %z : tensor<16xf32> to tensor<16xf64>
  %3 = arith.addf %p, %2 : tensor<16xf64>
  %4 = arith.truncf %3 : tensor<16xf64> to tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %0 = arith.mulf %x, %y : tensor<16xf32>
  %1 = arith.addf %0, %z : tensor<16xf32>
  return %1 : tensor<16xf32>
}
