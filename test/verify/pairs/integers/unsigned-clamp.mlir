// min(max(i, 0), 99) becomes one unsigned minimum.
// Wrong: a negative number becomes 99, not 0.
// Right: only where the number is not negative.
// relation: exact
// friendly: x = r.integers(0, 90, 16)
// witness: x = [-1, 5]

// before
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %c1 = arith.constant dense<99> : tensor<16xi32>
  %0 = arith.maxsi %x, %c0 : tensor<16xi32>
  %1 = arith.minsi %0, %c1 : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %c1 = arith.constant dense<99> : tensor<16xi32>
  %0 = arith.cmpi slt, %x, %c0 : tensor<16xi32>
  %1 = arith.minui %x, %c1 : tensor<16xi32>
  %2 = arith.select %0, %c0, %1 : tensor<16xi1>, tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<99> : tensor<16xi32>
  %0 = arith.minui %x, %c0 : tensor<16xi32>
  return %0 : tensor<16xi32>
}
