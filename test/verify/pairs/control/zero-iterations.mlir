// A loop becomes one whose first iteration always runs.
// Wrong: for a count of 0.
// Right: the first iteration is peeled under a condition.
// relation: exact
// friendly: n = r.integers(1, 9)
// witness: n = 0

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
  %any = arith.cmpi ne, %count, %c0 : index
  %first = scf.if %any -> (tensor<16xf32>) {
    %h = arith.mulf %x, %half : tensor<16xf32>
    %u = arith.addf %h, %half : tensor<16xf32>
    scf.yield %u : tensor<16xf32>
  } else {
    scf.yield %x : tensor<16xf32>
  }
  %y = scf.for %i = %c1 to %count step %c1 iter_args(%t = %first) -> (tensor<16xf32>) {
    %h = arith.mulf %t, %half : tensor<16xf32>
    %u = arith.addf %h, %half : tensor<16xf32>
    scf.yield %u : tensor<16xf32>
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
  %h0 = arith.mulf %x, %half : tensor<16xf32>
  %first = arith.addf %h0, %half : tensor<16xf32>
  %y = scf.for %i = %c1 to %count step %c1 iter_args(%t = %first) -> (tensor<16xf32>) {
    %h = arith.mulf %t, %half : tensor<16xf32>
    %u = arith.addf %h, %half : tensor<16xf32>
    scf.yield %u : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
