// The upper half of a product of two i32 is computed in 32 bits.
// Wrong: the product wraps before the shift.
// Right: a division that rounds down, in 64 bits.
// relation: exact
// witness: x = [70000, 3]
// witness: y = [70000, 2]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32768> : tensor<16xi64>
  %c1 = arith.constant dense<16> : tensor<16xi64>
  %0 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %1 = arith.extsi %y : tensor<16xi32> to tensor<16xi64>
  %p = arith.muli %0, %1 : tensor<16xi64>
  %2 = arith.addi %p, %c0 : tensor<16xi64>
  %3 = arith.shrsi %2, %c1 : tensor<16xi64>
  %4 = arith.trunci %3 : tensor<16xi64> to tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32768> : tensor<16xi64>
  %c1 = arith.constant dense<65536> : tensor<16xi64>
  %0 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %1 = arith.extsi %y : tensor<16xi32> to tensor<16xi64>
  %p = arith.muli %0, %1 : tensor<16xi64>
  %2 = arith.addi %p, %c0 : tensor<16xi64>
  %3 = arith.floordivsi %2, %c1 : tensor<16xi64>
  %4 = arith.trunci %3 : tensor<16xi64> to tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32768> : tensor<16xi32>
  %c1 = arith.constant dense<16> : tensor<16xi32>
  %p = arith.muli %x, %y : tensor<16xi32>
  %0 = arith.addi %p, %c0 : tensor<16xi32>
  %1 = arith.shrsi %0, %c1 : tensor<16xi32>
  return %1 : tensor<16xi32>
}
