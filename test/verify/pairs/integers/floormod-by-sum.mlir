// floormod(x, d) for d > 0 becomes (x % d + d) % d: no select, so it
// vectorizes.
// Wrong: x % d + d overflows if both are large.
// Right: a remainder below zero is corrected by a mask.
// relation: exact
// witness: x = [2000000000, 7]
// witness: y = [2000000001, 3]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %d = arith.maxsi %y, %c0 : tensor<16xi32>
  %r = arith.remsi %x, %d : tensor<16xi32>
  %0 = arith.cmpi slt, %r, %c1 : tensor<16xi32>
  %1 = arith.addi %r, %d : tensor<16xi32>
  %2 = arith.select %0, %1, %r : tensor<16xi1>, tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %c1 = arith.constant dense<31> : tensor<16xi32>
  %d = arith.maxsi %y, %c0 : tensor<16xi32>
  %r = arith.remsi %x, %d : tensor<16xi32>
  %0 = arith.shrsi %r, %c1 : tensor<16xi32>
  %1 = arith.andi %d, %0 : tensor<16xi32>
  %2 = arith.addi %r, %1 : tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %d = arith.maxsi %y, %c0 : tensor<16xi32>
  %0 = arith.remsi %x, %d : tensor<16xi32>
  %1 = arith.addi %0, %d : tensor<16xi32>
  %2 = arith.remsi %1, %d : tensor<16xi32>
  return %2 : tensor<16xi32>
}
