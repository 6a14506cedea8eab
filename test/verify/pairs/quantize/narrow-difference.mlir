// The zero point is subtracted in i8.
// Wrong: -128 - 10 wraps to 118.
// Right: in i16.
// relation: exact
// witness: q = [-128, 3]
// witness: z = [10, 1]

// before
func.func @main(%q: tensor<16xi8>, %z: tensor<16xi8>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %0 = arith.extsi %q : tensor<16xi8> to tensor<16xi32>
  %1 = arith.extsi %z : tensor<16xi8> to tensor<16xi32>
  %2 = arith.subi %0, %1 : tensor<16xi32>
  %3 = arith.sitofp %2 : tensor<16xi32> to tensor<16xf32>
  %4 = arith.mulf %3, %c0 : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// right
func.func @main(%q: tensor<16xi8>, %z: tensor<16xi8>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %0 = arith.extsi %q : tensor<16xi8> to tensor<16xi16>
  %1 = arith.extsi %z : tensor<16xi8> to tensor<16xi16>
  %2 = arith.subi %0, %1 : tensor<16xi16>
  %3 = arith.sitofp %2 : tensor<16xi16> to tensor<16xf32>
  %4 = arith.mulf %3, %c0 : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%q: tensor<16xi8>, %z: tensor<16xi8>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %0 = arith.subi %q, %z : tensor<16xi8>
  %1 = arith.sitofp %0 : tensor<16xi8> to tensor<16xf32>
  %2 = arith.mulf %1, %c0 : tensor<16xf32>
  return %2 : tensor<16xf32>
}
