// The average of two i32 is computed without a wider type.
// Wrong: the sum of two large numbers wraps.
// Right: the bits that both have, and half of those that one has.
// seen: binary search in the Java library until 2006
// relation: exact
// witness: x = [2000000000, 4]
// witness: y = [2000000000, 8]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi64>
  %0 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %1 = arith.extsi %y : tensor<16xi32> to tensor<16xi64>
  %2 = arith.addi %0, %1 : tensor<16xi64>
  %3 = arith.shrsi %2, %c0 : tensor<16xi64>
  %4 = arith.trunci %3 : tensor<16xi64> to tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %0 = arith.andi %x, %y : tensor<16xi32>
  %1 = arith.xori %x, %y : tensor<16xi32>
  %2 = arith.shrsi %1, %c0 : tensor<16xi32>
  %3 = arith.addi %0, %2 : tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %0 = arith.addi %x, %y : tensor<16xi32>
  %1 = arith.shrsi %0, %c0 : tensor<16xi32>
  return %1 : tensor<16xi32>
}
