// A rescaling, acc * 26000 / 2^16, multiplies in 32 bits.
// Wrong: accumulators from 82,596 on overflow.
// Right: the upper and the lower half of the accumulator.
// relation: exact
// witness: a = [200000, 5]

// before
func.func @main(%a: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<26000> : tensor<16xi64>
  %c1 = arith.constant dense<16> : tensor<16xi64>
  %0 = arith.extsi %a : tensor<16xi32> to tensor<16xi64>
  %1 = arith.muli %0, %c0 : tensor<16xi64>
  %2 = arith.shrsi %1, %c1 : tensor<16xi64>
  %3 = arith.trunci %2 : tensor<16xi64> to tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// right
func.func @main(%a: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<16> : tensor<16xi32>
  %c1 = arith.constant dense<26000> : tensor<16xi32>
  %c2 = arith.constant dense<65535> : tensor<16xi32>
  %0 = arith.shrsi %a, %c0 : tensor<16xi32>
  %h = arith.muli %0, %c1 : tensor<16xi32>
  %1 = arith.andi %a, %c2 : tensor<16xi32>
  %l = arith.muli %1, %c1 : tensor<16xi32>
  %2 = arith.shrsi %l, %c0 : tensor<16xi32>
  %3 = arith.addi %h, %2 : tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%a: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<26000> : tensor<16xi32>
  %c1 = arith.constant dense<16> : tensor<16xi32>
  %0 = arith.muli %a, %c0 : tensor<16xi32>
  %1 = arith.shrsi %0, %c1 : tensor<16xi32>
  return %1 : tensor<16xi32>
}
