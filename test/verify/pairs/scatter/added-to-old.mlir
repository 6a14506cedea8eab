// A scatter that adds rows becomes one that sets rows to the old row plus the
// update.
// Wrong: of several updates of one row only the last one is added.
// Right: the addends are exchanged: updates are added in a loop.
// seen: x[i] += u in NumPy itself
// relation: exact
// friendly: i = r.permutation(16)[:8]
// witness: i = [3, 3, 5, 1, 2, 5, 7, 8]

// before
func.func @main(%x: tensor<16x4xf32>, %u: tensor<8x4xf32>, %i: tensor<8xi64>)
    -> tensor<16x4xf32> {
  %zero = arith.constant dense<0> : tensor<8xi64>
  %last = arith.constant dense<15> : tensor<8xi64>
  %low = arith.maxsi %i, %zero : tensor<8xi64>
  %at = arith.minsi %low, %last : tensor<8xi64>
  %y = graph.scatter "add" %u into %x at(%at : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x4xf32>, tensor<16x4xf32>
  return %y : tensor<16x4xf32>
}

// -----

// right
func.func @main(%x: tensor<16x4xf32>, %u: tensor<8x4xf32>, %i: tensor<8xi64>)
    -> tensor<16x4xf32> {
  %zero = arith.constant dense<0> : tensor<8xi64>
  %last = arith.constant dense<15> : tensor<8xi64>
  %low = arith.maxsi %i, %zero : tensor<8xi64>
  %at = arith.minsi %low, %last : tensor<8xi64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %n = %c0 to %c8 step %c1 iter_args(%t = %x)
      -> (tensor<16x4xf32>) {
    %here = tensor.extract %at[%n] : tensor<8xi64>
    %k = arith.index_cast %here : i64 to index
    %new = tensor.extract_slice %u[%n, 0] [1, 4] [1, 1]
        : tensor<8x4xf32> to tensor<1x4xf32>
    %old = tensor.extract_slice %t[%k, 0] [1, 4] [1, 1]
        : tensor<16x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %old, %new : tensor<1x4xf32>
    %next = tensor.insert_slice %sum into %t[%k, 0] [1, 4] [1, 1]
        : tensor<1x4xf32> into tensor<16x4xf32>
    scf.yield %next : tensor<16x4xf32>
  }
  return %y : tensor<16x4xf32>
}

// -----

// wrong
#matrix = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<16x4xf32>, %u: tensor<8x4xf32>, %i: tensor<8xi64>)
    -> tensor<16x4xf32> {
  %zero = arith.constant dense<0> : tensor<8xi64>
  %last = arith.constant dense<15> : tensor<8xi64>
  %low = arith.maxsi %i, %zero : tensor<8xi64>
  %at = arith.minsi %low, %last : tensor<8xi64>
  %e = tensor.empty() : tensor<8x4xf32>
  %s = linalg.generic {indexing_maps = [#row, #matrix, #matrix],
      iterator_types = ["parallel", "parallel"]}
      ins(%at, %u : tensor<8xi64>, tensor<8x4xf32>)
      outs(%e : tensor<8x4xf32>) {
  ^bb0(%here: i64, %new: f32, %o: f32):
    %k = arith.index_cast %here : i64 to index
    %j = linalg.index 1 : index
    %old = tensor.extract %x[%k, %j] : tensor<16x4xf32>
    %sum = arith.addf %old, %new : f32
    linalg.yield %sum : f32
  } -> tensor<8x4xf32>
  %y, %owners = graph.scatter "set" %s into %x at(%at : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x4xf32>, tensor<16x4xf32> owners tensor<16xi32>
  return %y : tensor<16x4xf32>
}
