// Bytes of an image are converted to floats as signed numbers.
// Wrong: from 128 on they are negative.
// Right: zero extension to i32 first.
// relation: exact
// friendly: x = r.integers(0, 100, 16)
// witness: x = [200, 100]

// before
func.func @main(%x: tensor<16xi8>) -> tensor<16xf32> {
  %0 = arith.uitofp %x : tensor<16xi8> to tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xi8>) -> tensor<16xf32> {
  %0 = arith.extui %x : tensor<16xi8> to tensor<16xi32>
  %1 = arith.sitofp %0 : tensor<16xi32> to tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi8>) -> tensor<16xf32> {
  %0 = arith.sitofp %x : tensor<16xi8> to tensor<16xf32>
  return %0 : tensor<16xf32>
}
