// (x * 0.125) * y becomes (x * y) * 0.125, which is the same as long as nothing
// overflows.
// Wrong: x * y overflows.
// Right: a division by 8 instead of the product.
// relation: near=1e-4
// witness: x = [1e20, 1]
// witness: y = [1e19, 3]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.125> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = arith.mulf %0, %y : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<8.0> : tensor<16xf32>
  %0 = arith.divf %x, %c0 : tensor<16xf32>
  %1 = arith.mulf %0, %y : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.125> : tensor<16xf32>
  %0 = arith.mulf %x, %y : tensor<16xf32>
  %1 = arith.mulf %0, %c0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
