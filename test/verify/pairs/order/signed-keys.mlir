// Unsigned bytes are sorted as signed ones.
// Wrong: 200 comes before 5.
// Right: the sign bit is inverted before a signed sort.
// relation: exact
// friendly: x = r.integers(0, 100, (4, 16))
// witness: x = tile([200, 5, 7, 1], 16)
// witness: p = tile(arange(16), 4)

// before
func.func @main(%x: tensor<4x16xi8>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %k, %v = graph.sort %x, %p axis 1 unsigned
      : tensor<4x16xi8>, tensor<4x16xi32>
  return %v : tensor<4x16xi32>
}

// -----

// right
func.func @main(%x: tensor<4x16xi8>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %sign = arith.constant dense<-128> : tensor<4x16xi8>
  %c = arith.xori %x, %sign : tensor<4x16xi8>
  %k, %v = graph.sort %c, %p axis 1 : tensor<4x16xi8>, tensor<4x16xi32>
  return %v : tensor<4x16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xi8>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %k, %v = graph.sort %x, %p axis 1 : tensor<4x16xi8>, tensor<4x16xi32>
  return %v : tensor<4x16xi32>
}
