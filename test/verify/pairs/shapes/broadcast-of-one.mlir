// A bias of one element is broadcast over the columns; the rewrite pads it with
// 0.
// Wrong: all columns but the first get no bias.
// Right: the index is multiplied with 0 or 1.
// relation: exact
// witness: x = zeros((2, 5))
// witness: b = [3.0]

// before
#matrix = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %size = tensor.dim %b, %c0 : tensor<?xf32>
  %none = arith.constant 0.0 : f32
  %one = arith.cmpi eq, %size, %c1 : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.select %one, %c0, %j : index
    %in = arith.cmpi ult, %k, %size : index
    %safe = arith.select %in, %k, %c0 : index
    %u = tensor.extract %b[%safe] : tensor<?xf32>
    %w = arith.select %in, %u, %none : f32
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// right
#matrix = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %size = tensor.dim %b, %c0 : tensor<?xf32>
  %none = arith.constant 0.0 : f32
  %one = arith.cmpi eq, %size, %c1 : index
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %j = linalg.index 1 : index
    %many = arith.cmpi ne, %size, %c1 : index
    %factor = arith.index_castui %many : i1 to index
    %k = arith.muli %j, %factor : index
    %in = arith.cmpi ult, %k, %size : index
    %safe = arith.select %in, %k, %c0 : index
    %u = tensor.extract %b[%safe] : tensor<?xf32>
    %w = arith.select %in, %u, %none : f32
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// wrong
#matrix = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %size = tensor.dim %b, %c0 : tensor<?xf32>
  %none = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %j = linalg.index 1 : index
    %in = arith.cmpi ult, %j, %size : index
    %safe = arith.select %in, %j, %c0 : index
    %u = tensor.extract %b[%safe] : tensor<?xf32>
    %w = arith.select %in, %u, %none : f32
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
