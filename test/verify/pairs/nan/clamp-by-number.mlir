// A clamp by maximumf and minimumf becomes one by maxnumf and minnumf.
// Wrong: NaN becomes the lower bound.
// Right: NaN is restored.
// seen: tensorflow/tensorflow#119628
// relation: exact
// witness: x = [nan, 7]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-6.0> : tensor<16xf32>
  %c1 = arith.constant dense<6.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  %1 = arith.minimumf %0, %c1 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-6.0> : tensor<16xf32>
  %c1 = arith.constant dense<6.0> : tensor<16xf32>
  %0 = arith.maxnumf %x, %c0 : tensor<16xf32>
  %c = arith.minnumf %0, %c1 : tensor<16xf32>
  %number = arith.cmpf ord, %x, %x : tensor<16xf32>
  %1 = arith.select %number, %c, %x : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-6.0> : tensor<16xf32>
  %c1 = arith.constant dense<6.0> : tensor<16xf32>
  %0 = arith.maxnumf %x, %c0 : tensor<16xf32>
  %1 = arith.minnumf %0, %c1 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
