// A quantization to signed bytes clamps to the range of unsigned ones.
// Wrong: 200 is stored as -56, not as 127.
// Right: no number is below zero here, so the lower bound may be 0.
// relation: exact
// witness: x = [10, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<20.0> : tensor<16xf32>
  %c2 = arith.constant dense<-128.0> : tensor<16xf32>
  %c3 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  %1 = arith.mulf %0, %c1 : tensor<16xf32>
  %r = math.roundeven %1 : tensor<16xf32>
  %2 = arith.maximumf %r, %c2 : tensor<16xf32>
  %3 = arith.minimumf %2, %c3 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<20.0> : tensor<16xf32>
  %c2 = arith.constant dense<127.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  %1 = arith.mulf %0, %c1 : tensor<16xf32>
  %r = math.roundeven %1 : tensor<16xf32>
  %2 = arith.maximumf %r, %c0 : tensor<16xf32>
  %3 = arith.minimumf %2, %c2 : tensor<16xf32>
  %4 = arith.fptosi %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xi8> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<20.0> : tensor<16xf32>
  %c2 = arith.constant dense<255.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  %1 = arith.mulf %0, %c1 : tensor<16xf32>
  %r = math.roundeven %1 : tensor<16xf32>
  %2 = arith.maximumf %r, %c0 : tensor<16xf32>
  %3 = arith.minimumf %2, %c2 : tensor<16xf32>
  %4 = arith.fptoui %3 : tensor<16xf32> to tensor<16xi8>
  return %4 : tensor<16xi8>
}
