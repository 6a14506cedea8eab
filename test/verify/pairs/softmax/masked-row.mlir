// A softmax with an additive mask gives 0 for a row that is masked fully; the
// tests for it go.
// Wrong: -inf - -inf is NaN.
// Right: the row's result is selected at the end.
// relation: near=1e-4
// witness: y = full((4, 16), -inf)

// before
func.func @main(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>)
    -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %c2 = arith.constant dense<0.0> : tensor<4xf32>
  %c3 = arith.constant dense<1.0> : tensor<4xf32>
  %s = arith.addf %x, %y : tensor<4x16xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %empty = arith.cmpf oeq, %m, %c0 : tensor<4xf32>
  %c = arith.select %empty, %c1, %m : tensor<4xi1>, tensor<4xf32>
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%c : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.subf %s, %1 : tensor<4x16xf32>
  %e = math.exp %2 : tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c2 : tensor<4xf32>) dimensions = [1]
  %none = arith.cmpf oeq, %d, %c1 : tensor<4xf32>
  %t = arith.select %none, %c3, %d : tensor<4xi1>, tensor<4xf32>
  %3 = tensor.empty() : tensor<4x16xf32>
  %4 = linalg.broadcast ins(%t : tensor<4xf32>)
      outs(%3 : tensor<4x16xf32>) dimensions = [1]
  %5 = arith.divf %e, %4 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>)
    -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %c2 = arith.constant dense<0xFF800000> : tensor<4x16xf32>
  %c3 = arith.constant dense<0.0> : tensor<4x16xf32>
  %s = arith.addf %x, %y : tensor<4x16xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %w = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %1 = arith.subf %s, %w : tensor<4x16xf32>
  %e = math.exp %1 : tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %empty = arith.cmpf oeq, %w, %c2 : tensor<4x16xf32>
  %2 = tensor.empty() : tensor<4x16xf32>
  %3 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%2 : tensor<4x16xf32>) dimensions = [1]
  %4 = arith.divf %e, %3 : tensor<4x16xf32>
  %5 = arith.select %empty, %c3, %4 : tensor<4x16xi1>, tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>)
    -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c1 = arith.constant dense<0.0> : tensor<4xf32>
  %s = arith.addf %x, %y : tensor<4x16xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x16xf32>)
      outs(%c0 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.subf %s, %1 : tensor<4x16xf32>
  %e = math.exp %2 : tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %3 = tensor.empty() : tensor<4x16xf32>
  %4 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%3 : tensor<4x16xf32>) dimensions = [1]
  %5 = arith.divf %e, %4 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}
