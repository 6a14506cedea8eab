// A row of a one-hot matrix is all 0 for an index out of range.
// Wrong: the index is masked to four bits.
// Right: their difference is compared with 0.
// relation: exact
// friendly: i = r.integers(0, 16, 8)
// witness: i = [16, 3, -1]

// before
func.func @main(%i: tensor<8xi32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>,
      affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<8xi32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%n: i32, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %hit = arith.cmpi eq, %n, %k : i32
    %r = arith.uitofp %hit : i1 to f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// right
func.func @main(%i: tensor<8xi32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>,
      affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<8xi32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%n: i32, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %zero = arith.constant 0 : i32
    %d = arith.xori %n, %k : i32
    %hit = arith.cmpi eq, %d, %zero : i32
    %r = arith.uitofp %hit : i1 to f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// wrong
func.func @main(%i: tensor<8xi32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>,
      affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<8xi32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%n: i32, %o: f32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %mask = arith.constant 15 : i32
    %b = arith.andi %n, %mask : i32
    %hit = arith.cmpi eq, %b, %k : i32
    %r = arith.uitofp %hit : i1 to f32
    linalg.yield %r : f32
  } -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
