// Token numbers, i64, are compared with a limit as i32.
// Wrong: 2^32 + 5 passes as 5.
// Right: as unsigned 64-bit numbers.
// relation: exact
// witness: x = [4294967301, 3]

// before
func.func @main(%x: tensor<16xi64>) -> tensor<16xi64> {
  %c0 = arith.constant dense<0> : tensor<16xi64>
  %c1 = arith.constant dense<50000> : tensor<16xi64>
  %low = arith.cmpi sge, %x, %c0 : tensor<16xi64>
  %fits = arith.cmpi slt, %x, %c1 : tensor<16xi64>
  %0 = arith.andi %low, %fits : tensor<16xi1>
  %1 = arith.select %0, %x, %c0 : tensor<16xi1>, tensor<16xi64>
  return %1 : tensor<16xi64>
}

// -----

// right
func.func @main(%x: tensor<16xi64>) -> tensor<16xi64> {
  %c0 = arith.constant dense<50000> : tensor<16xi64>
  %c1 = arith.constant dense<0> : tensor<16xi64>
  %0 = arith.cmpi ult, %x, %c0 : tensor<16xi64>
  %1 = arith.select %0, %x, %c1 : tensor<16xi1>, tensor<16xi64>
  return %1 : tensor<16xi64>
}

// -----

// wrong
func.func @main(%x: tensor<16xi64>) -> tensor<16xi64> {
  %c0 = arith.constant dense<0> : tensor<16xi32>
  %c1 = arith.constant dense<50000> : tensor<16xi32>
  %c2 = arith.constant dense<0> : tensor<16xi64>
  %n = arith.trunci %x : tensor<16xi64> to tensor<16xi32>
  %low = arith.cmpi sge, %n, %c0 : tensor<16xi32>
  %fits = arith.cmpi slt, %n, %c1 : tensor<16xi32>
  %0 = arith.andi %low, %fits : tensor<16xi1>
  %1 = arith.extsi %n : tensor<16xi32> to tensor<16xi64>
  %2 = arith.select %0, %1, %c2 : tensor<16xi1>, tensor<16xi64>
  return %2 : tensor<16xi64>
}
