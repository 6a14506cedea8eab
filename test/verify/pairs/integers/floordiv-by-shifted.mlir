// floordiv(x, d) for d > 0 becomes x < 0 ? (x - d + 1) / d : x / d.
// Wrong: x - d + 1 wraps near the least integer.
// Right: (x + 1) / d - 1 below zero.
// relation: exact
// witness: x = [-2147483648, -7]
// witness: y = [1000, 2]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %d = arith.maxsi %y, %c0 : tensor<16xi32>
  %0 = arith.floordivsi %x, %d : tensor<16xi32>
  return %0 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %d = arith.maxsi %y, %c0 : tensor<16xi32>
  %0 = arith.addi %x, %c0 : tensor<16xi32>
  %1 = arith.divsi %0, %d : tensor<16xi32>
  %low = arith.subi %1, %c0 : tensor<16xi32>
  %2 = arith.cmpi slt, %x, %c1 : tensor<16xi32>
  %3 = arith.divsi %x, %d : tensor<16xi32>
  %4 = arith.select %2, %low, %3 : tensor<16xi1>, tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %d = arith.maxsi %y, %c0 : tensor<16xi32>
  %0 = arith.subi %x, %d : tensor<16xi32>
  %1 = arith.addi %0, %c0 : tensor<16xi32>
  %low = arith.divsi %1, %d : tensor<16xi32>
  %2 = arith.cmpi slt, %x, %c1 : tensor<16xi32>
  %3 = arith.divsi %x, %d : tensor<16xi32>
  %4 = arith.select %2, %low, %3 : tensor<16xi1>, tensor<16xi32>
  return %4 : tensor<16xi32>
}
