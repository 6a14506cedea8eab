// A saturating sum of i8 clamps after the narrow sum.
// Wrong: 100 + 100 wraps to -56, which is in range.
// Right: it clamps in i16.
// relation: exact
// witness: x = [100, -100]
// witness: y = [100, -100]

// before
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<-128> : tensor<16xi32>
  %c1 = arith.constant dense<127> : tensor<16xi32>
  %0 = arith.extsi %x : tensor<16xi8> to tensor<16xi32>
  %1 = arith.extsi %y : tensor<16xi8> to tensor<16xi32>
  %2 = arith.addi %0, %1 : tensor<16xi32>
  %3 = arith.maxsi %2, %c0 : tensor<16xi32>
  %4 = arith.minsi %3, %c1 : tensor<16xi32>
  %5 = arith.trunci %4 : tensor<16xi32> to tensor<16xi8>
  return %5 : tensor<16xi8>
}

// -----

// right
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<-128> : tensor<16xi16>
  %c1 = arith.constant dense<127> : tensor<16xi16>
  %0 = arith.extsi %x : tensor<16xi8> to tensor<16xi16>
  %1 = arith.extsi %y : tensor<16xi8> to tensor<16xi16>
  %2 = arith.addi %0, %1 : tensor<16xi16>
  %3 = arith.maxsi %2, %c0 : tensor<16xi16>
  %4 = arith.minsi %3, %c1 : tensor<16xi16>
  %5 = arith.trunci %4 : tensor<16xi16> to tensor<16xi8>
  return %5 : tensor<16xi8>
}

// -----

// wrong
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<-128> : tensor<16xi8>
  %c1 = arith.constant dense<127> : tensor<16xi8>
  %0 = arith.addi %x, %y : tensor<16xi8>
  %1 = arith.maxsi %0, %c0 : tensor<16xi8>
  %2 = arith.minsi %1, %c1 : tensor<16xi8>
  return %2 : tensor<16xi8>
}
