// The indices of the four greatest elements of each row are taken from a stable
// sort.
// Wrong: it sorts the row backwards, so of equal elements the later ones come
// first.
// Right: it sorts the row forwards.
// relation: exact
// witness: x = full((8, 16), 1.0)

// before
tile.kernel @best(
    %x: !tile.view<8x16xf32>
        {tile.name = "x"},
    %i: !tile.view<8x4xi32>
        {tile.name = "i"})
    grid affine_map<()[x0, x1, i0, i1] -> (1)> {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x16xf32> -> tensor<8x16xf32>
  %v, %r = tile.top_k %t axis 1 : tensor<8x16xf32> -> tensor<8x4xf32>, tensor<8x4xi32>
  tile.store %r, %i[%c0, %c0] : tensor<8x4xi32>, !tile.view<8x4xi32>
}

// -----

// right
tile.kernel @best(
    %x: !tile.view<8x16xf32>
        {tile.name = "x"},
    %i: !tile.view<8x4xi32>
        {tile.name = "i"})
    grid affine_map<()[x0, x1, i0, i1] -> (1)> {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x16xf32> -> tensor<8x16xf32>
  %iota = tile.iota : tensor<16xi32>
  %n = tile.reshape %iota : tensor<16xi32> -> tensor<16xi32>
  %row = tile.reshape %n : tensor<16xi32> -> tensor<1x16xi32>
  %p = tile.broadcast %row : tensor<1x16xi32> -> tensor<8x16xi32>
  %k, %s = tile.sort %t, %p axis 1 descending : tensor<8x16xf32>, tensor<8x16xi32>
  %r = tile.slice %s [0, 0] : tensor<8x16xi32> -> tensor<8x4xi32>
  tile.store %r, %i[%c0, %c0] : tensor<8x4xi32>, !tile.view<8x4xi32>
}

// -----

// wrong
tile.kernel @best(
    %x: !tile.view<8x16xf32>
        {tile.name = "x"},
    %i: !tile.view<8x4xi32>
        {tile.name = "i"})
    grid affine_map<()[x0, x1, i0, i1] -> (1)> {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0, %c0] : !tile.view<8x16xf32> -> tensor<8x16xf32>
  %rev = arith.constant dense<[15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]> : tensor<16xi32>
  %row = tile.reshape %rev : tensor<16xi32> -> tensor<1x16xi32>
  %p = tile.broadcast %row : tensor<1x16xi32> -> tensor<8x16xi32>
  %u = tile.gather %t, %p axis 1 : tensor<8x16xf32>, tensor<8x16xi32> -> tensor<8x16xf32>
  %k, %s = tile.sort %u, %p axis 1 descending : tensor<8x16xf32>, tensor<8x16xi32>
  %r = tile.slice %s [0, 0] : tensor<8x16xi32> -> tensor<8x4xi32>
  tile.store %r, %i[%c0, %c0] : tensor<8x4xi32>, !tile.view<8x4xi32>
}
