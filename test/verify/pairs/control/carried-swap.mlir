// A loop exchanges two buffers that it carries. The exchange goes, as the loop
// is unrolled by two.
// Wrong: after an odd number of iterations the other buffer is the result.
// Right: a select by the parity of the count.
// relation: exact
// friendly: n = 2 * r.integers(1, 4)
// witness: n = 3

// before
func.func @main(%x: tensor<16xf32>, %n: tensor<i32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bound = arith.constant 9 : i32
  %least = arith.constant 0 : i32
  %half = arith.constant dense<0.5> : tensor<16xf32>
  %read = tensor.extract %n[] : tensor<i32>
  %low = arith.maxsi %read, %least : i32
  %clamped = arith.minsi %low, %bound : i32
  %count = arith.index_cast %clamped : i32 to index
  %w = arith.negf %x : tensor<16xf32>
  %y, %z = scf.for %i = %c0 to %count step %c1
      iter_args(%p = %x, %q = %w) -> (tensor<16xf32>, tensor<16xf32>) {
    scf.yield %q, %p : tensor<16xf32>, tensor<16xf32>
  }
  return %y : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %n: tensor<i32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bound = arith.constant 9 : i32
  %least = arith.constant 0 : i32
  %half = arith.constant dense<0.5> : tensor<16xf32>
  %read = tensor.extract %n[] : tensor<i32>
  %low = arith.maxsi %read, %least : i32
  %clamped = arith.minsi %low, %bound : i32
  %count = arith.index_cast %clamped : i32 to index
  %w = arith.negf %x : tensor<16xf32>
  %rest = arith.remui %count, %c2 : index
  %odd = arith.cmpi ne, %rest, %c0 : index
  %y = arith.select %odd, %w, %x : tensor<16xf32>
  return %y : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %n: tensor<i32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %bound = arith.constant 9 : i32
  %least = arith.constant 0 : i32
  %half = arith.constant dense<0.5> : tensor<16xf32>
  %read = tensor.extract %n[] : tensor<i32>
  %low = arith.maxsi %read, %least : i32
  %clamped = arith.minsi %low, %bound : i32
  %count = arith.index_cast %clamped : i32 to index
  %y, %z = scf.for %i = %c0 to %count step %c2
      iter_args(%p = %x, %q = %half) -> (tensor<16xf32>, tensor<16xf32>) {
    scf.yield %p, %q : tensor<16xf32>, tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
