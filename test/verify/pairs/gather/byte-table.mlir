// A table of 256 entries is read at bytes.
// Wrong: the byte is extended with its sign, so that 200 reads before the
// table.
// Right: extended with its sign and masked.
// relation: exact
// friendly: i = r.integers(0, 100, 16)
// witness: i = [200, 5]
// witness: t = arange(256.0)

// before
func.func @main(%t: tensor<256xf32>, %i: tensor<16xi8>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %y = linalg.map ins(%i : tensor<16xi8>) outs(%e : tensor<16xf32>)
    (%n: i8, %o: f32) {
    %k = arith.index_castui %n : i8 to index
    %r = tensor.extract %t[%k] : tensor<256xf32>
    linalg.yield %r : f32
  }
  return %y : tensor<16xf32>
}

// -----

// right
func.func @main(%t: tensor<256xf32>, %i: tensor<16xi8>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %y = linalg.map ins(%i : tensor<16xi8>) outs(%e : tensor<16xf32>)
    (%n: i8, %o: f32) {
    %mask = arith.constant 255 : i32
    %w = arith.extsi %n : i8 to i32
    %b = arith.andi %w, %mask : i32
    %k = arith.index_cast %b : i32 to index
    %r = tensor.extract %t[%k] : tensor<256xf32>
    linalg.yield %r : f32
  }
  return %y : tensor<16xf32>
}

// -----

// wrong
func.func @main(%t: tensor<256xf32>, %i: tensor<16xi8>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %y = linalg.map ins(%i : tensor<16xi8>) outs(%e : tensor<16xf32>)
    (%n: i8, %o: f32) {
    %k = arith.index_cast %n : i8 to index
    %r = tensor.extract %t[%k] : tensor<256xf32>
    linalg.yield %r : f32
  }
  return %y : tensor<16xf32>
}
