// A byte, shifted as i32 and truncated, is shifted as i8.
// Wrong: the amount may be 8 and more: the narrow shift is poison, the wide one
// gives 0.
// Right: a select gives the 0.
// seen: llvm/llvm-project#218191
// relation: exact
// friendly: y = r.integers(0, 7, 16)
// witness: x = [1, 3]
// witness: y = [8, 15]

// before
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<15> : tensor<16xi8>
  %s = arith.andi %y, %c0 : tensor<16xi8>
  %0 = arith.extsi %x : tensor<16xi8> to tensor<16xi32>
  %1 = arith.extsi %s : tensor<16xi8> to tensor<16xi32>
  %2 = arith.shli %0, %1 : tensor<16xi32>
  %3 = arith.trunci %2 : tensor<16xi32> to tensor<16xi8>
  return %3 : tensor<16xi8>
}

// -----

// right
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<15> : tensor<16xi8>
  %c1 = arith.constant dense<8> : tensor<16xi8>
  %c2 = arith.constant dense<0> : tensor<16xi8>
  %s = arith.andi %y, %c0 : tensor<16xi8>
  %narrow = arith.shli %x, %s : tensor<16xi8>
  %0 = arith.cmpi slt, %s, %c1 : tensor<16xi8>
  %1 = arith.select %0, %narrow, %c2 : tensor<16xi1>, tensor<16xi8>
  return %1 : tensor<16xi8>
}

// -----

// wrong
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<15> : tensor<16xi8>
  %s = arith.andi %y, %c0 : tensor<16xi8>
  %0 = arith.shli %x, %s : tensor<16xi8>
  return %0 : tensor<16xi8>
}
