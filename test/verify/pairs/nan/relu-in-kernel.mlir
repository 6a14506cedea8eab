// A module's maximumf with 0 becomes a kernel with maxnumf.
// Wrong: NaN becomes 0.
// Right: maximumf in tiles of 8.
// seen: tensorflow/tensorflow#119628
// relation: exact
// witness: x = [nan, 1.0]

// before
func.func @main(%x: tensor<?xf32> {graph.name = "x", graph.dims = ["N"]})
    -> (tensor<?xf32> {graph.name = "y"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.map ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>)
    (%v: f32, %o: f32) {
      %r = arith.maximumf %v, %zero : f32
      linalg.yield %r : f32
    }
  return %y : tensor<?xf32>
}

// -----

// right
tile.kernel @relu(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 8)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %r = arith.maximumf %t, %zero : tensor<8xf32>
  tile.store %r, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// wrong
tile.kernel @relu(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %t = tile.load %x[%i] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = arith.maxnumf %t, %zero : tensor<16xf32>
  tile.store %r, %y[%i] : tensor<16xf32>, !tile.view<?xf32>
}
