// A kernel stores f8E4M3FN with saturation; the rewrite drops it.
// Wrong: 500 becomes NaN.
// Right: a clamp to 448 first, which keeps NaN.
// relation: exact
// witness: x = [500.0, 1.0, -3000.0]

// before
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf8E4M3FN>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %r = tile.convert %t saturate : tensor<16xf32> -> tensor<16xf8E4M3FN>
  tile.store %r, %y[%i] : tensor<16xf8E4M3FN>, !tile.view<?xf8E4M3FN>
}

// -----

// right
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf8E4M3FN>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %low = arith.constant dense<-448.0> : tensor<16xf32>
  %high = arith.constant dense<448.0> : tensor<16xf32>
  %a = arith.maximumf %t, %low : tensor<16xf32>
  %b = arith.minimumf %a, %high : tensor<16xf32>
  %r = tile.convert %b : tensor<16xf32> -> tensor<16xf8E4M3FN>
  tile.store %r, %y[%i] : tensor<16xf8E4M3FN>, !tile.view<?xf8E4M3FN>
}

// -----

// wrong
tile.kernel @k(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf8E4M3FN>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %r = tile.convert %t : tensor<16xf32> -> tensor<16xf8E4M3FN>
  tile.store %r, %y[%i] : tensor<16xf8E4M3FN>, !tile.view<?xf8E4M3FN>
}
