// x * 12 / 3 becomes an exact division.
// Wrong: a product that wraps is no multiple of 3, and exact makes that poison.
// Right: the product as two shifts.
// relation: exact
// witness: x = [536870911, 1, 400000000, 357913942]

// before
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<12> : tensor<16xi32>
  %c1 = arith.constant dense<3> : tensor<16xi32>
  %0 = arith.muli %x, %c0 : tensor<16xi32>
  %1 = arith.divsi %0, %c1 : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<3> : tensor<16xi32>
  %c1 = arith.constant dense<2> : tensor<16xi32>
  %0 = arith.shli %x, %c0 : tensor<16xi32>
  %1 = arith.shli %x, %c1 : tensor<16xi32>
  %2 = arith.addi %0, %1 : tensor<16xi32>
  %3 = arith.divsi %2, %c0 : tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<12> : tensor<16xi32>
  %c1 = arith.constant dense<3> : tensor<16xi32>
  %0 = arith.muli %x, %c0 : tensor<16xi32>
  %1 = arith.divsi %0, %c1 exact : tensor<16xi32>
  return %1 : tensor<16xi32>
}
