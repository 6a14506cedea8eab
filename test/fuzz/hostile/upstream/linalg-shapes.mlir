func.func @linalg_shapes(%x: tensor<4x8xf32>, %t: tensor<8x4xf32>, %r: tensor<4xf32>, %z: tensor<4x8x16xf32>) -> tensor<4xf32> {
  %0 = linalg.transpose ins(%x : tensor<4x8xf32>) outs(%t : tensor<8x4xf32>) permutation = [1, 0]
  %1 = linalg.broadcast ins(%x : tensor<4x8xf32>) outs(%z : tensor<4x8x16xf32>) dimensions = [2]
  %2 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%r : tensor<4xf32>) dimensions = [1]
  %3 = linalg.reduce ins(%x : tensor<4x8xf32>) outs(%r : tensor<4xf32>) dimensions = [1]
  (%in: f32, %out: f32) {
    %q = arith.addf %in, %out : f32
    linalg.yield %q : f32
  }
  %4 = linalg.map { arith.addf } ins(%x, %x : tensor<4x8xf32>, tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
  %5 = linalg.map ins(%x : tensor<4x8xf32>) outs(%x : tensor<4x8xf32>)
  (%in: f32, %o: f32) {
    linalg.yield %in : f32
  }
  return %2 : tensor<4xf32>
}

