// Attention of one head: 128 queries a program, keys in blocks of 128.
tile.kernel @attention(%O: !tile.view<?x128xbf16> {tile.name = "O", tile.dims = ["M", ""]},
                       %Q: !tile.view<?x128xbf16> {tile.name = "Q", tile.dims = ["M", ""]},
                       %K: !tile.view<?x128xbf16> {tile.name = "K", tile.dims = ["N", ""]},
                       %V: !tile.view<?x128xbf16> {tile.name = "V", tile.dims = ["N", ""]})
    grid affine_map<()[M, d0, M1, d1, N, d2, N1, d3] -> (M ceildiv 128)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %scale = arith.constant dense<0.127517432> : tensor<128x128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0xFF800000> : tensor<128xf32>
  %nothing = arith.constant dense<0.0> : tensor<128xf32>
  %i = tile.program_id
  %q = tile.load %Q[%i, %c0] pad 0.0 : !tile.view<?x128xbf16> -> tensor<128x128xbf16>
  %blocks = tile.count %K, 0 by 128 : !tile.view<?x128xbf16>
  %m, %l, %o = scf.for %j = %c0 to %blocks step %c1
      iter_args(%mi = %none, %li = %nothing, %oi = %zero) -> (tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>) {
    %k = tile.load %K[%j, %c0] pad 0.0 : !tile.view<?x128xbf16> -> tensor<128x128xbf16>
    %kt = tile.transpose %k [1, 0] : tensor<128x128xbf16> -> tensor<128x128xbf16>
    %s0 = tile.dot %q, %kt, %zero : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
    %s = arith.mulf %s0, %scale : tensor<128x128xf32>
    %top = tile.reduce %s axis 1 {
    ^bb0(%a: f32, %b: f32):
      %r = arith.maximumf %a, %b : f32
      tile.yield %r : f32
    } : tensor<128x128xf32> -> tensor<128xf32>
    %mn = arith.maximumf %mi, %top : tensor<128xf32>
    %m2 = tile.reshape %mn : tensor<128xf32> -> tensor<128x1xf32>
    %mb = tile.broadcast %m2 : tensor<128x1xf32> -> tensor<128x128xf32>
    %d = arith.subf %s, %mb : tensor<128x128xf32>
    %p = math.exp2 %d : tensor<128x128xf32>
    %dm = arith.subf %mi, %mn : tensor<128xf32>
    %alpha = math.exp2 %dm : tensor<128xf32>
    %sum = tile.reduce %p axis 1 {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      tile.yield %r : f32
    } : tensor<128x128xf32> -> tensor<128xf32>
    %ls = arith.mulf %li, %alpha : tensor<128xf32>
    %ln = arith.addf %ls, %sum : tensor<128xf32>
    %a2 = tile.reshape %alpha : tensor<128xf32> -> tensor<128x1xf32>
    %ab = tile.broadcast %a2 : tensor<128x1xf32> -> tensor<128x128xf32>
    %os = arith.mulf %oi, %ab : tensor<128x128xf32>
    %v = tile.load %V[%j, %c0] pad 0.0 : !tile.view<?x128xbf16> -> tensor<128x128xbf16>
    %ph = arith.truncf %p : tensor<128x128xf32> to tensor<128x128xbf16>
    %on = tile.dot %ph, %v, %os : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
    scf.yield %mn, %ln, %on : tensor<128xf32>, tensor<128xf32>, tensor<128x128xf32>
  }
  %l2 = tile.reshape %l : tensor<128xf32> -> tensor<128x1xf32>
  %lb = tile.broadcast %l2 : tensor<128x1xf32> -> tensor<128x128xf32>
  %r = arith.divf %o, %lb : tensor<128x128xf32>
  %rh = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %rh, %O[%i, %c0] : tensor<128x128xbf16>, !tile.view<?x128xbf16>
}
