// Large elements of a row are counted in i8.
// Wrong: 200 of them are -56.
// Right: in i16.
// relation: exact
// witness: x = full((4, 200), 1.0)

// before
func.func @main(%x: tensor<4x200xf32>) -> tensor<4xi32> {
  %c0 = arith.constant dense<0.95> : tensor<4x200xf32>
  %c1 = arith.constant dense<0> : tensor<4xi32>
  %0 = arith.cmpf ogt, %x, %c0 : tensor<4x200xf32>
  %1 = arith.extui %0 : tensor<4x200xi1> to tensor<4x200xi32>
  %2 = linalg.reduce { arith.addi } ins(%1 : tensor<4x200xi32>)
      outs(%c1 : tensor<4xi32>) dimensions = [1]
  return %2 : tensor<4xi32>
}

// -----

// right
func.func @main(%x: tensor<4x200xf32>) -> tensor<4xi32> {
  %c0 = arith.constant dense<0.95> : tensor<4x200xf32>
  %c1 = arith.constant dense<0> : tensor<4xi16>
  %0 = arith.cmpf ogt, %x, %c0 : tensor<4x200xf32>
  %1 = arith.extui %0 : tensor<4x200xi1> to tensor<4x200xi16>
  %2 = linalg.reduce { arith.addi } ins(%1 : tensor<4x200xi16>)
      outs(%c1 : tensor<4xi16>) dimensions = [1]
  %3 = arith.extsi %2 : tensor<4xi16> to tensor<4xi32>
  return %3 : tensor<4xi32>
}

// -----

// wrong
func.func @main(%x: tensor<4x200xf32>) -> tensor<4xi32> {
  %c0 = arith.constant dense<0.95> : tensor<4x200xf32>
  %c1 = arith.constant dense<0> : tensor<4xi8>
  %0 = arith.cmpf ogt, %x, %c0 : tensor<4x200xf32>
  %1 = arith.extui %0 : tensor<4x200xi1> to tensor<4x200xi8>
  %2 = linalg.reduce { arith.addi } ins(%1 : tensor<4x200xi8>)
      outs(%c1 : tensor<4xi8>) dimensions = [1]
  %3 = arith.extsi %2 : tensor<4xi8> to tensor<4xi32>
  return %3 : tensor<4xi32>
}
