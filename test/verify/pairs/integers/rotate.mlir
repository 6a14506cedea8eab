// A rotation to the left as two shifts, without a case for 0.
// Wrong: for 0 the other shift is by 32, which is poison.
// Right: its amount is taken modulo 32.
// relation: exact
// friendly: y = r.integers(1, 31, 16)
// witness: x = [5, 6]
// witness: y = [0, 32]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<31> : tensor<16xi32>
  %c1 = arith.constant dense<32> : tensor<16xi32>
  %c2 = arith.constant dense<0> : tensor<16xi32>
  %s = arith.andi %y, %c0 : tensor<16xi32>
  %0 = arith.shli %x, %s : tensor<16xi32>
  %1 = arith.subi %c1, %s : tensor<16xi32>
  %2 = arith.andi %1, %c0 : tensor<16xi32>
  %3 = arith.shrui %x, %2 : tensor<16xi32>
  %r = arith.ori %0, %3 : tensor<16xi32>
  %4 = arith.cmpi eq, %s, %c2 : tensor<16xi32>
  %5 = arith.select %4, %x, %r : tensor<16xi1>, tensor<16xi32>
  return %5 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<31> : tensor<16xi32>
  %c1 = arith.constant dense<32> : tensor<16xi32>
  %s = arith.andi %y, %c0 : tensor<16xi32>
  %0 = arith.shli %x, %s : tensor<16xi32>
  %1 = arith.subi %c1, %s : tensor<16xi32>
  %2 = arith.andi %1, %c0 : tensor<16xi32>
  %3 = arith.shrui %x, %2 : tensor<16xi32>
  %4 = arith.ori %0, %3 : tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<31> : tensor<16xi32>
  %c1 = arith.constant dense<32> : tensor<16xi32>
  %s = arith.andi %y, %c0 : tensor<16xi32>
  %0 = arith.shli %x, %s : tensor<16xi32>
  %1 = arith.subi %c1, %s : tensor<16xi32>
  %2 = arith.shrui %x, %1 : tensor<16xi32>
  %3 = arith.ori %0, %2 : tensor<16xi32>
  return %3 : tensor<16xi32>
}
