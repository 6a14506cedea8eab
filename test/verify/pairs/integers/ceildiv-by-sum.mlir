// ceildiv(n, d) of counts becomes (n + d - 1) / d.
// Wrong: the sum wraps from 2^31 on.
// Right: (n - 1) / d + 1, and 0 for 0.
// seen: llvm/llvm-project#133774, of another overflow
// relation: exact
// witness: x = [2147483647, 7]
// witness: y = [16, 2]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %n = arith.maxsi %x, %c0 : tensor<16xi32>
  %d = arith.maxsi %y, %c1 : tensor<16xi32>
  %0 = arith.extsi %n : tensor<16xi32> to tensor<16xi64>
  %1 = arith.extsi %d : tensor<16xi32> to tensor<16xi64>
  %2 = arith.ceildivsi %0, %1 : tensor<16xi64>
  %3 = arith.trunci %2 : tensor<16xi64> to tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %n = arith.maxsi %x, %c0 : tensor<16xi32>
  %d = arith.maxsi %y, %c1 : tensor<16xi32>
  %0 = arith.subi %n, %c1 : tensor<16xi32>
  %1 = arith.divsi %0, %d : tensor<16xi32>
  %q = arith.addi %1, %c1 : tensor<16xi32>
  %2 = arith.cmpi eq, %n, %c0 : tensor<16xi32>
  %3 = arith.select %2, %c0, %q : tensor<16xi1>, tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %n = arith.maxsi %x, %c0 : tensor<16xi32>
  %d = arith.maxsi %y, %c1 : tensor<16xi32>
  %0 = arith.addi %n, %d : tensor<16xi32>
  %1 = arith.subi %0, %c1 : tensor<16xi32>
  %2 = arith.divsi %1, %d : tensor<16xi32>
  return %2 : tensor<16xi32>
}
