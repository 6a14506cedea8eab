// An i64 is converted to f32 by way of i32.
// Wrong: 2^40 does not fit.
// Right: where it fits, else directly.
// relation: exact
// witness: x = [1099511627776, 3]

// before
func.func @main(%x: tensor<16xi64>) -> tensor<16xf32> {
  %0 = arith.sitofp %x : tensor<16xi64> to tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xi64>) -> tensor<16xf32> {
  %n = arith.trunci %x : tensor<16xi64> to tensor<16xi32>
  %0 = arith.extsi %n : tensor<16xi32> to tensor<16xi64>
  %fits = arith.cmpi eq, %0, %x : tensor<16xi64>
  %1 = arith.sitofp %n : tensor<16xi32> to tensor<16xf32>
  %2 = arith.sitofp %x : tensor<16xi64> to tensor<16xf32>
  %3 = arith.select %fits, %1, %2 : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi64>) -> tensor<16xf32> {
  %0 = arith.trunci %x : tensor<16xi64> to tensor<16xi32>
  %1 = arith.sitofp %0 : tensor<16xi32> to tensor<16xf32>
  return %1 : tensor<16xf32>
}
