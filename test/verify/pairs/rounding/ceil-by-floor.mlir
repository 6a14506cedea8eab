// ceil(x) becomes floor(x) + 1.
// Wrong: of whole numbers.
// Right: -floor(-x).
// relation: exact
// witness: x = [2, 2.5, -3]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.ceil %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = arith.negf %x : tensor<16xf32>
  %1 = math.floor %0 : tensor<16xf32>
  %2 = arith.negf %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %c2 = arith.constant dense<-1.0> : tensor<16xf32>
  %c3 = arith.constant dense<-0.0> : tensor<16xf32>
  %0 = math.floor %x : tensor<16xf32>
  %w = arith.addf %0, %c0 : tensor<16xf32>
  %1 = arith.cmpf olt, %x, %c1 : tensor<16xf32>
  %2 = arith.cmpf ogt, %x, %c2 : tensor<16xf32>
  %negative = arith.andi %1, %2 : tensor<16xi1>
  %3 = arith.select %negative, %c3, %w : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}
