// (x + 100) + y becomes x + (100 + y), and both sums keep their nsw.
// Wrong: 100 + y may overflow although the whole sum does not.
// Right: the flags are dropped.
// relation: exact
// witness: x = [-200, 1]
// witness: y = [2147483600, 1]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<100> : tensor<16xi32>
  %0 = arith.addi %x, %c0 overflow<nsw> : tensor<16xi32>
  %1 = arith.addi %0, %y overflow<nsw> : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<100> : tensor<16xi32>
  %0 = arith.addi %y, %c0 : tensor<16xi32>
  %1 = arith.addi %x, %0 : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<100> : tensor<16xi32>
  %0 = arith.addi %y, %c0 overflow<nsw> : tensor<16xi32>
  %1 = arith.addi %x, %0 overflow<nsw> : tensor<16xi32>
  return %1 : tensor<16xi32>
}
