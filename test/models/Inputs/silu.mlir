// Kernels that test/models/replace.py puts in the place of nodes.
tile.func @sigmoid(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %one = arith.constant dense<1.0> : tensor<8x16xf32>
  %n = arith.negf %x : tensor<8x16xf32>
  %e = math.exp %n : tensor<8x16xf32>
  %d = arith.addf %e, %one : tensor<8x16xf32>
  %r = arith.divf %one, %d : tensor<8x16xf32>
  tile.return %r : tensor<8x16xf32>
}

tile.kernel @silu(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>)
    grid affine_map<()[s0, s1, s2, s3] -> (s1 ceildiv 16, s0 ceildiv 8)> {
  %j, %i = tile.program_id
  %t = tile.load %x[%i, %j] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
  %s = tile.call @sigmoid(%t) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = arith.mulf %t, %s : tensor<8x16xf32>
  tile.store %r, %y[%i, %j] : tensor<8x16xf32>, !tile.view<?x?xf32>
}

// Its second output is the first one, negated.
tile.kernel @both(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>,
                  %z: !tile.view<?x?xf32>)
    grid affine_map<()[s0, s1, s2, s3, s4, s5]
                    -> (s1 ceildiv 16, s0 ceildiv 8)> {
  %j, %i = tile.program_id
  %t = tile.load %x[%i, %j] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
  %s = tile.call @sigmoid(%t) : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %n = arith.negf %s : tensor<8x16xf32>
  tile.store %s, %y[%i, %j] : tensor<8x16xf32>, !tile.view<?x?xf32>
  tile.store %n, %z[%i, %j] : tensor<8x16xf32>, !tile.view<?x?xf32>
}

// Not what it is said to be: what shows that a given kernel is what runs.
tile.kernel @zero(%x: !tile.view<?x?xf32>, %y: !tile.view<?x?xf32>)
    grid affine_map<()[s0, s1, s2, s3] -> (s1 ceildiv 16, s0 ceildiv 8)> {
  %j, %i = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  tile.store %zero, %y[%i, %j] : tensor<8x16xf32>, !tile.view<?x?xf32>
}
