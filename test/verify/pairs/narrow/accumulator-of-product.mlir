// A product of f16 accumulates in f16 instead of f32.
// Wrong: 32 times 100 * 100 overflows.
// Right: two products of half the depth.
// relation: near=5e-2
// witness: a = full((16, 32), 100.0)
// witness: b = full((32, 16), 100.0)

// before
tile.kernel @product(
    %a: !tile.view<16x32xf16>
        {tile.name = "a"},
    %b: !tile.view<32x16xf16>
        {tile.name = "b"},
    %c: !tile.view<16x16xf32>
        {tile.name = "c"})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (1)> {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xf16> -> tensor<16x32xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x16xf16> -> tensor<32x16xf16>
  %ax = math.absf %x : tensor<16x32xf16>
  %ay = math.absf %y : tensor<32x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tile.dot %ax, %ay, %zero
      : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}

// -----

// right
tile.kernel @product(
    %a: !tile.view<16x32xf16>
        {tile.name = "a"},
    %b: !tile.view<32x16xf16>
        {tile.name = "b"},
    %c: !tile.view<16x16xf32>
        {tile.name = "c"})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (1)> {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xf16> -> tensor<16x32xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x16xf16> -> tensor<32x16xf16>
  %ax = math.absf %x : tensor<16x32xf16>
  %ay = math.absf %y : tensor<32x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x0 = tile.slice %ax [0, 0] : tensor<16x32xf16> -> tensor<16x16xf16>
  %x1 = tile.slice %ax [0, 16] : tensor<16x32xf16> -> tensor<16x16xf16>
  %y0 = tile.slice %ay [0, 0] : tensor<32x16xf16> -> tensor<16x16xf16>
  %y1 = tile.slice %ay [16, 0] : tensor<32x16xf16> -> tensor<16x16xf16>
  %s = tile.dot %x0, %y0, %zero
      : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  %r = tile.dot %x1, %y1, %s
      : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}

// -----

// wrong
tile.kernel @product(
    %a: !tile.view<16x32xf16>
        {tile.name = "a"},
    %b: !tile.view<32x16xf16>
        {tile.name = "b"},
    %c: !tile.view<16x16xf32>
        {tile.name = "c"})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (1)> {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xf16> -> tensor<16x32xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x16xf16> -> tensor<32x16xf16>
  %ax = math.absf %x : tensor<16x32xf16>
  %ay = math.absf %y : tensor<32x16xf16>
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %s = tile.dot %ax, %ay, %zero
      : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x16xf16>
  %r = arith.extf %s : tensor<16x16xf16> to tensor<16x16xf32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
