// The index of the first maximum of each row becomes that of the last one.
// Wrong: where two elements are equal.
// Right: of equal elements the one with the lower index.
// seen: pytorch/pytorch#93630
// relation: exact
// witness: x = tile([1.0, 2.0, 2.0, 0.0], 16)

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
    %take = arith.cmpf ogt, %v, %m : f32
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
    %greater = arith.cmpf ogt, %v, %m : f32
    %equal = arith.cmpf oeq, %v, %m : f32
    %before = arith.cmpi slt, %k, %i : i64
    %tie = arith.andi %equal, %before : i1
    %take = arith.ori %greater, %tie : i1
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
    %take = arith.cmpf oge, %v, %m : f32
    %value = arith.select %take, %v, %m : f32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %best#1 : tensor<4xi64>
}
