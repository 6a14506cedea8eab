// x * (y + z) becomes x * y + x * z.
// Wrong: the products overflow to infinities of both signs.
// Right: the products in f64.
// relation: near=1e-2
// witness: x = [10, 2]
// witness: y = [1e38, 1]
// witness: z = [-1e38, 2]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %0 = arith.addf %y, %z : tensor<16xf32>
  %1 = arith.mulf %x, %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %a = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %0 = arith.addf %y, %z : tensor<16xf32>
  %1 = arith.extf %0 : tensor<16xf32> to tensor<16xf64>
  %2 = arith.mulf %a, %1 : tensor<16xf64>
  %3 = arith.truncf %2 : tensor<16xf64> to tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %0 = arith.mulf %x, %y : tensor<16xf32>
  %1 = arith.mulf %x, %z : tensor<16xf32>
  %2 = arith.addf %0, %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}
