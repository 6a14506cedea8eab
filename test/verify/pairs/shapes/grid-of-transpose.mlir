// A transpose takes the grid of its input for that of its output.
// Wrong: tiles are missing where there are more columns than rows.
// Right: the grid of the output, smaller tiles.
// relation: exact
// witness: x = arange(3.0 * 40).reshape(3, 40)

// before
tile.kernel @transpose(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x?xf32>
        {tile.name = "y", tile.dims = ["N", "M"]})
    grid affine_map<()[x0, x1, y0, y1] -> (y0 ceildiv 16, y1 ceildiv 16)> {
  %i, %j = tile.program_id
  %t = tile.load %x[%j, %i] pad 0.0 : !tile.view<?x?xf32> -> tensor<16x16xf32>
  %r = tile.transpose %t [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %r, %y[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}

// -----

// right
tile.kernel @transpose(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x?xf32>
        {tile.name = "y", tile.dims = ["N", "M"]})
    grid affine_map<()[x0, x1, y0, y1] -> (y0 ceildiv 8, y1 ceildiv 8)> {
  %i, %j = tile.program_id
  %t = tile.load %x[%j, %i] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x8xf32>
  %r = tile.transpose %t [1, 0] : tensor<8x8xf32> -> tensor<8x8xf32>
  tile.store %r, %y[%i, %j] : tensor<8x8xf32>, !tile.view<?x?xf32>
}

// -----

// wrong
tile.kernel @transpose(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x?xf32>
        {tile.name = "y", tile.dims = ["N", "M"]})
    grid affine_map<()[x0, x1, y0, y1] -> (x0 ceildiv 16, x1 ceildiv 16)> {
  %i, %j = tile.program_id
  %t = tile.load %x[%j, %i] pad 0.0 : !tile.view<?x?xf32> -> tensor<16x16xf32>
  %r = tile.transpose %t [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %r, %y[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}
