// maximumf(a, b) becomes a > b ? a : b.
// Wrong: +0 is not greater than -0, and with a NaN in a the result is b.
// Right: the operands are exchanged.
// seen: apache/tvm#19579
// relation: exact
// witness: x = [0.0, nan, 1]
// witness: y = [-0.0, 1, 2]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.maximumf %x, %y : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.maximumf %y, %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.cmpf ogt, %x, %y : tensor<16xf32>
  %1 = arith.select %0, %x, %y : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}
