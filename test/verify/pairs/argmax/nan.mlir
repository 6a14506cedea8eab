// The first NaN of a row is its maximum, as in NumPy; the rewrite compares
// numbers only.
// Wrong: a NaN is never taken.
// Right: the inverse of an ordered comparison.
// relation: exact
// witness: x = tile([1.0, nan, 2.0, 0.0], 16)

// before
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xi64> {
  %none = arith.constant dense<0> : tensor<4xi64>
  %least = arith.constant dense<0xFF800000> : tensor<4xf32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%least, %none : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%v: f32, %m: f32, %i: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %greater = arith.cmpf ugt, %v, %m : f32
    %number = arith.cmpf ord, %m, %m : f32
    %take = arith.andi %greater, %number : i1
    %value = arith.select %take, %v, %m : f32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %best#1 : tensor<4xi64>
}

// -----

// right
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xi64> {
  %none = arith.constant dense<0> : tensor<4xi64>
  %least = arith.constant dense<0xFF800000> : tensor<4xf32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%least, %none : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%v: f32, %m: f32, %i: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %less = arith.cmpf ole, %v, %m : f32
    %true = arith.constant true
    %not_less = arith.xori %less, %true : i1
    %number = arith.cmpf oeq, %m, %m : f32
    %take = arith.andi %not_less, %number : i1
    %value = arith.select %take, %v, %m : f32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %best#1 : tensor<4xi64>
}

// -----

// wrong
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<4x16xf32>) -> tensor<4xi64> {
  %none = arith.constant dense<0> : tensor<4xi64>
  %least = arith.constant dense<0xFF800000> : tensor<4xf32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x16xf32>) outs(%least, %none : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%v: f32, %m: f32, %i: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %take = arith.cmpf ogt, %v, %m : f32
    %value = arith.select %take, %v, %m : f32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %best#1 : tensor<4xi64>
}
