// Floats, made positive, are sorted by their bits.
// Wrong: -0 comes behind all positive numbers, and not where 0 is.
// Right: the absolute value is 0 for both zeros; of NaN all bits are equal.
// relation: exact
// witness: x = tile([0.0, -0.0, 1.0, 2.0], 16)
// witness: p = tile(arange(16), 4)

// before
func.func @main(%x: tensor<4x16xf32>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %zero = arith.constant dense<0.0> : tensor<4x16xf32>
  %lower = arith.cmpf olt, %x, %zero : tensor<4x16xf32>
  %c = arith.select %lower, %zero, %x : tensor<4x16xi1>, tensor<4x16xf32>
  %k, %v = graph.sort %c, %p axis 1 : tensor<4x16xf32>, tensor<4x16xi32>
  return %v : tensor<4x16xi32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %zero = arith.constant dense<0.0> : tensor<4x16xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<4x16xf32>
  %lower = arith.cmpf ole, %x, %zero : tensor<4x16xf32>
  %n = arith.select %lower, %zero, %x : tensor<4x16xi1>, tensor<4x16xf32>
  %none = arith.cmpf uno, %x, %x : tensor<4x16xf32>
  %c = arith.select %none, %nan, %n : tensor<4x16xi1>, tensor<4x16xf32>
  %b = arith.bitcast %c : tensor<4x16xf32> to tensor<4x16xi32>
  %k, %v = graph.sort %b, %p axis 1 : tensor<4x16xi32>, tensor<4x16xi32>
  return %v : tensor<4x16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xf32>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %zero = arith.constant dense<0.0> : tensor<4x16xf32>
  %lower = arith.cmpf olt, %x, %zero : tensor<4x16xf32>
  %c = arith.select %lower, %zero, %x : tensor<4x16xi1>, tensor<4x16xf32>
  %b = arith.bitcast %c : tensor<4x16xf32> to tensor<4x16xi32>
  %k, %v = graph.sort %b, %p axis 1 unsigned
      : tensor<4x16xi32>, tensor<4x16xi32>
  return %v : tensor<4x16xi32>
}
