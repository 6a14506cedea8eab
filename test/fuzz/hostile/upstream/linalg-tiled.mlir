func.func @mmt4d(%a: tensor<1x2x8x4xf32>, %b: tensor<3x2x8x4xf32>, %c: tensor<1x3x8x8xf32>, %ba: tensor<2x1x2x8x4xf32>, %bb: tensor<2x3x2x8x4xf32>, %bc: tensor<2x1x3x8x8xf32>, %v: tensor<8xf32>, %m: tensor<8x4xf32>, %r: tensor<4xf32>) -> tensor<1x3x8x8xf32> {
  %0 = linalg.mmt4d ins(%a, %b : tensor<1x2x8x4xf32>, tensor<3x2x8x4xf32>) outs(%c : tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %1 = linalg.batch_mmt4d ins(%ba, %bb : tensor<2x1x2x8x4xf32>, tensor<2x3x2x8x4xf32>) outs(%bc : tensor<2x1x3x8x8xf32>) -> tensor<2x1x3x8x8xf32>
  %2 = linalg.vecmat ins(%v, %m : tensor<8xf32>, tensor<8x4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.copy ins(%r : tensor<4xf32>) outs(%r : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<1x3x8x8xf32>
}
