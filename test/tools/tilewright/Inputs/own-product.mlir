// y = x w; a program computes 32 x 32 elements.
tile.kernel @own(%x: !tile.view<128x64xf32>, %w: !tile.view<64x256xf32>, %y: !tile.view<128x256xf32>)
    grid affine_map<()[m, k, l, n, p, q] -> (4, 8)> {
  %i, %j = tile.program_id
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %a = tile.load %x[%i, %c0] : !tile.view<128x64xf32> -> tensor<32x64xf32>
  %b = tile.load %w[%c0, %j] : !tile.view<64x256xf32> -> tensor<64x32xf32>
  %c = tile.dot %a, %b, %zero : tensor<32x64xf32>, tensor<64x32xf32> -> tensor<32x32xf32>
  tile.store %c, %y[%i, %j] : tensor<32x32xf32>, !tile.view<128x256xf32>
}
