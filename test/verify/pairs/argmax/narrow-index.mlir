// The index of the maximum is kept as i8.
// Wrong: from 128 on it is negative.
// Right: as i16.
// relation: exact
// friendly: x = concatenate([r.normal(size=(2, 80)) + 9, r.normal(size=(2, 80))], 1)
// witness: x = arange(160.0)

// before
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<2x160xf32>) -> tensor<2xi64> {
  %none = arith.constant dense<0> : tensor<2xi64>
  %least = arith.constant dense<0xFF800000> : tensor<2xf32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x160xf32>) outs(%least, %none : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%v: f32, %m: f32, %i: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %take = arith.cmpf ogt, %v, %m : f32
    %value = arith.select %take, %v, %m : f32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  return %best#1 : tensor<2xi64>
}

// -----

// right
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<2x160xf32>) -> tensor<2xi64> {
  %none = arith.constant dense<0> : tensor<2xi16>
  %least = arith.constant dense<0xFF800000> : tensor<2xf32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x160xf32>) outs(%least, %none : tensor<2xf32>, tensor<2xi16>) {
  ^bb0(%v: f32, %m: f32, %i: i16):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i16
    %take = arith.cmpf ogt, %v, %m : f32
    %value = arith.select %take, %v, %m : f32
    %index = arith.select %take, %k, %i : i16
    linalg.yield %value, %index : f32, i16
  } -> (tensor<2xf32>, tensor<2xi16>)
  %wide = arith.extsi %best#1 : tensor<2xi16> to tensor<2xi64>
  return %wide : tensor<2xi64>
}

// -----

// wrong
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<2x160xf32>) -> tensor<2xi64> {
  %none = arith.constant dense<0> : tensor<2xi64>
  %least = arith.constant dense<0xFF800000> : tensor<2xf32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x160xf32>) outs(%least, %none : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%v: f32, %m: f32, %i: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %take = arith.cmpf ogt, %v, %m : f32
    %value = arith.select %take, %v, %m : f32
    %index = arith.select %take, %k, %i : i64
    linalg.yield %value, %index : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  %byte = arith.trunci %best#1 : tensor<2xi64> to tensor<2xi8>
  %wide = arith.extsi %byte : tensor<2xi8> to tensor<2xi64>
  return %wide : tensor<2xi64>
}
