// The mean of each row divides by the number of elements that were loaded.
// Wrong: it counts the padding of the last tile.
// Right: the length by its steps and what is left of the last one.
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
  %cols = tile.dim %x, 1 : !tile.view<?x?xf32>
  %ni = arith.index_cast %cols : index to i32
  %nf = arith.sitofp %ni : i32 to f32
  %ns = tile.splat %nf : f32 -> tensor<8xf32>
  %mean = arith.divf %acc, %ns : tensor<8xf32>
  tile.store %mean, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
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
  %dim = tile.dim %x, 1 : !tile.view<?x?xf32>
  %width = arith.constant 16 : index
  %full = arith.muli %steps, %width : index
  %padding = arith.subi %full, %dim : index
  %cols = arith.subi %full, %padding : index
  %ni = arith.index_cast %cols : index to i32
  %nf = arith.sitofp %ni : i32 to f32
  %ns = tile.splat %nf : f32 -> tensor<8xf32>
  %mean = arith.divf %acc, %ns : tensor<8xf32>
  tile.store %mean, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
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
  %width = arith.constant 16 : index
  %cols = arith.muli %steps, %width : index
  %ni = arith.index_cast %cols : index to i32
  %nf = arith.sitofp %ni : i32 to f32
  %ns = tile.splat %nf : f32 -> tensor<8xf32>
  %mean = arith.divf %acc, %ns : tensor<8xf32>
  tile.store %mean, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}
