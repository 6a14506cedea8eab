// round(x * 2) + 3 becomes round(x * 2 + 3).
// Wrong: a tie is rounded to the even number, and an odd zero point changes
// which that is.
// Right: the zero point moves behind the clamp.
// relation: exact
// witness: x = [0.25, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<2.0> : tensor<16xf32>
  %c1 = arith.constant dense<3.0> : tensor<16xf32>
  %c2 = arith.constant dense<-128.0> : tensor<16xf32>
  %c3 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = math.roundeven %0 : tensor<16xf32>
  %q = arith.addf %1, %c1 : tensor<16xf32>
  %2 = arith.maximumf %q, %c2 : tensor<16xf32>
  %3 = arith.minimumf %2, %c3 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<2.0> : tensor<16xf32>
  %c1 = arith.constant dense<-131.0> : tensor<16xf32>
  %c2 = arith.constant dense<124.0> : tensor<16xf32>
  %c3 = arith.constant dense<3.0> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = math.roundeven %0 : tensor<16xf32>
  %2 = arith.maximumf %1, %c1 : tensor<16xf32>
  %q = arith.minimumf %2, %c2 : tensor<16xf32>
  %3 = arith.addf %q, %c3 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<2.0> : tensor<16xf32>
  %c1 = arith.constant dense<3.0> : tensor<16xf32>
  %c2 = arith.constant dense<-128.0> : tensor<16xf32>
  %c3 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = arith.addf %0, %c1 : tensor<16xf32>
  %q = math.roundeven %1 : tensor<16xf32>
  %2 = arith.maximumf %q, %c2 : tensor<16xf32>
  %3 = arith.minimumf %2, %c3 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}
