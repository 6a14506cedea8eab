// Value and index become one number, so that one maximum finds both.
// Wrong: a value of more than 28 bits loses its upper ones.
// Right: a number of 64 bits.
// relation: exact
// witness: x = tile([5, 134217728, 3, 4], 16)

// before
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi32> {
  %none = arith.constant dense<0> : tensor<4xi32>
  %least = arith.constant dense<-2147483648> : tensor<4xi32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xi32>) outs(%least, %none : tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%v: i32, %m: i32, %i: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %take = arith.cmpi sgt, %v, %m : i32
    %value = arith.select %take, %v, %m : i32
    %index = arith.select %take, %k, %i : i32
    linalg.yield %value, %index : i32, i32
  } -> (tensor<4xi32>, tensor<4xi32>)
  return %best#1 : tensor<4xi32>
}

// -----

// right
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi32> {
  %least = arith.constant dense<-9223372036854775808> : tensor<4xi64>
  %mask = arith.constant dense<15> : tensor<4xi64>
  %keys = linalg.generic {indexing_maps = [#all, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xi32>) outs(%least : tensor<4xi64>) {
  ^bb0(%v: i32, %best: i64):
    %c4 = arith.constant 4 : i64
    %c15 = arith.constant 15 : i64
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %rest = arith.subi %c15, %k : i64
    %wide = arith.extsi %v : i32 to i64
    %high = arith.shli %wide, %c4 : i64
    %key = arith.ori %high, %rest : i64
    %max = arith.maxsi %key, %best : i64
    linalg.yield %max : i64
  } -> tensor<4xi64>
  %low = arith.andi %keys, %mask : tensor<4xi64>
  %index = arith.subi %mask, %low : tensor<4xi64>
  %result = arith.trunci %index : tensor<4xi64> to tensor<4xi32>
  return %result : tensor<4xi32>
}

// -----

// wrong
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi32> {
  %least = arith.constant dense<-2147483648> : tensor<4xi32>
  %mask = arith.constant dense<15> : tensor<4xi32>
  %keys = linalg.generic {indexing_maps = [#all, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xi32>) outs(%least : tensor<4xi32>) {
  ^bb0(%v: i32, %best: i32):
    %c4 = arith.constant 4 : i32
    %c15 = arith.constant 15 : i32
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %rest = arith.subi %c15, %k : i32
    %high = arith.shli %v, %c4 : i32
    %key = arith.ori %high, %rest : i32
    %max = arith.maxsi %key, %best : i32
    linalg.yield %max : i32
  } -> tensor<4xi32>
  %low = arith.andi %keys, %mask : tensor<4xi32>
  %index = arith.subi %mask, %low : tensor<4xi32>
  return %index : tensor<4xi32>
}
