// A transposed view is made of a pointer, with its sizes and strides.
// Wrong: the stride is the number of rows, which is right for square matrices
// only.
// Right: the view as it is, and a transposed tile.
// relation: exact
// witness: x = arange(6.0 * 5).reshape(6, 5)

// before
tile.kernel @columns(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x?xf32>
        {tile.name = "y", tile.dims = ["N", "M"]})
    grid affine_map<()[x0, x1, y0, y1] -> (y0 ceildiv 16, y1 ceildiv 16)> {
  %i, %j = tile.program_id
  %c1 = arith.constant 1 : index
  %m = tile.dim %x, 0 : !tile.view<?x?xf32>
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %p = tile.base %x : !tile.view<?x?xf32> -> !tile.ptr<f32>
  %v = tile.make_view %p sizes[%n, %m] strides[%c1, %n]
      : !tile.ptr<f32> -> !tile.view<?x?xf32, strides<[?, ?]>>
  %t = tile.load %v[%i, %j] pad 0.0
      : !tile.view<?x?xf32, strides<[?, ?]>> -> tensor<16x16xf32>
  tile.store %t, %y[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}

// -----

// right
tile.kernel @columns(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x?xf32>
        {tile.name = "y", tile.dims = ["N", "M"]})
    grid affine_map<()[x0, x1, y0, y1] -> (y0 ceildiv 16, y1 ceildiv 16)> {
  %i, %j = tile.program_id
  %c1 = arith.constant 1 : index
  %m = tile.dim %x, 0 : !tile.view<?x?xf32>
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %p = tile.base %x : !tile.view<?x?xf32> -> !tile.ptr<f32>
  %u = tile.load %x[%j, %i] pad 0.0 : !tile.view<?x?xf32> -> tensor<16x16xf32>
  %t = tile.transpose %u [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %t, %y[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}

// -----

// wrong
tile.kernel @columns(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x?xf32>
        {tile.name = "y", tile.dims = ["N", "M"]})
    grid affine_map<()[x0, x1, y0, y1] -> (y0 ceildiv 16, y1 ceildiv 16)> {
  %i, %j = tile.program_id
  %c1 = arith.constant 1 : index
  %m = tile.dim %x, 0 : !tile.view<?x?xf32>
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %p = tile.base %x : !tile.view<?x?xf32> -> !tile.ptr<f32>
  %v = tile.make_view %p sizes[%n, %m] strides[%c1, %m]
      : !tile.ptr<f32> -> !tile.view<?x?xf32, strides<[?, ?]>>
  %t = tile.load %v[%i, %j] pad 0.0
      : !tile.view<?x?xf32, strides<[?, ?]>> -> tensor<16x16xf32>
  tile.store %t, %y[%i, %j] : tensor<16x16xf32>, !tile.view<?x?xf32>
}
