// Indices, i64, are read as i32.
// Wrong: 2^32 + 3 is outside of the table and gives 0; as i32 it is 3.
// Right: an unsigned comparison in 64 bits.
// relation: exact
// witness: i = [4294967299, 3]
// witness: t = arange(1.0, 17.0)

// before
func.func @main(%t: tensor<16xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.map ins(%i : tensor<8xi64>) outs(%e : tensor<8xf32>)
    (%n: i64, %o: f32) {
    %zero = arith.constant 0 : i64
    %size = arith.constant 16 : i64
    %none = arith.constant 0.0 : f32
    %low = arith.cmpi sge, %n, %zero : i64
    %high = arith.cmpi slt, %n, %size : i64
    %in = arith.andi %low, %high : i1
    %safe = arith.select %in, %n, %zero : i64
    %k = arith.index_cast %safe : i64 to index
    %v = tensor.extract %t[%k] : tensor<16xf32>
    %r = arith.select %in, %v, %none : f32
    linalg.yield %r : f32
  }
  return %y : tensor<8xf32>
}

// -----

// right
func.func @main(%t: tensor<16xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.map ins(%i : tensor<8xi64>) outs(%e : tensor<8xf32>)
    (%n: i64, %o: f32) {
    %zero = arith.constant 0 : i64
    %size = arith.constant 16 : i64
    %none = arith.constant 0.0 : f32
    %in = arith.cmpi ult, %n, %size : i64
    %safe = arith.select %in, %n, %zero : i64
    %k = arith.index_cast %safe : i64 to index
    %v = tensor.extract %t[%k] : tensor<16xf32>
    %r = arith.select %in, %v, %none : f32
    linalg.yield %r : f32
  }
  return %y : tensor<8xf32>
}

// -----

// wrong
func.func @main(%t: tensor<16xf32>, %i: tensor<8xi64>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.map ins(%i : tensor<8xi64>) outs(%e : tensor<8xf32>)
    (%n: i64, %o: f32) {
    %zero = arith.constant 0 : i32
    %size = arith.constant 16 : i32
    %none = arith.constant 0.0 : f32
    %n32 = arith.trunci %n : i64 to i32
    %low = arith.cmpi sge, %n32, %zero : i32
    %high = arith.cmpi slt, %n32, %size : i32
    %in = arith.andi %low, %high : i1
    %safe = arith.select %in, %n32, %zero : i32
    %k = arith.index_cast %safe : i32 to index
    %v = tensor.extract %t[%k] : tensor<16xf32>
    %r = arith.select %in, %v, %none : f32
    linalg.yield %r : f32
  }
  return %y : tensor<8xf32>
}
