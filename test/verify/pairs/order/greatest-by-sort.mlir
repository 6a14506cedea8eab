// The maximum of each row, where NaN counts as nothing, becomes the last
// element of the sorted row.
// Wrong: a sort puts NaN last.
// Right: NaN becomes -inf before the maximum.
// relation: exact
// witness: x = tile([1.0, nan, 3.0, 2.0], 16)

// before
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %lowest = arith.constant dense<0xFF800000> : tensor<4xf32>
  %least = arith.constant dense<0xFF800000> : tensor<4x16xf32>
  %none = arith.cmpf uno, %x, %x : tensor<4x16xf32>
  %z = arith.select %none, %least, %x : tensor<4x16xi1>, tensor<4x16xf32>
  %y = linalg.reduce { arith.maximumf } ins(%z : tensor<4x16xf32>)
      outs(%lowest : tensor<4xf32>) dimensions = [1]
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.addf %y, %zero : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %least = arith.constant dense<0xFF800000> : tensor<4x16xf32>
  %none = arith.cmpf uno, %x, %x : tensor<4x16xf32>
  %z = arith.select %none, %least, %x : tensor<4x16xi1>, tensor<4x16xf32>
  %s = graph.sort %z axis 1 : tensor<4x16xf32>
  %last = tensor.extract_slice %s[0, 15] [4, 1] [1, 1]
      : tensor<4x16xf32> to tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.addf %last, %zero : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xf32> {
  %s = graph.sort %x axis 1 : tensor<4x16xf32>
  %last = tensor.extract_slice %s[0, 15] [4, 1] [1, 1]
      : tensor<4x16xf32> to tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %r = arith.addf %last, %zero : tensor<4xf32>
  return %r : tensor<4xf32>
}
