// x < 0 becomes a test of the sign bit.
// Wrong: -0 is not less than 0, and neither is a NaN.
// Right: the bits, as unsigned numbers, are above those of -0, and at most
// those of -inf.
// relation: exact
// witness: x = [-0.0, -1, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<-1.0> : tensor<16xf32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.cmpf olt, %x, %c0 : tensor<16xf32>
  %1 = arith.select %0, %c1, %c2 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-2147483648> : tensor<16xi32>
  %c1 = arith.constant dense<-8388608> : tensor<16xi32>
  %c2 = arith.constant dense<-1.0> : tensor<16xf32>
  %c3 = arith.constant dense<1.0> : tensor<16xf32>
  %b = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %negative = arith.cmpi ugt, %b, %c0 : tensor<16xi32>
  %low = arith.cmpi ule, %b, %c1 : tensor<16xi32>
  %both = arith.andi %negative, %low : tensor<16xi1>
  %0 = arith.select %both, %c2, %c3 : tensor<16xi1>, tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %c1 = arith.constant dense<-1.0> : tensor<16xf32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %b = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %negative = arith.cmpi slt, %b, %c0 : tensor<16xi32>
  %0 = arith.select %negative, %c1, %c2 : tensor<16xi1>, tensor<16xf32>
  return %0 : tensor<16xf32>
}
