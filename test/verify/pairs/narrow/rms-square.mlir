// The squares of an RMS norm are formed in f16 and added in f32.
// Wrong: 300 * 300 overflows f16: the row becomes 0.
// Right: squares of eighths, exactly scaled.
// seen: pytorch/pytorch#133085, nntrainer/nntrainer#3935
// relation: near=2e-2
// witness: x = full((4, 64), 300.0)

// before
func.func @main(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<64.0> : tensor<4xf32>
  %c2 = arith.constant dense<1.0e-06> : tensor<4xf32>
  %w = arith.extf %x : tensor<4x64xf16> to tensor<4x64xf32>
  %0 = arith.mulf %w, %w : tensor<4x64xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %m = arith.divf %1, %c1 : tensor<4xf32>
  %2 = arith.addf %m, %c2 : tensor<4xf32>
  %s = math.rsqrt %2 : tensor<4xf32>
  %3 = tensor.empty() : tensor<4x64xf32>
  %4 = linalg.broadcast ins(%s : tensor<4xf32>)
      outs(%3 : tensor<4x64xf32>) dimensions = [1]
  %5 = arith.mulf %w, %4 : tensor<4x64xf32>
  %6 = arith.truncf %5 : tensor<4x64xf32> to tensor<4x64xf16>
  return %6 : tensor<4x64xf16>
}

// -----

// right
func.func @main(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %c0 = arith.constant dense<0.125> : tensor<4x64xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %c2 = arith.constant dense<1.0e-06> : tensor<4xf32>
  %w = arith.extf %x : tensor<4x64xf16> to tensor<4x64xf32>
  %h = arith.mulf %w, %c0 : tensor<4x64xf32>
  %0 = arith.mulf %h, %h : tensor<4x64xf32>
  %m = linalg.reduce { arith.addf } ins(%0 : tensor<4x64xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %1 = arith.addf %m, %c2 : tensor<4xf32>
  %s = math.rsqrt %1 : tensor<4xf32>
  %2 = tensor.empty() : tensor<4x64xf32>
  %3 = linalg.broadcast ins(%s : tensor<4xf32>)
      outs(%2 : tensor<4x64xf32>) dimensions = [1]
  %4 = arith.mulf %w, %3 : tensor<4x64xf32>
  %5 = arith.truncf %4 : tensor<4x64xf32> to tensor<4x64xf16>
  return %5 : tensor<4x64xf16>
}

// -----

// wrong
func.func @main(%x: tensor<4x64xf16>) -> tensor<4x64xf16> {
  %c0 = arith.constant dense<0.0> : tensor<4xf32>
  %c1 = arith.constant dense<64.0> : tensor<4xf32>
  %c2 = arith.constant dense<1.0e-06> : tensor<4xf32>
  %w = arith.extf %x : tensor<4x64xf16> to tensor<4x64xf32>
  %0 = arith.mulf %x, %x : tensor<4x64xf16>
  %q = arith.extf %0 : tensor<4x64xf16> to tensor<4x64xf32>
  %1 = linalg.reduce { arith.addf } ins(%q : tensor<4x64xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %m = arith.divf %1, %c1 : tensor<4xf32>
  %2 = arith.addf %m, %c2 : tensor<4xf32>
  %s = math.rsqrt %2 : tensor<4xf32>
  %3 = tensor.empty() : tensor<4x64xf32>
  %4 = linalg.broadcast ins(%s : tensor<4xf32>)
      outs(%3 : tensor<4x64xf32>) dimensions = [1]
  %5 = arith.mulf %w, %4 : tensor<4x64xf32>
  %6 = arith.truncf %5 : tensor<4x64xf32> to tensor<4x64xf16>
  return %6 : tensor<4x64xf16>
}
