// f32 to f16 and back becomes nothing; differences of rounding are allowed.
// Wrong: 1e5 overflows to infinity, and 1e-8 is 0.
// Right: through f64, which rounds once.
// relation: near=1e-2
// witness: x = [1e5, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.truncf %x : tensor<16xf32> to tensor<16xf16>
  %1 = arith.extf %0 : tensor<16xf16> to tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %1 = arith.truncf %0 : tensor<16xf64> to tensor<16xf16>
  %2 = arith.extf %1 : tensor<16xf16> to tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  return %x : tensor<16xf32>
}
