// select(s < 32, x >> s, 0) becomes (x >> s) & mask.
// Wrong: the shift that the select drops is poison, and the mask does not drop
// it.
// Right: the amount is limited first.
// relation: exact
// friendly: y = r.integers(0, 31, 16)
// witness: x = [-1, 5]
// witness: y = [32, 3]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %0 = arith.cmpi ult, %y, %c0 : tensor<16xi32>
  %1 = arith.shrui %x, %y : tensor<16xi32>
  %2 = arith.select %0, %1, %c1 : tensor<16xi1>, tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %low = arith.cmpi ult, %y, %c0 : tensor<16xi32>
  %s = arith.select %low, %y, %c1 : tensor<16xi1>, tensor<16xi32>
  %0 = arith.shrui %x, %s : tensor<16xi32>
  %1 = arith.extsi %low : tensor<16xi1> to tensor<16xi32>
  %2 = arith.andi %0, %1 : tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32> : tensor<16xi32>
  %0 = arith.shrui %x, %y : tensor<16xi32>
  %1 = arith.cmpi ult, %y, %c0 : tensor<16xi32>
  %2 = arith.extsi %1 : tensor<16xi1> to tensor<16xi32>
  %3 = arith.andi %0, %2 : tensor<16xi32>
  return %3 : tensor<16xi32>
}
