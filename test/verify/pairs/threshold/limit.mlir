// n >= 100 becomes n > 100.
// Wrong: at 100.
// Right: n > 99.
// relation: exact
// witness: n = [100, 5]

// before
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<100> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %0 = arith.cmpi sge, %n, %c0 : tensor<16xi32>
  %1 = arith.select %0, %c1, %n : tensor<16xi1>, tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<99> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %0 = arith.cmpi sgt, %n, %c0 : tensor<16xi32>
  %1 = arith.select %0, %c1, %n : tensor<16xi1>, tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<100> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %0 = arith.cmpi sgt, %n, %c0 : tensor<16xi32>
  %1 = arith.select %0, %c1, %n : tensor<16xi1>, tensor<16xi32>
  return %1 : tensor<16xi32>
}
