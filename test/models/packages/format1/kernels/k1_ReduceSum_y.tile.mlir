#loc = loc("ReduceSum:y")
module {
  tile.kernel @k1_ReduceSum_y(%arg0: !tile.view<?xf32> loc("ReduceSum:y"), %arg1: !tile.view<?x3xf32> loc("ReduceSum:y")) grid affine_map<()[s0, s1, s2] -> (s0 ceildiv 128)> {
    %c128 = arith.constant 128 : index loc(#loc)
    %0 = tile.dim %arg0, 0 : !tile.view<?xf32> loc(#loc)
    %c0 = arith.constant 0 : index loc(#loc)
    %1 = tile.program_id loc(#loc)
    %2 = arith.muli %1, %c128 : index loc(#loc)
    %cst = arith.constant dense<0.000000e+00> : tensor<128xf32> loc(#loc)
    %3 = tile.reshape %cst : tensor<128xf32> -> tensor<128x1xf32> loc(#loc)
    %4 = tile.load %arg1 at [%2, %c0] pad -0.0 : !tile.view<?x3xf32> -> tensor<128x3xf32> loc(#loc)
    %5 = tile.reduce %4 axis 1 {
    ^bb0(%arg2: f32 loc("ReduceSum:y"), %arg3: f32 loc("ReduceSum:y")):
      %9 = arith.addf %arg2, %arg3 : f32 loc(#loc)
      tile.yield %9 : f32 loc(#loc)
    } : tensor<128x3xf32> -> tensor<128xf32> loc(#loc)
    %6 = tile.reshape %5 : tensor<128xf32> -> tensor<128x1xf32> loc(#loc)
    %7 = arith.addf %3, %6 : tensor<128x1xf32> loc(#loc)
    %8 = tile.reshape %7 : tensor<128x1xf32> -> tensor<128xf32> loc(#loc)
    tile.store %8, %arg0 at [%2] : tensor<128xf32>, !tile.view<?xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
