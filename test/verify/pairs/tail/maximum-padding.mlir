// The maximum of each row pads the last tile with 0.
// Wrong: rows below zero whose length is no multiple of 16.
// Right: tiles of 8 columns.
// relation: exact
// witness: x = full((3, 17), -2.0)

// before
tile.kernel @rows(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["M"]})
    grid affine_map<()[x0, x1, y0] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.program_id
  %init = arith.constant dense<0xFF800000> : tensor<8xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %part = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %new = arith.maximumf %old, %part : tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  tile.store %acc, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// right
tile.kernel @rows(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["M"]})
    grid affine_map<()[x0, x1, y0] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.program_id
  %init = arith.constant dense<0xFF800000> : tensor<8xf32>
  %steps = tile.count %x, 1 by 8 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<8x8xf32>
    %part = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x8xf32> -> tensor<8xf32>
    %new = arith.maximumf %old, %part : tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  tile.store %acc, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}

// -----

// wrong
tile.kernel @rows(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["M"]})
    grid affine_map<()[x0, x1, y0] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.program_id
  %init = arith.constant dense<0xFF800000> : tensor<8xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %part = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %new = arith.maximumf %old, %part : tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  tile.store %acc, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}
