// A loop that doubles while the first element is small tests at its end, not at
// its beginning.
// Wrong: where the element is not small in the beginning.
// Right: the same loop with the comparison inverted.
// relation: exact
// witness: x = full(16, 200.0)
// witness: n = 1

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
  %limit = arith.constant 100.0 : f32
  %y = scf.while (%t = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %v = tensor.extract %t[%c0] : tensor<16xf32>
    %a = math.absf %v : f32
    %s = arith.cmpf olt, %a, %limit : f32
    %small = arith.constant 0.001 : f32
    %l = arith.cmpf ogt, %a, %small : f32
    %go = arith.andi %s, %l : i1
    scf.condition(%go) %t : tensor<16xf32>
  } do {
  ^bb0(%t: tensor<16xf32>):
    %u = arith.addf %t, %t : tensor<16xf32>
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
  %limit = arith.constant 100.0 : f32
  %true = arith.constant true
  %y = scf.while (%t = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %v = tensor.extract %t[%c0] : tensor<16xf32>
    %a = math.absf %v : f32
    %s = arith.cmpf uge, %a, %limit : f32
    %small = arith.constant 0.001 : f32
    %l = arith.cmpf ule, %a, %small : f32
    %stop = arith.ori %s, %l : i1
    %go = arith.xori %stop, %true : i1
    scf.condition(%go) %t : tensor<16xf32>
  } do {
  ^bb0(%t: tensor<16xf32>):
    %u = arith.addf %t, %t : tensor<16xf32>
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
  %limit = arith.constant 100.0 : f32
  %y = scf.while (%t = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %u = arith.addf %t, %t : tensor<16xf32>
    %v = tensor.extract %u[%c0] : tensor<16xf32>
    %a = math.absf %v : f32
    %s = arith.cmpf olt, %a, %limit : f32
    %small = arith.constant 0.001 : f32
    %l = arith.cmpf ogt, %a, %small : f32
    %go = arith.andi %s, %l : i1
    scf.condition(%go) %u : tensor<16xf32>
  } do {
  ^bb0(%u: tensor<16xf32>):
    scf.yield %u : tensor<16xf32>
  }
  return %y : tensor<16xf32>
}
