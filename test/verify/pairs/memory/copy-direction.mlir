// An array is moved one element to the left in place; the loop is reversed.
// Wrong: a tile reads the first element of the next one, which was overwritten.
// Right: forwards, with other tiles.
// relation: exact
// witness: x = arange(1.0, 201.0)

// before
tile.kernel @shift(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]})
    grid affine_map<()[x0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %width = arith.constant 128 : index
  %steps = tile.count %x, 0 by 128 : !tile.view<?xf32>
  scf.for %k = %c0 to %steps step %c1 {
    %to = arith.muli %k, %width : index
    %from = arith.addi %to, %c1 : index
    %t = tile.load %x at [%from] pad 0.0 : !tile.view<?xf32> -> tensor<128xf32>
    tile.store %t, %x at [%to] : tensor<128xf32>, !tile.view<?xf32>
  }
}

// -----

// right
tile.kernel @shift(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]})
    grid affine_map<()[x0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %width = arith.constant 64 : index
  %steps = tile.count %x, 0 by 64 : !tile.view<?xf32>
  scf.for %k = %c0 to %steps step %c1 {
    %to = arith.muli %k, %width : index
    %from = arith.addi %to, %c1 : index
    %t = tile.load %x at [%from] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %t, %x at [%to] : tensor<64xf32>, !tile.view<?xf32>
  }
}

// -----

// wrong
tile.kernel @shift(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]})
    grid affine_map<()[x0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %width = arith.constant 128 : index
  %steps = tile.count %x, 0 by 128 : !tile.view<?xf32>
  %last = arith.subi %steps, %c1 : index
  scf.for %n = %c0 to %steps step %c1 {
    %k = arith.subi %last, %n : index
    %to = arith.muli %k, %width : index
    %from = arith.addi %to, %c1 : index
    %t = tile.load %x at [%from] pad 0.0 : !tile.view<?xf32> -> tensor<128xf32>
    tile.store %t, %x at [%to] : tensor<128xf32>, !tile.view<?xf32>
  }
}
