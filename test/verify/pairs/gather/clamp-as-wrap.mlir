// Indices outside of the table are clamped; the rewrite counts negative ones
// from the end.
// Wrong: -1 reads the last element.
// Right: selects.
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
    %low = arith.cmpi slt, %n, %zero : i32
    %high = arith.cmpi sgt, %n, %last : i32
    %a = arith.select %high, %last, %n : i32
    %b = arith.select %low, %zero, %a : i32
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
    %zero = arith.constant 0 : i32
    %last = arith.constant 15 : i32
    %size = arith.constant 16 : i32
    %low = arith.cmpi slt, %n, %zero : i32
    %from_end = arith.addi %n, %size : i32
    %wrapped = arith.select %low, %from_end, %n : i32
    %a = arith.minsi %wrapped, %last : i32
    %b = arith.maxsi %a, %zero : i32
    %k = arith.index_cast %b : i32 to index
    %r = tensor.extract %t[%k] : tensor<16xf32>
    linalg.yield %r : f32
  }
  return %y : tensor<8xf32>
}
