// log(exp(x)) becomes x, behind a maximum that keeps the logarithm away from 0.
// Wrong: from about 88.73 on exp(x) is infinite, and so is its logarithm.
// Right: infinity from the first float on whose exponential overflows.
// relation: near=1e-5
// witness: x = [100, 2, 89]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %y = arith.maximumf %x, %c0 : tensor<16xf32>
  %0 = math.exp %y : tensor<16xf32>
  %1 = math.log %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %c1 = arith.constant dense<88.72283172607422> : tensor<16xf32>
  %c2 = arith.constant dense<0x7F800000> : tensor<16xf32>
  %y = arith.maximumf %x, %c0 : tensor<16xf32>
  %large = arith.cmpf ogt, %y, %c1 : tensor<16xf32>
  %0 = arith.select %large, %c2, %y : tensor<16xi1>, tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  return %0 : tensor<16xf32>
}
