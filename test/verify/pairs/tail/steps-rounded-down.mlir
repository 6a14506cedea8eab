// The loop over a row has n / 16 steps, rounded down.
// Wrong: the last elements of the row are not added.
// Right: (n + 15) / 16.
// relation: reassociated
// witness: x = full((3, 17), 2.0)

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
  %init = arith.constant dense<0.0> : tensor<8xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %part = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %new = arith.addf %old, %part : tensor<8xf32>
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
  %init = arith.constant dense<0.0> : tensor<8xf32>
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %more = arith.addi %n, %c15 : index
  %steps = arith.divui %more, %c16 : index
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %part = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %new = arith.addf %old, %part : tensor<8xf32>
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
  %init = arith.constant dense<0.0> : tensor<8xf32>
  %n = tile.dim %x, 1 : !tile.view<?x?xf32>
  %c16 = arith.constant 16 : index
  %steps = arith.divui %n, %c16 : index
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %part = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %new = arith.addf %old, %part : tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  tile.store %acc, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}
