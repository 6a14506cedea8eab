func.func @linalg_pack(%x: tensor<128x256xf32>, %p: tensor<16x8x8x32xf32>, %n: index, %pad: f32, %pp: tensor<?x8x?x32xf32>) -> tensor<128x256xf32> {
  %0 = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [8, 32] into %p : tensor<128x256xf32> -> tensor<16x8x8x32xf32>
  %1 = linalg.pack %x padding_value(%pad : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [%n, 32] into %pp : tensor<128x256xf32> -> tensor<?x8x?x32xf32>
  %2 = linalg.unpack %0 outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 32] into %x : tensor<16x8x8x32xf32> -> tensor<128x256xf32>
  return %2 : tensor<128x256xf32>
}

