// x > 1000 and y < -1000 becomes x >= 1000 and y < -1000.
// Wrong: where x is 1000, and y is far below 0, too.
// Right: the inverse of both.
// relation: exact
// witness: x = [1000, 1]
// witness: y = [-5000, 2]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1000> : tensor<16xi32>
  %c1 = arith.constant dense<-1000> : tensor<16xi32>
  %a = arith.cmpi sgt, %x, %c0 : tensor<16xi32>
  %b = arith.cmpi slt, %y, %c1 : tensor<16xi32>
  %0 = arith.andi %a, %b : tensor<16xi1>
  %1 = arith.select %0, %x, %y : tensor<16xi1>, tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1000> : tensor<16xi32>
  %c1 = arith.constant dense<-1000> : tensor<16xi32>
  %a = arith.cmpi sle, %x, %c0 : tensor<16xi32>
  %b = arith.cmpi sge, %y, %c1 : tensor<16xi32>
  %0 = arith.ori %a, %b : tensor<16xi1>
  %1 = arith.select %0, %y, %x : tensor<16xi1>, tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<1000> : tensor<16xi32>
  %c1 = arith.constant dense<-1000> : tensor<16xi32>
  %a = arith.cmpi sge, %x, %c0 : tensor<16xi32>
  %b = arith.cmpi slt, %y, %c1 : tensor<16xi32>
  %0 = arith.andi %a, %b : tensor<16xi1>
  %1 = arith.select %0, %x, %y : tensor<16xi1>, tensor<16xi32>
  return %1 : tensor<16xi32>
}
