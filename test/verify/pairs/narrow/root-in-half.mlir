// A square root of f16 with a product, computed in f32, is narrowed to f16.
// Wrong: 300 * 300 overflows.
// Right: sqrt(|x|) * sqrt(|y|) in f32.
// relation: near=2e-2
// witness: x = [300, 2]
// witness: y = [300, 3]

// before
func.func @main(%x: tensor<16xf16>, %y: tensor<16xf16>) -> tensor<16xf16> {
  %0 = arith.extf %x : tensor<16xf16> to tensor<16xf32>
  %1 = arith.extf %y : tensor<16xf16> to tensor<16xf32>
  %2 = arith.mulf %0, %1 : tensor<16xf32>
  %3 = math.absf %2 : tensor<16xf32>
  %4 = math.sqrt %3 : tensor<16xf32>
  %5 = arith.truncf %4 : tensor<16xf32> to tensor<16xf16>
  return %5 : tensor<16xf16>
}

// -----

// right
func.func @main(%x: tensor<16xf16>, %y: tensor<16xf16>) -> tensor<16xf16> {
  %0 = arith.extf %x : tensor<16xf16> to tensor<16xf32>
  %1 = math.absf %0 : tensor<16xf32>
  %a = math.sqrt %1 : tensor<16xf32>
  %2 = arith.extf %y : tensor<16xf16> to tensor<16xf32>
  %3 = math.absf %2 : tensor<16xf32>
  %b = math.sqrt %3 : tensor<16xf32>
  %4 = arith.mulf %a, %b : tensor<16xf32>
  %5 = arith.truncf %4 : tensor<16xf32> to tensor<16xf16>
  return %5 : tensor<16xf16>
}

// -----

// wrong
func.func @main(%x: tensor<16xf16>, %y: tensor<16xf16>) -> tensor<16xf16> {
  %0 = arith.mulf %x, %y : tensor<16xf16>
  %1 = math.absf %0 : tensor<16xf16>
  %2 = math.sqrt %1 : tensor<16xf16>
  return %2 : tensor<16xf16>
}
