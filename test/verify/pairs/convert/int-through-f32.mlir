// i32 to f32 and back becomes nothing.
// Wrong: 16777217 has 25 bits.
// Right: only for numbers of at most 24 bits.
// relation: exact
// witness: n = [16777217, 5]

// before
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<-1073741824> : tensor<16xi32>
  %c1 = arith.constant dense<1073741824> : tensor<16xi32>
  %0 = arith.maxsi %n, %c0 : tensor<16xi32>
  %k = arith.minsi %0, %c1 : tensor<16xi32>
  %1 = arith.sitofp %k : tensor<16xi32> to tensor<16xf32>
  %2 = arith.fptosi %1 : tensor<16xf32> to tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// right
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<-1073741824> : tensor<16xi32>
  %c1 = arith.constant dense<1073741824> : tensor<16xi32>
  %c2 = arith.constant dense<-16777216> : tensor<16xi32>
  %c3 = arith.constant dense<16777216> : tensor<16xi32>
  %0 = arith.maxsi %n, %c0 : tensor<16xi32>
  %k = arith.minsi %0, %c1 : tensor<16xi32>
  %low = arith.cmpi sgt, %k, %c2 : tensor<16xi32>
  %high = arith.cmpi slt, %k, %c3 : tensor<16xi32>
  %small = arith.andi %low, %high : tensor<16xi1>
  %1 = arith.sitofp %k : tensor<16xi32> to tensor<16xf32>
  %2 = arith.fptosi %1 : tensor<16xf32> to tensor<16xi32>
  %3 = arith.select %small, %k, %2 : tensor<16xi1>, tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%n: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<-1073741824> : tensor<16xi32>
  %c1 = arith.constant dense<1073741824> : tensor<16xi32>
  %0 = arith.maxsi %n, %c0 : tensor<16xi32>
  %1 = arith.minsi %0, %c1 : tensor<16xi32>
  return %1 : tensor<16xi32>
}
