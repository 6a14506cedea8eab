// A conversion to i32 is moved out of the select that guards it, and then used
// as a factor.
// Wrong: the conversion of a large number is poison, and poison times 0 is
// poison.
// Right: it stays behind a select.
// relation: exact
// witness: x = [1e10, nan, 5]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1000000.0> : tensor<16xf32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %0 = math.absf %x : tensor<16xf32>
  %small = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %1 = arith.fptosi %x : tensor<16xf32> to tensor<16xi32>
  %2 = arith.select %small, %1, %c1 : tensor<16xi1>, tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1000000.0> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %small = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %1 = arith.select %small, %x, %c1 : tensor<16xi1>, tensor<16xf32>
  %2 = arith.fptosi %1 : tensor<16xf32> to tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1000000.0> : tensor<16xf32>
  %0 = arith.fptosi %x : tensor<16xf32> to tensor<16xi32>
  %1 = math.absf %x : tensor<16xf32>
  %2 = arith.cmpf olt, %1, %c0 : tensor<16xf32>
  %3 = arith.extui %2 : tensor<16xi1> to tensor<16xi32>
  %4 = arith.muli %0, %3 : tensor<16xi32>
  return %4 : tensor<16xi32>
}
