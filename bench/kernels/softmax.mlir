// Rows of 4096, one a program.
tile.kernel @softmax(%x: !tile.view<?x4096xf32> {tile.name = "x", tile.dims = ["M", ""]},
                     %y: !tile.view<?x4096xf32> {tile.name = "y", tile.dims = ["M", ""]})
    grid affine_map<()[M, c, m, d] -> (M)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %row = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x4096xf32> -> tensor<1x4096xf32>
  %max = tile.reduce %row axis 1 {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    tile.yield %m : f32
  } : tensor<1x4096xf32> -> tensor<1xf32>
  %max1 = tile.reshape %max : tensor<1xf32> -> tensor<1x1xf32>
  %maxes = tile.broadcast %max1 : tensor<1x1xf32> -> tensor<1x4096xf32>
  %shifted = arith.subf %row, %maxes : tensor<1x4096xf32>
  %e = math.exp %shifted : tensor<1x4096xf32>
  %sum = tile.reduce %e axis 1 {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  } : tensor<1x4096xf32> -> tensor<1xf32>
  %sum1 = tile.reshape %sum : tensor<1xf32> -> tensor<1x1xf32>
  %sums = tile.broadcast %sum1 : tensor<1x1xf32> -> tensor<1x4096xf32>
  %r = arith.divf %e, %sums : tensor<1x4096xf32>
  tile.store %r, %y[%i, %c0] : tensor<1x4096xf32>, !tile.view<?x4096xf32>
}