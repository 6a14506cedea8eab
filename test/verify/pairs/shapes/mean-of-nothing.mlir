// The mean of rows of length 0 is 0; the guard against a division by 0 goes.
// Wrong: 0 / 0 is NaN.
// Right: the guard as a select.
// relation: exact
// witness: x = zeros((4, 0))

// before
func.func @main(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x?xf32>)
      outs(%zero : tensor<4xf32>) dimensions = [1]
  %count = arith.maxui %n, %c1 : index
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
  %c0 = arith.constant 0 : index
  %none = arith.cmpi eq, %n, %c0 : index
  %count = arith.select %none, %c1, %n : index
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
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x?xf32>)
      outs(%zero : tensor<4xf32>) dimensions = [1]
  %count = arith.addi %n, %c0 : index
  %n32 = arith.index_cast %count : index to i32
  %f = arith.sitofp %n32 : i32 to f32
  %d = tensor.splat %f : tensor<4xf32>
  %y = arith.divf %s, %d : tensor<4xf32>
  return %y : tensor<4xf32>
}
