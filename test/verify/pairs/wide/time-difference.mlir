// A difference of two 64-bit time stamps is taken in 32 bits.
// Wrong: more than 2^31 ticks wrap.
// Right: in 64 bits, with the operands exchanged and the sign.
// relation: exact
// witness: x = [5000000000, 9]
// witness: y = [1, 4]

// before
func.func @main(%x: tensor<16xi64>, %y: tensor<16xi64>) -> tensor<16xi64> {
  %0 = arith.subi %x, %y : tensor<16xi64>
  return %0 : tensor<16xi64>
}

// -----

// right
func.func @main(%x: tensor<16xi64>, %y: tensor<16xi64>) -> tensor<16xi64> {
  %c0 = arith.constant dense<0> : tensor<16xi64>
  %0 = arith.subi %y, %x : tensor<16xi64>
  %1 = arith.subi %c0, %0 : tensor<16xi64>
  return %1 : tensor<16xi64>
}

// -----

// wrong
func.func @main(%x: tensor<16xi64>, %y: tensor<16xi64>) -> tensor<16xi64> {
  %0 = arith.trunci %x : tensor<16xi64> to tensor<16xi32>
  %1 = arith.trunci %y : tensor<16xi64> to tensor<16xi32>
  %2 = arith.subi %0, %1 : tensor<16xi32>
  %3 = arith.extsi %2 : tensor<16xi32> to tensor<16xi64>
  return %3 : tensor<16xi64>
}
