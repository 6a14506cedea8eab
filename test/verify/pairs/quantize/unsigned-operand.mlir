// A product of unsigned bytes with signed ones is computed as one of signed
// bytes.
// Wrong: activations from 128 on.
// Right: both are extended to i32 first.
// relation: exact
// friendly: a = r.integers(0, 100, (16, 32))
// witness: a = full((16, 32), 200)

// before
tile.kernel @product(
    %a: !tile.view<16x32xi8>
        {tile.name = "a"},
    %b: !tile.view<32x16xi8>
        {tile.name = "b"},
    %c: !tile.view<16x16xi32>
        {tile.name = "c"})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (1)> {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xi8> -> tensor<16x32xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x16xi8> -> tensor<32x16xi8>
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %r = tile.dot %x, %y, %zero lhs_unsigned
      : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xi32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xi32>, !tile.view<16x16xi32>
}

// -----

// right
tile.kernel @product(
    %a: !tile.view<16x32xi8>
        {tile.name = "a"},
    %b: !tile.view<32x16xi8>
        {tile.name = "b"},
    %c: !tile.view<16x16xi32>
        {tile.name = "c"})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (1)> {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xi8> -> tensor<16x32xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x16xi8> -> tensor<32x16xi8>
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %u = arith.extui %x : tensor<16x32xi8> to tensor<16x32xi32>
  %s = arith.extsi %y : tensor<32x16xi8> to tensor<32x16xi32>
  %r = tile.dot %u, %s, %zero
      : tensor<16x32xi32>, tensor<32x16xi32> -> tensor<16x16xi32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xi32>, !tile.view<16x16xi32>
}

// -----

// wrong
tile.kernel @product(
    %a: !tile.view<16x32xi8>
        {tile.name = "a"},
    %b: !tile.view<32x16xi8>
        {tile.name = "b"},
    %c: !tile.view<16x16xi32>
        {tile.name = "c"})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (1)> {
  %c0 = arith.constant 0 : index
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xi8> -> tensor<16x32xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x16xi8> -> tensor<32x16xi8>
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %r = tile.dot %x, %y, %zero
      : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xi32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xi32>, !tile.view<16x16xi32>
}
