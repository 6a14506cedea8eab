// A loop is unrolled by two, without a loop for what is left.
// Wrong: for odd counts.
// Right: the last iteration of an odd count is a branch.
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
  %y = scf.for %i = %c0 to %count step %c1 iter_args(%t = %x) -> (tensor<16xf32>) {
    %h = arith.mulf %t, %half : tensor<16xf32>
    %u = arith.addf %h, %half : tensor<16xf32>
    scf.yield %u : tensor<16xf32>
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
  %pairs = arith.divui %count, %c2 : index
  %rest = arith.remui %count, %c2 : index
  %even = scf.for %i = %c0 to %pairs step %c1 iter_args(%t = %x) -> (tensor<16xf32>) {
    %h = arith.mulf %t, %half : tensor<16xf32>
    %u = arith.addf %h, %half : tensor<16xf32>
    %h2 = arith.mulf %u, %half : tensor<16xf32>
    %u2 = arith.addf %h2, %half : tensor<16xf32>
    scf.yield %u2 : tensor<16xf32>
  }
  %odd = arith.cmpi ne, %rest, %c0 : index
  %y = scf.if %odd -> (tensor<16xf32>) {
    %h = arith.mulf %even, %half : tensor<16xf32>
    %u = arith.addf %h, %half : tensor<16xf32>
    scf.yield %u : tensor<16xf32>
  } else {
    scf.yield %even : tensor<16xf32>
  }
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
  %pairs = arith.divui %count, %c2 : index
  %y = scf.for %i = %c0 to %pairs step %c1 iter_args(%t = %x) -> (tensor<16xf32>) {
    %h = arith.mulf %t, %half : tensor<16xf32>
    %u = arith.addf %h, %half : tensor<16xf32>
    %h2 = arith.mulf %u, %half : tensor<16xf32>
    %u2 = arith.addf %h2, %half : tensor<16xf32>
    scf.yield %u2 : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
