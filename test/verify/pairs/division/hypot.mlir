// sqrt(x * x + y * y) in f64 is narrowed to f32.
// Wrong: the squares of 1e20 overflow, those of 1e-30 are 0.
// Right: only for moderate numbers.
// relation: near=1e-4
// witness: x = [3e20, 3e-30, 3]
// witness: y = [4e20, 4e-30, 4]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %a = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %b = arith.extf %y : tensor<16xf32> to tensor<16xf64>
  %0 = arith.mulf %a, %a : tensor<16xf64>
  %1 = arith.mulf %b, %b : tensor<16xf64>
  %2 = arith.addf %0, %1 : tensor<16xf64>
  %3 = math.sqrt %2 : tensor<16xf64>
  %4 = arith.truncf %3 : tensor<16xf64> to tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0e-10> : tensor<16xf32>
  %c1 = arith.constant dense<1000000000000000.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %1 = math.absf %y : tensor<16xf32>
  %m = arith.maximumf %0, %1 : tensor<16xf32>
  %low = arith.cmpf ogt, %m, %c0 : tensor<16xf32>
  %high = arith.cmpf olt, %m, %c1 : tensor<16xf32>
  %a = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %b = arith.extf %y : tensor<16xf32> to tensor<16xf64>
  %2 = arith.andi %low, %high : tensor<16xi1>
  %3 = arith.mulf %x, %x : tensor<16xf32>
  %4 = arith.mulf %y, %y : tensor<16xf32>
  %5 = arith.addf %3, %4 : tensor<16xf32>
  %6 = math.sqrt %5 : tensor<16xf32>
  %7 = arith.mulf %a, %a : tensor<16xf64>
  %8 = arith.mulf %b, %b : tensor<16xf64>
  %9 = arith.addf %7, %8 : tensor<16xf64>
  %10 = math.sqrt %9 : tensor<16xf64>
  %11 = arith.truncf %10 : tensor<16xf64> to tensor<16xf32>
  %12 = arith.select %2, %6, %11 : tensor<16xi1>, tensor<16xf32>
  return %12 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.mulf %x, %x : tensor<16xf32>
  %1 = arith.mulf %y, %y : tensor<16xf32>
  %2 = arith.addf %0, %1 : tensor<16xf32>
  %3 = math.sqrt %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}
