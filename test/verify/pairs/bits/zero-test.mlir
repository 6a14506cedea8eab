// x == 0 becomes a comparison of bits with 0.
// Wrong: -0 has the sign bit.
// Right: the sign is shifted out.
// relation: exact
// witness: x = [-0.0, 0.0, 2]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.cmpf oeq, %x, %c0 : tensor<16xf32>
  %1 = arith.select %0, %c1, %x : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %b = arith.shli %0, %c0 : tensor<16xi32>
  %1 = arith.cmpi eq, %b, %c1 : tensor<16xi32>
  %2 = arith.select %1, %c2, %x : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %b = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %0 = arith.cmpi eq, %b, %c0 : tensor<16xi32>
  %1 = arith.select %0, %c1, %x : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}
