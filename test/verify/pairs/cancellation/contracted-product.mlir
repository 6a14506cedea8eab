// A product and a sum become fma without a flag that permits it. The numbers
// come from integers.
// Wrong: a product above 2^24 is rounded before the sum, but not in fma.
// Right: the sum's operands are exchanged.
// relation: exact
// witness: x = [4097, 1]
// witness: y = [4097, 2]
// witness: z = [-16785408, 3]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>, %z: tensor<16xi32>)
    -> tensor<16xf32> {
  %0 = arith.sitofp %x : tensor<16xi32> to tensor<16xf32>
  %1 = arith.sitofp %y : tensor<16xi32> to tensor<16xf32>
  %p = arith.mulf %0, %1 : tensor<16xf32>
  %2 = arith.sitofp %z : tensor<16xi32> to tensor<16xf32>
  %3 = arith.addf %p, %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>, %z: tensor<16xi32>)
    -> tensor<16xf32> {
  %0 = arith.sitofp %y : tensor<16xi32> to tensor<16xf32>
  %1 = arith.sitofp %x : tensor<16xi32> to tensor<16xf32>
  %p = arith.mulf %0, %1 : tensor<16xf32>
  %2 = arith.sitofp %z : tensor<16xi32> to tensor<16xf32>
  %3 = arith.addf %2, %p : tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>, %z: tensor<16xi32>)
    -> tensor<16xf32> {
  %0 = arith.sitofp %x : tensor<16xi32> to tensor<16xf32>
  %1 = arith.sitofp %y : tensor<16xi32> to tensor<16xf32>
  %2 = arith.sitofp %z : tensor<16xi32> to tensor<16xf32>
  %3 = math.fma %0, %1, %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}
