// A conversion from f64 to f16 goes through f32.
// Wrong: 1 + 2^-11 + 2^-40 is rounded to a tie first, and then to even.
// Right: f16 to f64 is exact, so a second conversion changes nothing.
// relation: exact
// witness: x = [1 + 2**-11 + 2**-40, 1.5]

// before
func.func @main(%x: tensor<16xf64>) -> tensor<16xf16> {
  %0 = arith.truncf %x : tensor<16xf64> to tensor<16xf16>
  return %0 : tensor<16xf16>
}

// -----

// right
func.func @main(%x: tensor<16xf64>) -> tensor<16xf16> {
  %0 = arith.truncf %x : tensor<16xf64> to tensor<16xf16>
  %1 = arith.extf %0 : tensor<16xf16> to tensor<16xf64>
  %2 = arith.truncf %1 : tensor<16xf64> to tensor<16xf16>
  return %2 : tensor<16xf16>
}

// -----

// wrong
func.func @main(%x: tensor<16xf64>) -> tensor<16xf16> {
  %0 = arith.truncf %x : tensor<16xf64> to tensor<16xf32>
  %1 = arith.truncf %0 : tensor<16xf32> to tensor<16xf16>
  return %1 : tensor<16xf16>
}
