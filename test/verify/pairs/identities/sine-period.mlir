// sin(x) becomes sin(x - 2 pi n), with n = round(x / (2 pi)), in f32.
// Wrong: for large x the difference has lost the fraction.
// Right: as an odd function.
// relation: near=1e-2
// witness: x = [1e6, 1]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.sin %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.negf %x : tensor<16xf32>
  %1 = math.sin %0 : tensor<16xf32>
  %2 = arith.negf %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.15915493667125702> : tensor<16xf32>
  %c1 = arith.constant dense<6.2831854820251465> : tensor<16xf32>
  %0 = arith.mulf %x, %c0 : tensor<16xf32>
  %n = math.roundeven %0 : tensor<16xf32>
  %1 = arith.mulf %n, %c1 : tensor<16xf32>
  %2 = arith.subf %x, %1 : tensor<16xf32>
  %3 = math.sin %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}
