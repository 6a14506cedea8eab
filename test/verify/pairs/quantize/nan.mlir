// NaN is quantized to 0; the test for it merges with the clamp.
// Wrong: maxnumf takes the bound, -128.
// Right: the test comes after the clamp.
// relation: exact
// witness: x = [nan, 5]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<-128.0> : tensor<16xf32>
  %c2 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = arith.cmpf uno, %x, %x : tensor<16xf32>
  %v = arith.select %0, %c0, %x : tensor<16xi1>, tensor<16xf32>
  %1 = math.roundeven %v : tensor<16xf32>
  %2 = arith.maximumf %1, %c1 : tensor<16xf32>
  %3 = arith.minimumf %2, %c2 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<-128.0> : tensor<16xf32>
  %c1 = arith.constant dense<127.0> : tensor<16xf32>
  %c2 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = math.roundeven %x : tensor<16xf32>
  %1 = arith.maxnumf %0, %c0 : tensor<16xf32>
  %c = arith.minnumf %1, %c1 : tensor<16xf32>
  %2 = arith.cmpf uno, %x, %x : tensor<16xf32>
  %3 = arith.select %2, %c2, %c : tensor<16xi1>, tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<-128.0> : tensor<16xf32>
  %c1 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = math.roundeven %x : tensor<16xf32>
  %1 = arith.maxnumf %0, %c0 : tensor<16xf32>
  %2 = arith.minnumf %1, %c1 : tensor<16xf32>
  %3 = arith.fptosi %2 : tensor<16xf32> to tensor<16xi8>
  return %3 : tensor<16xi8>
}
