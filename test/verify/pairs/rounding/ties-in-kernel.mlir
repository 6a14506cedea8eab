// A kernel's conversion to i32 rounds ties away from zero.
// Wrong: 0.5 becomes 1.
// Right: roundeven and a conversion toward zero.
// relation: exact
// witness: x = [0.5, 1.0, 2.5]

// before
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %r = tile.convert %t rounding nearest_even saturate : tensor<16xf32> -> tensor<16xi32>
  tile.store %r, %y[%i] : tensor<16xi32>, !tile.view<?xi32>
}

// -----

// right
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %w = math.roundeven %t : tensor<16xf32>
  %r = tile.convert %w rounding toward_zero saturate : tensor<16xf32> -> tensor<16xi32>
  tile.store %r, %y[%i] : tensor<16xi32>, !tile.view<?xi32>
}

// -----

// wrong
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %r = tile.convert %t rounding nearest_away saturate : tensor<16xf32> -> tensor<16xi32>
  tile.store %r, %y[%i] : tensor<16xi32>, !tile.view<?xi32>
}
