// Positions of a sequence become f16.
// Wrong: from 2049 on not every position is an f16.
// Right: by way of f64.
// seen: EleutherAI/gpt-neox#1003
// relation: exact
// witness: x = full(2100, 1.0)

// before
#same = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %p = arith.sitofp %k : i32 to f32
    %w = arith.mulf %v, %p : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// right
#same = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %d = arith.sitofp %k : i32 to f64
    %p = arith.truncf %d : f64 to f32
    %w = arith.mulf %v, %p : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// wrong
#same = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %h = arith.sitofp %k : i32 to f16
    %p = arith.extf %h : f16 to f32
    %w = arith.mulf %v, %p : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
