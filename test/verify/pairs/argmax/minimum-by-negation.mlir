// The index of the minimum becomes that of the maximum of the negated numbers.
// Wrong: the least i32 is its own negation.
// Right: the complement, which reverses the order of all numbers.
// relation: exact
// witness: x = tile([5, -2147483648, 3, 4], 16)

// before
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi64> {
  %none = arith.constant dense<0> : tensor<4xi64>
  %least = arith.constant dense<2147483647> : tensor<4xi32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xi32>) outs(%least, %none : tensor<4xi32>, tensor<4xi64>) {
  ^bb0(%v: i32, %m: i32, %i: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %take = arith.cmpi slt, %v, %m : i32
    %value = arith.select %take, %v, %m : i32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : i32, i64
  } -> (tensor<4xi32>, tensor<4xi64>)
  return %best#1 : tensor<4xi64>
}

// -----

// right
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi64> {
  %none = arith.constant dense<0> : tensor<4xi64>
  %least = arith.constant dense<-2147483648> : tensor<4xi32>
  %ones = arith.constant dense<-1> : tensor<4x16xi32>
  %complement = arith.xori %x, %ones : tensor<4x16xi32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%complement : tensor<4x16xi32>) outs(%least, %none : tensor<4xi32>, tensor<4xi64>) {
  ^bb0(%v: i32, %m: i32, %i: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %take = arith.cmpi sgt, %v, %m : i32
    %value = arith.select %take, %v, %m : i32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : i32, i64
  } -> (tensor<4xi32>, tensor<4xi64>)
  return %best#1 : tensor<4xi64>
}

// -----

// wrong
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi64> {
  %none = arith.constant dense<0> : tensor<4xi64>
  %least = arith.constant dense<-2147483648> : tensor<4xi32>
  %zeros = arith.constant dense<0> : tensor<4x16xi32>
  %negated = arith.subi %zeros, %x : tensor<4x16xi32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%negated : tensor<4x16xi32>) outs(%least, %none : tensor<4xi32>, tensor<4xi64>) {
  ^bb0(%v: i32, %m: i32, %i: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %take = arith.cmpi sgt, %v, %m : i32
    %value = arith.select %take, %v, %m : i32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : i32, i64
  } -> (tensor<4xi32>, tensor<4xi64>)
  return %best#1 : tensor<4xi64>
}
