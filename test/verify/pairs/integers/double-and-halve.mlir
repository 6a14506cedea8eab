// x * 2 / 2 becomes x.
// Wrong: the product wraps.
// Right: two shifts.
// relation: exact
// witness: x = [1073741824, 5]

// before
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<2> : tensor<16xi32>
  %0 = arith.muli %x, %c0 : tensor<16xi32>
  %1 = arith.divsi %0, %c0 : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %0 = arith.shli %x, %c0 : tensor<16xi32>
  %1 = arith.shrsi %0, %c0 : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  return %x : tensor<16xi32>
}
