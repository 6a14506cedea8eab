// Squares of the distance to 0.5 are added; the mask of the last tile goes,
// because padding is 0.
// Wrong: after the difference padding is -0.5.
// Right: padding is loaded as 0.5.
// relation: reassociated
// witness: x = full((3, 17), 0.5)

// before
tile.kernel @rows(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["M"]})
    grid affine_map<()[x0, x1, y0] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %width = arith.constant 16 : index
  %i = tile.program_id
  %init = arith.constant dense<0.0> : tensor<8xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %off = arith.muli %k, %width : index
    %iota = tile.iota : tensor<16xindex>
    %base = tile.splat %off : index -> tensor<16xindex>
    %col = arith.addi %base, %iota : tensor<16xindex>
    %n = tile.dim %x, 1 : !tile.view<?x?xf32>
    %ns = tile.splat %n : index -> tensor<16xindex>
    %in = arith.cmpi slt, %col, %ns : tensor<16xindex>
    %in1 = tile.reshape %in : tensor<16xi1> -> tensor<1x16xi1>
    %live = tile.broadcast %in1 : tensor<1x16xi1> -> tensor<8x16xi1>
    %m = arith.constant dense<0.5> : tensor<8x16xf32>
    %d = arith.subf %t, %m : tensor<8x16xf32>
    %none = arith.constant dense<0.0> : tensor<8x16xf32>
    %e = arith.select %live, %d, %none : tensor<8x16xi1>, tensor<8x16xf32>
    %q = arith.mulf %e, %e : tensor<8x16xf32>
    %part = tile.reduce %q axis 1 {
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
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad 0.5 : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %m = arith.constant dense<0.5> : tensor<8x16xf32>
    %d = arith.subf %t, %m : tensor<8x16xf32>
    %q = arith.mulf %d, %d : tensor<8x16xf32>
    %part = tile.reduce %q axis 1 {
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
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %acc = scf.for %k = %c0 to %steps step %c1 iter_args(%old = %init) -> (tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %m = arith.constant dense<0.5> : tensor<8x16xf32>
    %d = arith.subf %t, %m : tensor<8x16xf32>
    %q = arith.mulf %d, %d : tensor<8x16xf32>
    %part = tile.reduce %q axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %new = arith.addf %old, %part : tensor<8xf32>
    scf.yield %new : tensor<8xf32>
  }
  tile.store %acc, %y[%i] : tensor<8xf32>, !tile.view<?xf32>
}
