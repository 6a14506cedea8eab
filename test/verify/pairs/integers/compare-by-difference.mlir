// a < b becomes a - b < 0.
// Wrong: the difference overflows.
// Right: the difference in i64.
// relation: exact
// witness: x = [-2000000000, 1]
// witness: y = [2000000000, 2]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %0 = arith.cmpi slt, %x, %y : tensor<16xi32>
  %1 = arith.extsi %0 : tensor<16xi1> to tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi64>
  %0 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %1 = arith.extsi %y : tensor<16xi32> to tensor<16xi64>
  %2 = arith.subi %0, %1 : tensor<16xi64>
  %3 = arith.cmpi slt, %2, %c0 : tensor<16xi64>
  %4 = arith.extsi %3 : tensor<16xi1> to tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %0 = arith.subi %x, %y : tensor<16xi32>
  %1 = arith.cmpi slt, %0, %c0 : tensor<16xi32>
  %2 = arith.extsi %1 : tensor<16xi1> to tensor<16xi32>
  return %2 : tensor<16xi32>
}
