// A scatter of maxima takes the maximum with the old row once, not for each
// update.
// Wrong: of several updates of one row the last one counts, not the greatest.
// Right: the minimum of the negated numbers.
// relation: exact
// friendly: i = r.permutation(16)[:8]
// witness: i = [3, 3, 5, 1, 2, 5, 7, 8]
// witness: u = linspace(9.0, 1.0, 32)

// before
func.func @main(%x: tensor<16x4xf32>, %u: tensor<8x4xf32>, %i: tensor<8xi64>)
    -> tensor<16x4xf32> {
  %zero = arith.constant dense<0> : tensor<8xi64>
  %last = arith.constant dense<15> : tensor<8xi64>
  %low = arith.maxsi %i, %zero : tensor<8xi64>
  %at = arith.minsi %low, %last : tensor<8xi64>
  %y = graph.scatter "max" %u into %x at(%at : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x4xf32>, tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// -----

// right
func.func @main(%x: tensor<16x4xf32>, %u: tensor<8x4xf32>, %i: tensor<8xi64>)
    -> tensor<16x4xf32> {
  %zero = arith.constant dense<0> : tensor<8xi64>
  %last = arith.constant dense<15> : tensor<8xi64>
  %low = arith.maxsi %i, %zero : tensor<8xi64>
  %at = arith.minsi %low, %last : tensor<8xi64>
  %nx = arith.negf %x : tensor<16x4xf32>
  %nu = arith.negf %u : tensor<8x4xf32>
  %m = graph.scatter "min" %nu into %nx at(%at : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x4xf32>, tensor<16x4xf32>
  %y = arith.negf %m : tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16x4xf32>, %u: tensor<8x4xf32>, %i: tensor<8xi64>)
    -> tensor<16x4xf32> {
  %zero = arith.constant dense<0> : tensor<8xi64>
  %last = arith.constant dense<15> : tensor<8xi64>
  %low = arith.maxsi %i, %zero : tensor<8xi64>
  %at = arith.minsi %low, %last : tensor<8xi64>
  %s, %owners = graph.scatter "set" %u into %x at(%at : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x4xf32>, tensor<16x4xf32> owners tensor<16xi32>
  %y = arith.maximumf %s, %x : tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}
