// x / 1024 is narrowed to f16; the division moves behind the conversion.
// Wrong: 1e6 overflows f16 before it is divided.
// Right: a product with 2^-10, in f32.
// relation: near=1e-2
// witness: x = [1e6, 3]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf16> {
  %c0 = arith.constant dense<1024.0> : tensor<16xf32>
  %0 = arith.divf %x, %c0 : tensor<16xf32>
  %1 = arith.truncf %0 : tensor<16xf32> to tensor<16xf16>
  return %1 : tensor<16xf16>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf16> {
  %c0 = arith.constant dense<0.0009765625> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %1 = arith.truncf %0 : tensor<16xf32> to tensor<16xf16>
  return %1 : tensor<16xf16>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf16> {
  %c0 = arith.constant dense<1024.0> : tensor<16xf16>
  %0 = arith.truncf %x : tensor<16xf32> to tensor<16xf16>
  %1 = arith.divf %0, %c0 : tensor<16xf16>
  return %1 : tensor<16xf16>
}
