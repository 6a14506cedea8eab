// A float is converted to an unsigned byte by way of a signed one.
// Wrong: 200 does not fit i8.
// Right: by way of i32.
// relation: exact
// witness: x = [200, 5]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<255.0> : tensor<16xf32>
  %0 = arith.maxnumf %x, %c0 : tensor<16xf32>
  %c = arith.minnumf %0, %c1 : tensor<16xf32>
  %1 = arith.fptoui %c : tensor<16xf32> to tensor<16xi8>
  return %1 : tensor<16xi8>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<255.0> : tensor<16xf32>
  %0 = arith.maxnumf %x, %c0 : tensor<16xf32>
  %c = arith.minnumf %0, %c1 : tensor<16xf32>
  %1 = arith.fptosi %c : tensor<16xf32> to tensor<16xi32>
  %2 = arith.trunci %1 : tensor<16xi32> to tensor<16xi8>
  return %2 : tensor<16xi8>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<255.0> : tensor<16xf32>
  %0 = arith.maxnumf %x, %c0 : tensor<16xf32>
  %c = arith.minnumf %0, %c1 : tensor<16xf32>
  %1 = arith.fptosi %c : tensor<16xf32> to tensor<16xi8>
  return %1 : tensor<16xi8>
}
