// A kernel's conversion to i8 loses its saturation.
// Wrong: a number out of range is poison, and so is NaN.
// Right: the saturation by hand, in f32.
// relation: exact
// witness: x = [10.0, 1.0]

// before
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi8>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %scale = arith.constant dense<20.0> : tensor<16xf32>
  %s = arith.mulf %t, %scale : tensor<16xf32>
  %r = tile.convert %s rounding nearest_even saturate : tensor<16xf32> -> tensor<16xi8>
  tile.store %r, %y[%i] : tensor<16xi8>, !tile.view<?xi8>
}

// -----

// right
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi8>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %scale = arith.constant dense<20.0> : tensor<16xf32>
  %s = arith.mulf %t, %scale : tensor<16xf32>
  %low = arith.constant dense<-128.0> : tensor<16xf32>
  %high = arith.constant dense<127.0> : tensor<16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %nan = arith.cmpf uno, %s, %s : tensor<16xf32>
  %a = arith.select %nan, %zero, %s : tensor<16xi1>, tensor<16xf32>
  %b = arith.maximumf %a, %low : tensor<16xf32>
  %c = arith.minimumf %b, %high : tensor<16xf32>
  %r = tile.convert %c rounding nearest_even : tensor<16xf32> -> tensor<16xi8>
  tile.store %r, %y[%i] : tensor<16xi8>, !tile.view<?xi8>
}

// -----

// wrong
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi8>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %scale = arith.constant dense<20.0> : tensor<16xf32>
  %s = arith.mulf %t, %scale : tensor<16xf32>
  %r = tile.convert %s rounding nearest_even : tensor<16xf32> -> tensor<16xi8>
  tile.store %r, %y[%i] : tensor<16xi8>, !tile.view<?xi8>
}
