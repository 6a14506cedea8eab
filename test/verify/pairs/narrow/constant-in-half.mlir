// A scale of f32 is stored as f16, with small differences allowed.
// Wrong: 1e-8 is 0 in f16.
// Right: the product in f64, which is rounded once.
// relation: near=1e-2
// witness: x = [1.0, 2.0]
// witness: s = [1e-8, 1.0]

// before
func.func @main(%x: tensor<16xf32>, %s: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0e-09> : tensor<16xf32>
  %0 = math.absf %s : tensor<16xf32>
  %1 = arith.maximumf %0, %c0 : tensor<16xf32>
  %2 = arith.mulf %x, %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %s: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0e-09> : tensor<16xf32>
  %0 = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %1 = math.absf %s : tensor<16xf32>
  %2 = arith.maximumf %1, %c0 : tensor<16xf32>
  %3 = arith.extf %2 : tensor<16xf32> to tensor<16xf64>
  %4 = arith.mulf %0, %3 : tensor<16xf64>
  %5 = arith.truncf %4 : tensor<16xf64> to tensor<16xf32>
  return %5 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %s: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0e-09> : tensor<16xf32>
  %0 = math.absf %s : tensor<16xf32>
  %1 = arith.maximumf %0, %c0 : tensor<16xf32>
  %2 = arith.truncf %1 : tensor<16xf32> to tensor<16xf16>
  %3 = arith.extf %2 : tensor<16xf16> to tensor<16xf32>
  %4 = arith.mulf %x, %3 : tensor<16xf32>
  return %4 : tensor<16xf32>
}
