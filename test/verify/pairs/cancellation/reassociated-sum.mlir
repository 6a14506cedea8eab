// (x + y) + z of floats becomes x + (y + z). The numbers come from integers.
// Wrong: sums of small integers are exact, those of integers above 2^24 are
// rounded.
// Right: x and y are exchanged.
// relation: exact
// witness: x = [16777216, 1]
// witness: y = [1, 2]
// witness: z = [1, 3]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>, %z: tensor<16xi32>)
    -> tensor<16xf32> {
  %0 = arith.sitofp %x : tensor<16xi32> to tensor<16xf32>
  %1 = arith.sitofp %y : tensor<16xi32> to tensor<16xf32>
  %2 = arith.addf %0, %1 : tensor<16xf32>
  %3 = arith.sitofp %z : tensor<16xi32> to tensor<16xf32>
  %4 = arith.addf %2, %3 : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>, %z: tensor<16xi32>)
    -> tensor<16xf32> {
  %0 = arith.sitofp %y : tensor<16xi32> to tensor<16xf32>
  %1 = arith.sitofp %x : tensor<16xi32> to tensor<16xf32>
  %2 = arith.addf %0, %1 : tensor<16xf32>
  %3 = arith.sitofp %z : tensor<16xi32> to tensor<16xf32>
  %4 = arith.addf %2, %3 : tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>, %z: tensor<16xi32>)
    -> tensor<16xf32> {
  %0 = arith.sitofp %x : tensor<16xi32> to tensor<16xf32>
  %1 = arith.sitofp %y : tensor<16xi32> to tensor<16xf32>
  %2 = arith.sitofp %z : tensor<16xi32> to tensor<16xf32>
  %3 = arith.addf %1, %2 : tensor<16xf32>
  %4 = arith.addf %0, %3 : tensor<16xf32>
  return %4 : tensor<16xf32>
}
