// Two i64 are equal if their lower halves are.
// Wrong: 2^32 and 0.
// Right: the exclusive or of both halves.
// relation: exact
// witness: x = [4294967296, 3]
// witness: y = [0, 3]

// before
func.func @main(%x: tensor<16xi64>, %y: tensor<16xi64>) -> tensor<16xi32> {
  %0 = arith.cmpi eq, %x, %y : tensor<16xi64>
  %1 = arith.extsi %0 : tensor<16xi1> to tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi64>, %y: tensor<16xi64>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32> : tensor<16xi64>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %d = arith.xori %x, %y : tensor<16xi64>
  %0 = arith.trunci %d : tensor<16xi64> to tensor<16xi32>
  %1 = arith.shrui %d, %c0 : tensor<16xi64>
  %2 = arith.trunci %1 : tensor<16xi64> to tensor<16xi32>
  %h = arith.ori %0, %2 : tensor<16xi32>
  %3 = arith.cmpi eq, %h, %c1 : tensor<16xi32>
  %4 = arith.extsi %3 : tensor<16xi1> to tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi64>, %y: tensor<16xi64>) -> tensor<16xi32> {
  %0 = arith.trunci %x : tensor<16xi64> to tensor<16xi32>
  %1 = arith.trunci %y : tensor<16xi64> to tensor<16xi32>
  %2 = arith.cmpi eq, %0, %1 : tensor<16xi32>
  %3 = arith.extsi %2 : tensor<16xi1> to tensor<16xi32>
  return %3 : tensor<16xi32>
}
