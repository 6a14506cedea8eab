// The minimum of each row of i32 begins at the largest i16.
// Wrong: of a row of larger numbers it is 32767.
// Right: the maximum of the complements.
// relation: exact
// witness: x = full((4, 16), 100000)

// before
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi32> {
  %c0 = arith.constant dense<2147483647> : tensor<4xi32>
  %0 = linalg.reduce { arith.minsi } ins(%x : tensor<4x16xi32>)
      outs(%c0 : tensor<4xi32>) dimensions = [1]
  return %0 : tensor<4xi32>
}

// -----

// right
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi32> {
  %c0 = arith.constant dense<-1> : tensor<4x16xi32>
  %c1 = arith.constant dense<-2147483648> : tensor<4xi32>
  %c2 = arith.constant dense<-1> : tensor<4xi32>
  %0 = arith.xori %x, %c0 : tensor<4x16xi32>
  %1 = linalg.reduce { arith.maxsi } ins(%0 : tensor<4x16xi32>)
      outs(%c1 : tensor<4xi32>) dimensions = [1]
  %2 = arith.xori %1, %c2 : tensor<4xi32>
  return %2 : tensor<4xi32>
}

// -----

// wrong
func.func @main(%x: tensor<4x16xi32>) -> tensor<4xi32> {
  %c0 = arith.constant dense<32767> : tensor<4xi32>
  %0 = linalg.reduce { arith.minsi } ins(%x : tensor<4x16xi32>)
      outs(%c0 : tensor<4xi32>) dimensions = [1]
  return %0 : tensor<4xi32>
}
