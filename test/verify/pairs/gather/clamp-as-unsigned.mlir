// An index is clamped to the table by one unsigned minimum.
// Wrong: -1 reads the last element, not the first.
// Right: signed bounds, the upper one first.
// relation: exact
// friendly: i = r.integers(0, 16, 8)
// witness: i = [-1, 3, 20]

// before
func.func @main(%t: tensor<16xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.map ins(%i : tensor<8xi32>) outs(%e : tensor<8xf32>)
    (%n: i32, %o: f32) {
    %zero = arith.constant 0 : i32
    %last = arith.constant 15 : i32
    %a = arith.maxsi %n, %zero : i32
    %b = arith.minsi %a, %last : i32
    %k = arith.index_cast %b : i32 to index
    %r = tensor.extract %t[%k] : tensor<16xf32>
    linalg.yield %r : f32
  }
  return %y : tensor<8xf32>
}

// -----

// right
func.func @main(%t: tensor<16xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.map ins(%i : tensor<8xi32>) outs(%e : tensor<8xf32>)
    (%n: i32, %o: f32) {
    %zero = arith.constant 0 : i32
    %last = arith.constant 15 : i32
    %a = arith.minsi %n, %last : i32
    %b = arith.maxsi %a, %zero : i32
    %k = arith.index_cast %b : i32 to index
    %r = tensor.extract %t[%k] : tensor<16xf32>
    linalg.yield %r : f32
  }
  return %y : tensor<8xf32>
}

// -----

// wrong
func.func @main(%t: tensor<16xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.map ins(%i : tensor<8xi32>) outs(%e : tensor<8xf32>)
    (%n: i32, %o: f32) {
    %last = arith.constant 15 : i32
    %b = arith.minui %n, %last : i32
    %k = arith.index_cast %b : i32 to index
    %r = tensor.extract %t[%k] : tensor<16xf32>
    linalg.yield %r : f32
  }
  return %y : tensor<8xf32>
}
