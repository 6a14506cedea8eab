// a == b of floats becomes a == b of their bits.
// Wrong: NaN is equal to nothing, and 0 is equal to -0.
// Right: both are handled.
// relation: exact
// witness: x = [nan, 0.0, 1]
// witness: y = [nan, -0.0, 1]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %0 = arith.cmpf oeq, %x, %y : tensor<16xf32>
  %1 = arith.select %0, %c0, %c1 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %c3 = arith.constant dense<0.0> : tensor<16xf32>
  %p = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %q = arith.bitcast %y : tensor<16xf32> to tensor<16xi32>
  %same = arith.cmpi eq, %p, %q : tensor<16xi32>
  %0 = arith.ori %p, %q : tensor<16xi32>
  %either = arith.shli %0, %c0 : tensor<16xi32>
  %zeros = arith.cmpi eq, %either, %c1 : tensor<16xi32>
  %number = arith.cmpf ord, %x, %y : tensor<16xf32>
  %1 = arith.ori %same, %zeros : tensor<16xi1>
  %equal = arith.andi %1, %number : tensor<16xi1>
  %2 = arith.select %equal, %c2, %c3 : tensor<16xi1>, tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %p = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %q = arith.bitcast %y : tensor<16xf32> to tensor<16xi32>
  %0 = arith.cmpi eq, %p, %q : tensor<16xi32>
  %1 = arith.select %0, %c0, %c1 : tensor<16xi1>, tensor<16xf32>
  return %1 : tensor<16xf32>
}
