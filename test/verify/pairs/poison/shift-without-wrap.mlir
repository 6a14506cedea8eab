// The hash (x << 5) - x gets a shift that does not wrap.
// Wrong: hashes wrap.
// Right: a product with 31.
// relation: exact
// witness: x = [123456789, 1]

// before
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<5> : tensor<16xi32>
  %0 = arith.shli %x, %c0 : tensor<16xi32>
  %1 = arith.subi %0, %x : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<31> : tensor<16xi32>
  %0 = arith.muli %x, %c0 : tensor<16xi32>
  return %0 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<5> : tensor<16xi32>
  %0 = arith.shli %x, %c0 overflow<nsw> : tensor<16xi32>
  %1 = arith.subi %0, %x : tensor<16xi32>
  return %1 : tensor<16xi32>
}
