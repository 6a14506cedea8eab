// A stable descending sort becomes an ascending one, read backwards.
// Wrong: equal keys come in the opposite order.
// Right: the keys are complemented, which keeps equal ones equal.
// relation: exact
// friendly: x = array([r.permutation(16) for _ in range(4)])
// friendly: p = tile(arange(16), 4)
// witness: x = full((4, 16), 3)
// witness: p = tile(arange(16), 4)

// before
func.func @main(%x: tensor<4x16xi32>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %k, %v = graph.sort %x, %p axis 1 descending
      : tensor<4x16xi32>, tensor<4x16xi32>
  return %v : tensor<4x16xi32>
}

// -----

// right
func.func @main(%x: tensor<4x16xi32>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %ones = arith.constant dense<-1> : tensor<4x16xi32>
  %c = arith.xori %x, %ones : tensor<4x16xi32>
  %k, %v = graph.sort %c, %p axis 1 : tensor<4x16xi32>, tensor<4x16xi32>
  return %v : tensor<4x16xi32>
}

// -----

// wrong
#reversed = affine_map<(d0, d1) -> (d0, 15 - d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4x16xi32>, %p: tensor<4x16xi32>)
    -> tensor<4x16xi32> {
  %k, %v = graph.sort %x, %p axis 1 : tensor<4x16xi32>, tensor<4x16xi32>
  %e = tensor.empty() : tensor<4x16xi32>
  %r = linalg.generic {indexing_maps = [#reversed, #all],
      iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<4x16xi32>) outs(%e : tensor<4x16xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<4x16xi32>
  return %r : tensor<4x16xi32>
}
