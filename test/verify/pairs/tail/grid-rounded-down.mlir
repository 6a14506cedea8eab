// The grid has n / 16 programs, rounded down.
// Wrong: the last elements are not written.
// Right: n / 8, rounded up, with tiles of 8.
// relation: exact
// witness: x = full(17, 2.0)

// before
tile.kernel @add_one(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %s = arith.addf %t, %one : tensor<16xf32>
  tile.store %s, %y[%i] : tensor<16xf32>, !tile.view<?xf32>
}

// -----

// right
tile.kernel @add_one(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 8)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %s = arith.addf %t, %one : tensor<8xf32>
  tile.store %s, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// wrong
tile.kernel @add_one(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 floordiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %s = arith.addf %t, %one : tensor<16xf32>
  tile.store %s, %y[%i] : tensor<16xf32>, !tile.view<?xf32>
}
