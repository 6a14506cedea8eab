// pow(x, 0.5) becomes sqrt(x).
// Wrong: pow(-inf, 0.5) is inf where sqrt gives NaN, and pow(-0, 0.5) is 0
// where sqrt gives -0.
// Right: both are handled.
// relation: exact
// witness: x = [-inf, -0.0, 4]

// before
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %c0 = arith.constant dense<0.5> : tensor<16xf16>
  %0 = math.powf %x, %c0 : tensor<16xf16>
  return %0 : tensor<16xf16>
}

// -----

// right
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %c0 = arith.constant dense<0xFC00> : tensor<16xf16>
  %c1 = arith.constant dense<0.0> : tensor<16xf16>
  %c2 = arith.constant dense<0x7C00> : tensor<16xf16>
  %lowest = arith.cmpf oeq, %x, %c0 : tensor<16xf16>
  %0 = arith.addf %x, %c1 : tensor<16xf16>
  %1 = math.sqrt %0 : tensor<16xf16>
  %2 = arith.select %lowest, %c2, %1 : tensor<16xi1>, tensor<16xf16>
  return %2 : tensor<16xf16>
}

// -----

// wrong
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %0 = math.sqrt %x : tensor<16xf16>
  return %0 : tensor<16xf16>
}
