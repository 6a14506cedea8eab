// An arithmetic shift of an extended i16 is narrowed to i16.
// Wrong: it is poison from 16 on.
// Right: the amount is limited to 15, which gives the same.
// seen: llvm/llvm-project#218191
// relation: exact
// friendly: y = r.integers(0, 15, 16)
// witness: x = [-5, 3]
// witness: y = [16, 20]

// before
func.func @main(%x: tensor<16xi16>, %y: tensor<16xi16>) -> tensor<16xi16> {
  %c0 = arith.constant dense<31> : tensor<16xi16>
  %s = arith.andi %y, %c0 : tensor<16xi16>
  %0 = arith.extsi %x : tensor<16xi16> to tensor<16xi32>
  %1 = arith.extsi %s : tensor<16xi16> to tensor<16xi32>
  %2 = arith.shrsi %0, %1 : tensor<16xi32>
  %3 = arith.trunci %2 : tensor<16xi32> to tensor<16xi16>
  return %3 : tensor<16xi16>
}

// -----

// right
func.func @main(%x: tensor<16xi16>, %y: tensor<16xi16>) -> tensor<16xi16> {
  %c0 = arith.constant dense<31> : tensor<16xi16>
  %c1 = arith.constant dense<15> : tensor<16xi16>
  %0 = arith.andi %y, %c0 : tensor<16xi16>
  %s = arith.minui %0, %c1 : tensor<16xi16>
  %1 = arith.shrsi %x, %s : tensor<16xi16>
  return %1 : tensor<16xi16>
}

// -----

// wrong
func.func @main(%x: tensor<16xi16>, %y: tensor<16xi16>) -> tensor<16xi16> {
  %c0 = arith.constant dense<31> : tensor<16xi16>
  %s = arith.andi %y, %c0 : tensor<16xi16>
  %0 = arith.shrsi %x, %s : tensor<16xi16>
  return %0 : tensor<16xi16>
}
