// pow(x, -2) becomes 1 / (x * x).
// Wrong: in f16 300 * 300 overflows, and the result is 0, not 1.1e-5.
// Right: the square is computed in f32.
// relation: near=1e-2
// witness: x = [300, 2, -400]

// before
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %c0 = arith.constant dense<-2.0> : tensor<16xf16>
  %0 = math.powf %x, %c0 : tensor<16xf16>
  return %0 : tensor<16xf16>
}

// -----

// right
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %w = arith.extf %x : tensor<16xf16> to tensor<16xf32>
  %0 = arith.mulf %w, %w : tensor<16xf32>
  %r = arith.divf %c0, %0 : tensor<16xf32>
  %1 = arith.truncf %r : tensor<16xf32> to tensor<16xf16>
  return %1 : tensor<16xf16>
}

// -----

// wrong
func.func @main(%x: tensor<16xf16>) -> tensor<16xf16> {
  %c0 = arith.constant dense<1.0> : tensor<16xf16>
  %0 = arith.mulf %x, %x : tensor<16xf16>
  %1 = arith.divf %c0, %0 : tensor<16xf16>
  return %1 : tensor<16xf16>
}
