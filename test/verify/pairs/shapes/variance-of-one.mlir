// The divisor of a variance, max(n - 1, 1), becomes n - 1.
// Wrong: of one element it is 0 / 0.
// Right: max(n, 2) - 1.
// relation: exact
// witness: x = zeros((4, 1))

// before
func.func @main(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x?xf32>)
      outs(%zero : tensor<4xf32>) dimensions = [1]
  %less = arith.subi %n, %c1 : index
  %count = arith.maxsi %less, %c1 : index
  %n32 = arith.index_cast %count : index to i32
  %f = arith.sitofp %n32 : i32 to f32
  %d = tensor.splat %f : tensor<4xf32>
  %y = arith.divf %s, %d : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// right
func.func @main(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x?xf32>)
      outs(%zero : tensor<4xf32>) dimensions = [1]
  %c2 = arith.constant 2 : index
  %more = arith.maxui %n, %c2 : index
  %count = arith.subi %more, %c1 : index
  %n32 = arith.index_cast %count : index to i32
  %f = arith.sitofp %n32 : i32 to f32
  %d = tensor.splat %f : tensor<4xf32>
  %y = arith.divf %s, %d : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// wrong
func.func @main(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x?xf32>)
      outs(%zero : tensor<4xf32>) dimensions = [1]
  %count = arith.subi %n, %c1 : index
  %n32 = arith.index_cast %count : index to i32
  %f = arith.sitofp %n32 : i32 to f32
  %d = tensor.splat %f : tensor<4xf32>
  %y = arith.divf %s, %d : tensor<4xf32>
  return %y : tensor<4xf32>
}
