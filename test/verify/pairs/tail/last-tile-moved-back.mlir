// The last tile is moved back so that it ends with the array, which needs no
// masks.
// Wrong: in place, elements in two tiles are changed twice.
// Right: smaller tiles.
// relation: exact
// witness: x = full(17, 2.0)

// before
tile.kernel @add_one(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]})
    grid affine_map<()[x0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %width = arith.constant 16 : index
  %at = arith.muli %i, %width : index
  %t = tile.load %x at [%at] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %s = arith.addf %t, %one : tensor<16xf32>
  tile.store %s, %x at [%at] : tensor<16xf32>, !tile.view<?xf32>
}

// -----

// right
tile.kernel @add_one(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]})
    grid affine_map<()[x0] -> (x0 ceildiv 8)> {
  %i = tile.program_id
  %width = arith.constant 8 : index
  %at = arith.muli %i, %width : index
  %t = tile.load %x at [%at] pad 0.0 : !tile.view<?xf32> -> tensor<8xf32>
  %one = arith.constant dense<1.0> : tensor<8xf32>
  %s = arith.addf %t, %one : tensor<8xf32>
  tile.store %s, %x at [%at] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// wrong
tile.kernel @add_one(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]})
    grid affine_map<()[x0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %width = arith.constant 16 : index
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %own = arith.muli %i, %width : index
  %last = arith.subi %n, %width : index
  %at = arith.minsi %own, %last : index
  %t = tile.load %x at [%at] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %s = arith.addf %t, %one : tensor<16xf32>
  tile.store %s, %x at [%at] : tensor<16xf32>, !tile.view<?xf32>
}
