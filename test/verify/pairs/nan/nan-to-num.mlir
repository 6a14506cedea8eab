// A replacement of NaN by 0 goes, as if there were no NaN.
// Wrong: it is what the program asks for.
// Right: the test is by the bits of x.
// relation: exact
// witness: x = [nan, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.cmpf uno, %x, %x : tensor<16xf32>
  %1 = arith.select %0, %c0, %x : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<2147483647> : tensor<16xi32>
  %c1 = arith.constant dense<2139095040> : tensor<16xi32>
  %c2 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %b = arith.andi %0, %c0 : tensor<16xi32>
  %number = arith.cmpi ule, %b, %c1 : tensor<16xi32>
  %1 = arith.select %number, %x, %c2 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  return %x : tensor<16xf32>
}
