// A row of i16 is added in i16.
// Wrong: 16 times 3000 wraps.
// Right: in i64.
// relation: exact
// witness: x = full((4, 16), 3000)

// before
func.func @main(%x: tensor<4x16xi16>) -> tensor<4xi32> {
  %c0 = arith.constant dense<0> : tensor<4xi32>
  %0 = arith.extsi %x : tensor<4x16xi16> to tensor<4x16xi32>
  %1 = linalg.reduce { arith.addi } ins(%0 : tensor<4x16xi32>)
      outs(%c0 : tensor<4xi32>) dimensions = [1]
  return %1 : tensor<4xi32>
}

// -----

// right
func.func @main(%x: tensor<4x16xi16>) -> tensor<4xi32> {
  %c0 = arith.constant dense<0> : tensor<4xi64>
  %0 = arith.extsi %x : tensor<4x16xi16> to tensor<4x16xi64>
  %1 = linalg.reduce { arith.addi } ins(%0 : tensor<4x16xi64>)
      outs(%c0 : tensor<4xi64>) dimensions = [1]
  %2 = arith.trunci %1 : tensor<4xi64> to tensor<4xi32>
  return %2 : tensor<4xi32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xi16>) -> tensor<4xi32> {
  %c0 = arith.constant dense<0> : tensor<4xi16>
  %0 = linalg.reduce { arith.addi } ins(%x : tensor<4x16xi16>)
      outs(%c0 : tensor<4xi16>) dimensions = [1]
  %1 = arith.extsi %0 : tensor<4xi16> to tensor<4xi32>
  return %1 : tensor<4xi32>
}
