// A causal mask compares the row and the column as i8.
// Wrong: from column 128 on they are negative.
// Right: as i32.
// relation: exact
// witness: x = zeros((2, 140))

// before
#matrix = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.index_cast %i : index to i64
    %q = arith.index_cast %j : index to i64
    %seen = arith.cmpi sle, %q, %p : i64
    %w = arith.select %seen, %v, %none : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// right
#matrix = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.index_cast %i : index to i32
    %q = arith.index_cast %j : index to i32
    %seen = arith.cmpi sle, %q, %p : i32
    %w = arith.select %seen, %v, %none : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// wrong
#matrix = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.index_cast %i : index to i8
    %q = arith.index_cast %j : index to i8
    %seen = arith.cmpi sle, %q, %p : i8
    %w = arith.select %seen, %v, %none : f32
    linalg.yield %w : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
