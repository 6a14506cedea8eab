// x * x - y * y becomes (x - y) * (x + y); usual differences are allowed.
// Wrong: the program before gives NaN for two numbers whose squares are
// infinite.
// Right: in f64.
// relation: near=1e-1
// witness: x = [2e19, 1]
// witness: y = [2e19, 0.5]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<4.0> : tensor<16xf32>
  %0 = arith.mulf %x, %x : tensor<16xf32>
  %1 = arith.mulf %y, %y : tensor<16xf32>
  %2 = arith.subf %0, %1 : tensor<16xf32>
  %3 = arith.addf %2, %c0 : tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<4.0> : tensor<16xf32>
  %a = arith.mulf %x, %x : tensor<16xf32>
  %b = arith.mulf %y, %y : tensor<16xf32>
  %0 = arith.extf %a : tensor<16xf32> to tensor<16xf64>
  %1 = arith.extf %b : tensor<16xf32> to tensor<16xf64>
  %2 = arith.subf %0, %1 : tensor<16xf64>
  %3 = arith.truncf %2 : tensor<16xf64> to tensor<16xf32>
  %4 = arith.addf %3, %c0 : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<4.0> : tensor<16xf32>
  %0 = arith.subf %x, %y : tensor<16xf32>
  %1 = arith.addf %x, %y : tensor<16xf32>
  %2 = arith.mulf %0, %1 : tensor<16xf32>
  %3 = arith.addf %2, %c0 : tensor<16xf32>
  return %3 : tensor<16xf32>
}
