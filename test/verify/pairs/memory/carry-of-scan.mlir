// Sums of an array from the beginning on carry the sum of the last tile, not of
// all tiles before.
// Wrong: from the third tile on.
// Right: tiles of 64.
// relation: exact
// witness: x = full(300, 1)

// before
tile.kernel @sums(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %steps = tile.count %x, 0 by 128 : !tile.view<?xi32>
  %total = scf.for %k = %c0 to %steps step %c1 iter_args(%before = %zero) -> (i32) {
    %t = tile.load %x[%k] pad 0 : !tile.view<?xi32> -> tensor<128xi32>
    %s = tile.scan %t axis 0 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    } : tensor<128xi32> -> tensor<128xi32>
    %more = tile.splat %before : i32 -> tensor<128xi32>
    %r = arith.addi %s, %more : tensor<128xi32>
    tile.store %r, %y[%k] : tensor<128xi32>, !tile.view<?xi32>
    %end = arith.constant 127 : index
    %next = tile.extract %r[%end] : tensor<128xi32>
    scf.yield %next : i32
  }
}

// -----

// right
tile.kernel @sums(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %steps = tile.count %x, 0 by 64 : !tile.view<?xi32>
  %total = scf.for %k = %c0 to %steps step %c1 iter_args(%before = %zero) -> (i32) {
    %t = tile.load %x[%k] pad 0 : !tile.view<?xi32> -> tensor<64xi32>
    %s = tile.scan %t axis 0 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    } : tensor<64xi32> -> tensor<64xi32>
    %more = tile.splat %before : i32 -> tensor<64xi32>
    %r = arith.addi %s, %more : tensor<64xi32>
    tile.store %r, %y[%k] : tensor<64xi32>, !tile.view<?xi32>
    %end = arith.constant 63 : index
    %next = tile.extract %r[%end] : tensor<64xi32>
    scf.yield %next : i32
  }
}

// -----

// wrong
tile.kernel @sums(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %steps = tile.count %x, 0 by 128 : !tile.view<?xi32>
  %total = scf.for %k = %c0 to %steps step %c1 iter_args(%before = %zero) -> (i32) {
    %t = tile.load %x[%k] pad 0 : !tile.view<?xi32> -> tensor<128xi32>
    %s = tile.scan %t axis 0 {
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    } : tensor<128xi32> -> tensor<128xi32>
    %more = tile.splat %before : i32 -> tensor<128xi32>
    %r = arith.addi %s, %more : tensor<128xi32>
    tile.store %r, %y[%k] : tensor<128xi32>, !tile.view<?xi32>
    %end = arith.constant 127 : index
    %next = tile.extract %s[%end] : tensor<128xi32>
    scf.yield %next : i32
  }
}
