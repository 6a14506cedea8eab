// Weights are clamped to -128..127 instead of -127..127.
// Wrong: -128 appears, whose negation and products do not fit where those of
// -127 do.
// Right: the clamp before the rounding.
// relation: exact
// witness: x = [-10, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<20.0> : tensor<16xf32>
  %c1 = arith.constant dense<-127.0> : tensor<16xf32>
  %c2 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = math.roundeven %0 : tensor<16xf32>
  %2 = arith.maximumf %1, %c1 : tensor<16xf32>
  %3 = arith.minimumf %2, %c2 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<20.0> : tensor<16xf32>
  %c1 = arith.constant dense<-127.0> : tensor<16xf32>
  %c2 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = arith.maximumf %0, %c1 : tensor<16xf32>
  %2 = arith.minimumf %1, %c2 : tensor<16xf32>
  %3 = math.roundeven %2 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<20.0> : tensor<16xf32>
  %c1 = arith.constant dense<-128.0> : tensor<16xf32>
  %c2 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = math.roundeven %0 : tensor<16xf32>
  %2 = arith.maximumf %1, %c1 : tensor<16xf32>
  %3 = arith.minimumf %2, %c2 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}
