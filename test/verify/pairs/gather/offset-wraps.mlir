// An index and an offset are added and clamped to a table; the sum is narrowed
// to 32 bits.
// Wrong: 2^31 - 1 plus 5 is negative, and the first element is read, not the
// last.
// Right: the index is clamped first.
// relation: exact
// witness: i = [2147483647, 3]

// before
func.func @main(%t: tensor<16xf32>, %i: tensor<8xi32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.map ins(%i : tensor<8xi32>) outs(%e : tensor<8xf32>)
    (%n: i32, %o: f32) {
      %five = arith.constant 5 : i64
      %zero = arith.constant 0 : i64
      %last = arith.constant 15 : i64
      %w = arith.extsi %n : i32 to i64
      %s = arith.addi %w, %five : i64
      %a = arith.maxsi %s, %zero : i64
      %b = arith.minsi %a, %last : i64
      %k = arith.index_cast %b : i64 to index
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
      %five = arith.constant 5 : i32
      %low = arith.constant -5 : i32
      %high = arith.constant 10 : i32
      %a = arith.maxsi %n, %low : i32
      %b = arith.minsi %a, %high : i32
      %s = arith.addi %b, %five : i32
      %k = arith.index_cast %s : i32 to index
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
      %five = arith.constant 5 : i32
      %zero = arith.constant 0 : i32
      %last = arith.constant 15 : i32
      %s = arith.addi %n, %five : i32
      %a = arith.maxsi %s, %zero : i32
      %b = arith.minsi %a, %last : i32
      %k = arith.index_cast %b : i32 to index
      %r = tensor.extract %t[%k] : tensor<16xf32>
      linalg.yield %r : f32
    }
  return %y : tensor<8xf32>
}
