// A softmax becomes a kernel that adds exponentials of the padding of the last
// tile, 0.
// Wrong: rows whose length is no multiple of 16.
// Right: padding is -inf, whose exponential is 0.
// relation: near=1e-3
// witness: x = full((3, 17), 0.0)

// before
func.func @main(%x: tensor<?x?xf32> {graph.name = "x", graph.dims = ["M", "N"]})
    -> (tensor<?x?xf32> {graph.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>)
      outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// right
tile.kernel @softmax(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x?xf32>
        {tile.name = "y", tile.dims = ["M", "N"]})
    grid affine_map<()[x0, x1, y0, y1] -> (x0 ceildiv 4)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.program_id
  %lowest = arith.constant dense<0xFF800000> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %max = scf.for %k = %c0 to %steps step %c1 iter_args(%m = %lowest) -> (tensor<4xf32>) {
    %t = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<4x16xf32>
    %p = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    } : tensor<4x16xf32> -> tensor<4xf32>
    %n = arith.maximumf %m, %p : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  %col = tile.reshape %max : tensor<4xf32> -> tensor<4x1xf32>
  %maxes = tile.broadcast %col : tensor<4x1xf32> -> tensor<4x16xf32>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<4xf32>) {
    %t = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<4x16xf32>
    %d = arith.subf %t, %maxes : tensor<4x16xf32>
    %e = math.exp %d : tensor<4x16xf32>
    %p = tile.reduce %e axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<4x16xf32> -> tensor<4xf32>
    %n = arith.addf %s, %p : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  %scol = tile.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %sums = tile.broadcast %scol : tensor<4x1xf32> -> tensor<4x16xf32>
  scf.for %k = %c0 to %steps step %c1 {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x16xf32>
    %d = arith.subf %t, %maxes : tensor<4x16xf32>
    %e = math.exp %d : tensor<4x16xf32>
    %q = arith.divf %e, %sums : tensor<4x16xf32>
    tile.store %q, %y[%i, %k] : tensor<4x16xf32>, !tile.view<?x?xf32>
  }
}

// -----

// wrong
tile.kernel @softmax(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x?xf32>
        {tile.name = "y", tile.dims = ["M", "N"]})
    grid affine_map<()[x0, x1, y0, y1] -> (x0 ceildiv 4)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.program_id
  %lowest = arith.constant dense<0xFF800000> : tensor<4xf32>
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %max = scf.for %k = %c0 to %steps step %c1 iter_args(%m = %lowest) -> (tensor<4xf32>) {
    %t = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<4x16xf32>
    %p = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    } : tensor<4x16xf32> -> tensor<4xf32>
    %n = arith.maximumf %m, %p : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  %col = tile.reshape %max : tensor<4xf32> -> tensor<4x1xf32>
  %maxes = tile.broadcast %col : tensor<4x1xf32> -> tensor<4x16xf32>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%s = %zero) -> (tensor<4xf32>) {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x16xf32>
    %d = arith.subf %t, %maxes : tensor<4x16xf32>
    %e = math.exp %d : tensor<4x16xf32>
    %p = tile.reduce %e axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<4x16xf32> -> tensor<4xf32>
    %n = arith.addf %s, %p : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  }
  %scol = tile.reshape %sum : tensor<4xf32> -> tensor<4x1xf32>
  %sums = tile.broadcast %scol : tensor<4x1xf32> -> tensor<4x16xf32>
  scf.for %k = %c0 to %steps step %c1 {
    %t = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x16xf32>
    %d = arith.subf %t, %maxes : tensor<4x16xf32>
    %e = math.exp %d : tensor<4x16xf32>
    %q = arith.divf %e, %sums : tensor<4x16xf32>
    tile.store %q, %y[%i, %k] : tensor<4x16xf32>, !tile.view<?x?xf32>
  }
}
