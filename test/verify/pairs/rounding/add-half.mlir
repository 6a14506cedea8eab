// round(x), ties away from zero, becomes floor(x + 0.5) for x >= 0.
// Wrong: 0.49999997 + 0.5 rounds to 1; and odd numbers above 2^23 are rounded
// up.
// Right: the fraction is compared with one half.
// seen: Java's Math.round until Java 7
// relation: exact
// witness: x = [0.49999997, 8388609, 1.5]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %a = math.absf %x : tensor<16xf32>
  %0 = math.round %a : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %c1 = arith.constant dense<1.0> : tensor<16xf32>
  %a = math.absf %x : tensor<16xf32>
  %t = math.floor %a : tensor<16xf32>
  %0 = arith.subf %a, %t : tensor<16xf32>
  %up = arith.cmpf oge, %0, %c0 : tensor<16xf32>
  %1 = arith.addf %t, %c1 : tensor<16xf32>
  %2 = arith.select %up, %1, %t : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<0.5> : tensor<16xf32>
  %a = math.absf %x : tensor<16xf32>
  %0 = arith.addf %a, %c0 : tensor<16xf32>
  %1 = math.floor %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
