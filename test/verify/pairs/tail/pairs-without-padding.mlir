// Each pair of elements becomes its sum, twice. The loads lose their padding.
// Wrong: an odd element has no partner: the load is behind the array.
// Right: one load of pairs, split.
// relation: exact
// witness: x = [1.0, 2.0, 3.0]

// before
tile.kernel @pairs(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %at = arith.muli %i, %c16 : index
  %next = arith.addi %at, %c1 : index
  %a = tile.load %x at [%at] step [2] pad 0.0 : !tile.view<?xf32> -> tensor<8xf32>
  %b = tile.load %x at [%next] step [2] pad 0.0 : !tile.view<?xf32> -> tensor<8xf32>
  %s = arith.addf %a, %b : tensor<8xf32>
  tile.store %s, %y at [%at] step [2] : tensor<8xf32>, !tile.view<?xf32>
  tile.store %s, %y at [%next] step [2] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// right
tile.kernel @pairs(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %p = tile.reshape %t : tensor<16xf32> -> tensor<8x2xf32>
  %a, %b = tile.split %p : tensor<8x2xf32> -> tensor<8xf32>, tensor<8xf32>
  %s = arith.addf %a, %b : tensor<8xf32>
  %q = tile.join %s, %s : tensor<8xf32>, tensor<8xf32> -> tensor<8x2xf32>
  %r = tile.reshape %q : tensor<8x2xf32> -> tensor<16xf32>
  tile.store %r, %y[%i] : tensor<16xf32>, !tile.view<?xf32>
}

// -----

// wrong
tile.kernel @pairs(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %at = arith.muli %i, %c16 : index
  %next = arith.addi %at, %c1 : index
  %a = tile.load %x at [%at] step [2] : !tile.view<?xf32> -> tensor<8xf32>
  %b = tile.load %x at [%next] step [2] : !tile.view<?xf32> -> tensor<8xf32>
  %s = arith.addf %a, %b : tensor<8xf32>
  tile.store %s, %y at [%at] step [2] : tensor<8xf32>, !tile.view<?xf32>
  tile.store %s, %y at [%next] step [2] : tensor<8xf32>, !tile.view<?xf32>
}
