// The test for infinity looks at the exponent only.
// Wrong: NaN has the same exponent.
// Right: all bits but the sign are compared.
// relation: exact
// witness: x = [nan, inf, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0x7F800000> : tensor<16xf32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %c2 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = arith.cmpf oeq, %0, %c0 : tensor<16xf32>
  %2 = arith.select %1, %c1, %c2 : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2147483647> : tensor<16xi32>
  %c1 = arith.constant dense<2139095040> : tensor<16xi32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %c3 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %b = arith.andi %0, %c0 : tensor<16xi32>
  %1 = arith.cmpi eq, %b, %c1 : tensor<16xi32>
  %2 = arith.select %1, %c2, %c3 : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2139095040> : tensor<16xi32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %c2 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %b = arith.andi %0, %c0 : tensor<16xi32>
  %1 = arith.cmpi eq, %b, %c0 : tensor<16xi32>
  %2 = arith.select %1, %c1, %c2 : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}
