// A quantization that saturates becomes a kernel that converts to i32 and
// truncates.
// Wrong: 200 becomes -56.
// Right: a conversion that saturates.
// relation: exact
// witness: x = [10.0, 1.0]

// before
func.func @main(%x: tensor<?xf32> {graph.name = "x", graph.dims = ["N"]})
    -> (tensor<?xi8> {graph.name = "y"}) {
  %c0 = arith.constant 0 : index
  %scale = arith.constant 20.0 : f32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %none = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xi8>
  %y = linalg.map ins(%x : tensor<?xf32>) outs(%e : tensor<?xi8>)
    (%v: f32, %o: i8) {
      %s = arith.mulf %v, %scale : f32
      %w = math.roundeven %s : f32
      %nan = arith.cmpf uno, %w, %w : f32
      %z = arith.select %nan, %none, %w : f32
      %a = arith.maximumf %z, %low : f32
      %b = arith.minimumf %a, %high : f32
      %q = arith.fptosi %b : f32 to i8
      linalg.yield %q : i8
    }
  return %y : tensor<?xi8>
}

// -----

// right
tile.kernel @quantize(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi8>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %scale = arith.constant dense<20.0> : tensor<16xf32>
  %s = arith.mulf %t, %scale : tensor<16xf32>
  %r = tile.convert %s rounding nearest_even saturate
      : tensor<16xf32> -> tensor<16xi8>
  tile.store %r, %y[%i] : tensor<16xi8>, !tile.view<?xi8>
}

// -----

// wrong
tile.kernel @quantize(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xi8>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %scale = arith.constant dense<20.0> : tensor<16xf32>
  %s = arith.mulf %t, %scale : tensor<16xf32>
  %w = tile.convert %s rounding nearest_even saturate
      : tensor<16xf32> -> tensor<16xi32>
  %r = arith.trunci %w : tensor<16xi32> to tensor<16xi8>
  tile.store %r, %y[%i] : tensor<16xi8>, !tile.view<?xi8>
}
