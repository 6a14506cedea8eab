// max(x, 0) becomes a signed maximum of the bits with 0.
// Wrong: a NaN with the sign bit becomes 0.
// Right: NaN passes.
// relation: exact
// witness: x = bits(0xffc00000, 0x3f800000, 0x80000000)

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %0 = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %b = arith.maxsi %0, %c0 : tensor<16xi32>
  %number = arith.cmpf ord, %x, %x : tensor<16xf32>
  %1 = arith.bitcast %b : tensor<16xi32> to tensor<16xf32>
  %2 = arith.select %number, %1, %x : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %0 = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %b = arith.maxsi %0, %c0 : tensor<16xi32>
  %1 = arith.bitcast %b : tensor<16xi32> to tensor<16xf32>
  return %1 : tensor<16xf32>
}
