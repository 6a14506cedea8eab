// A gather that gives 0 out of range becomes a kernel with one comparison, as
// if indices were not negative.
// Wrong: a negative index reads in front of the table.
// Right: one unsigned comparison.
// relation: exact
// friendly: i = r.integers(0, 16, 16)
// witness: t = arange(1.0, 6.0)
// witness: i = [-2, 1, 9]

// before
func.func @main(%t: tensor<?xf32> {graph.name = "t", graph.dims = ["N"]},
                %i: tensor<?xi32> {graph.name = "i", graph.dims = ["K"]})
    -> (tensor<?xf32> {graph.name = "y"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : i32
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %k = tensor.dim %i, %c0 : tensor<?xi32>
  %size = arith.index_cast %n : index to i32
  %e = tensor.empty(%k) : tensor<?xf32>
  %y = linalg.map ins(%i : tensor<?xi32>) outs(%e : tensor<?xf32>)
    (%at: i32, %o: f32) {
      %low = arith.cmpi sge, %at, %first : i32
      %high = arith.cmpi slt, %at, %size : i32
      %in = arith.andi %low, %high : i1
      %safe = arith.select %in, %at, %first : i32
      %p = arith.index_cast %safe : i32 to index
      %v = tensor.extract %t[%p] : tensor<?xf32>
      %r = arith.select %in, %v, %zero : f32
      linalg.yield %r : f32
    }
  return %y : tensor<?xf32>
}

// -----

// right
tile.kernel @take(
    %t: !tile.view<?xf32>
        {tile.name = "t", tile.dims = ["N"]},
    %i: !tile.view<?xi32>
        {tile.name = "i", tile.dims = ["K"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["K"]})
    grid affine_map<()[t0, i0, y0] -> (i0 ceildiv 16)> {
  %p = tile.program_id
  %zero = arith.constant dense<0> : tensor<16xi32>
  %n = tile.dim %t, 0 : !tile.view<?xf32>
  %size = arith.index_cast %n : index to i32
  %sizes = tile.splat %size : i32 -> tensor<16xi32>
  %at = tile.load %i[%p] pad -1 : !tile.view<?xi32> -> tensor<16xi32>
  %in = arith.cmpi ult, %at, %sizes : tensor<16xi32>
  %base = tile.base %t : !tile.view<?xf32> -> !tile.ptr<f32>
  %q = tile.offset %base, %at : !tile.ptr<f32>, tensor<16xi32>
  %r = tile.load_ptr %q mask %in : tensor<16x!tile.ptr<f32>>
  tile.store %r, %y[%p] : tensor<16xf32>, !tile.view<?xf32>
}

// -----

// wrong
tile.kernel @take(
    %t: !tile.view<?xf32>
        {tile.name = "t", tile.dims = ["N"]},
    %i: !tile.view<?xi32>
        {tile.name = "i", tile.dims = ["K"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["K"]})
    grid affine_map<()[t0, i0, y0] -> (i0 ceildiv 16)> {
  %p = tile.program_id
  %zero = arith.constant dense<0> : tensor<16xi32>
  %n = tile.dim %t, 0 : !tile.view<?xf32>
  %size = arith.index_cast %n : index to i32
  %sizes = tile.splat %size : i32 -> tensor<16xi32>
  %at = tile.load %i[%p] pad -1 : !tile.view<?xi32> -> tensor<16xi32>
  %below = arith.cmpi slt, %at, %sizes : tensor<16xi32>
  %m = arith.constant dense<-1> : tensor<16xi32>
  %pad = arith.cmpi ne, %at, %m : tensor<16xi32>
  %in = arith.andi %below, %pad : tensor<16xi1>
  %base = tile.base %t : !tile.view<?xf32> -> !tile.ptr<f32>
  %q = tile.offset %base, %at : !tile.ptr<f32>, tensor<16xi32>
  %r = tile.load_ptr %q mask %in : tensor<16x!tile.ptr<f32>>
  tile.store %r, %y[%p] : tensor<16xf32>, !tile.view<?xf32>
}
