// A pass marks a sum nsw because its operands look like indices.
// Wrong: the sum wraps, and nsw makes that poison.
// Right: the sum in i64, where it does not wrap.
// relation: exact
// witness: x = [2147483647, 1]
// witness: y = [1, 1]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %0 = arith.addi %x, %y : tensor<16xi32>
  return %0 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %0 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %1 = arith.extsi %y : tensor<16xi32> to tensor<16xi64>
  %2 = arith.addi %0, %1 overflow<nsw> : tensor<16xi64>
  %3 = arith.trunci %2 : tensor<16xi64> to tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %0 = arith.addi %x, %y overflow<nsw> : tensor<16xi32>
  return %0 : tensor<16xi32>
}
