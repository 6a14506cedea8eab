// x / sqrt(x) becomes sqrt(x).
// Wrong: 0 / 0 and inf / inf are NaN.
// Right: both are handled.
// relation: near=1e-5
// witness: x = [0.0, inf, 4]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.sqrt %x : tensor<16xf32>
  %1 = arith.divf %x, %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.0> : tensor<16xf32>
  %c1 = arith.constant dense<0x7F800000> : tensor<16xf32>
  %c2 = arith.constant dense<0x7FC00000> : tensor<16xf32>
  %a = arith.cmpf oeq, %x, %c0 : tensor<16xf32>
  %b = arith.cmpf oeq, %x, %c1 : tensor<16xf32>
  %0 = arith.ori %a, %b : tensor<16xi1>
  %1 = math.sqrt %x : tensor<16xf32>
  %2 = arith.select %0, %c2, %1 : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.sqrt %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}
