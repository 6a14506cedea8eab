// A read of element n, guarded by n < 16, and by 0 else, is speculated; its
// result is multiplied with the guard.
// Wrong: a read outside of the tensor is poison, which a product does not drop.
// Right: the index is guarded, too.
// relation: exact
// friendly: n = r.integers(0, 16)
// witness: n = 16

// before
func.func @main(%x: tensor<16xi32>, %n: tensor<i32>) -> tensor<i32> {
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : i32
  %i = tensor.extract %n[] : tensor<i32>
  %in = arith.cmpi ult, %i, %c16 : i32
  %r = scf.if %in -> (i32) {
    %k = arith.index_castui %i : i32 to index
    %v = tensor.extract %x[%k] : tensor<16xi32>
    scf.yield %v : i32
  } else {
    scf.yield %zero : i32
  }
  %y = tensor.from_elements %r : tensor<i32>
  return %y : tensor<i32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %n: tensor<i32>) -> tensor<i32> {
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : i32
  %i = tensor.extract %n[] : tensor<i32>
  %in = arith.cmpi ult, %i, %c16 : i32
  %safe = arith.select %in, %i, %zero : i32
  %k = arith.index_castui %safe : i32 to index
  %v = tensor.extract %x[%k] : tensor<16xi32>
  %guard = arith.extui %in : i1 to i32
  %r = arith.muli %v, %guard : i32
  %y = tensor.from_elements %r : tensor<i32>
  return %y : tensor<i32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %n: tensor<i32>) -> tensor<i32> {
  %c16 = arith.constant 16 : i32
  %i = tensor.extract %n[] : tensor<i32>
  %in = arith.cmpi ult, %i, %c16 : i32
  %k = arith.index_castui %i : i32 to index
  %v = tensor.extract %x[%k] : tensor<16xi32>
  %guard = arith.extui %in : i1 to i32
  %r = arith.muli %v, %guard : i32
  %y = tensor.from_elements %r : tensor<i32>
  return %y : tensor<i32>
}
