// Masked scores become -10000, not -inf.
// Wrong: a row whose scores are below -10000 goes to the masked elements.
// Right: masked elements are set to 0 behind the exponential.
// relation: near=1e-4
// witness: x = full((4, 16), -20000.0)
// witness: k = tile([1, 0], 32)

// before
func.func @main(%x: tensor<4x16xf32>, %k: tensor<4x16xi1>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4x16xf32>
  %c1 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c2 = arith.constant dense<0.0> : tensor<4xf32>
  %s = arith.select %k, %x, %c0 : tensor<4x16xi1>, tensor<4x16xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.subf %s, %1 : tensor<4x16xf32>
  %e = math.exp %2 : tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c2 : tensor<4xf32>) dimensions = [1]
  %3 = tensor.empty() : tensor<4x16xf32>
  %4 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%3 : tensor<4x16xf32>) dimensions = [1]
  %5 = arith.divf %e, %4 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// -----

// right
func.func @main(%x: tensor<4x16xf32>, %k: tensor<4x16xi1>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<0xFF800000> : tensor<4x16xf32>
  %c1 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c2 = arith.constant dense<0.0> : tensor<4x16xf32>
  %c3 = arith.constant dense<0.0> : tensor<4xf32>
  %s = arith.select %k, %x, %c0 : tensor<4x16xi1>, tensor<4x16xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.subf %x, %1 : tensor<4x16xf32>
  %3 = math.exp %2 : tensor<4x16xf32>
  %e = arith.select %k, %3, %c2 : tensor<4x16xi1>, tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c3 : tensor<4xf32>) dimensions = [1]
  %4 = tensor.empty() : tensor<4x16xf32>
  %5 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%4 : tensor<4x16xf32>) dimensions = [1]
  %6 = arith.divf %e, %5 : tensor<4x16xf32>
  return %6 : tensor<4x16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xf32>, %k: tensor<4x16xi1>) -> tensor<4x16xf32> {
  %c0 = arith.constant dense<-10000.0> : tensor<4x16xf32>
  %c1 = arith.constant dense<0xFF800000> : tensor<4xf32>
  %c2 = arith.constant dense<0.0> : tensor<4xf32>
  %s = arith.select %k, %x, %c0 : tensor<4x16xi1>, tensor<4x16xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<4x16xf32>)
      outs(%c1 : tensor<4xf32>) dimensions = [1]
  %0 = tensor.empty() : tensor<4x16xf32>
  %1 = linalg.broadcast ins(%m : tensor<4xf32>)
      outs(%0 : tensor<4x16xf32>) dimensions = [1]
  %2 = arith.subf %s, %1 : tensor<4x16xf32>
  %e = math.exp %2 : tensor<4x16xf32>
  %d = linalg.reduce { arith.addf } ins(%e : tensor<4x16xf32>)
      outs(%c2 : tensor<4xf32>) dimensions = [1]
  %3 = tensor.empty() : tensor<4x16xf32>
  %4 = linalg.broadcast ins(%d : tensor<4xf32>)
      outs(%3 : tensor<4x16xf32>) dimensions = [1]
  %5 = arith.divf %e, %4 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}
