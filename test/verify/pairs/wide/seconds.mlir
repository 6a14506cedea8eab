// Days become seconds in 32 bits.
// Wrong: 24,856 days have more than 2^31 seconds.
// Right: half of the seconds in 32 bits, if the days are few, twice in 64.
// relation: exact
// witness: x = [30000, 1]

// before
func.func @main(%x: tensor<16xi32>) -> tensor<16xi64> {
  %c0 = arith.constant dense<86400> : tensor<16xi64>
  %0 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %1 = arith.muli %0, %c0 : tensor<16xi64>
  return %1 : tensor<16xi64>
}

// -----

// right
func.func @main(%x: tensor<16xi32>) -> tensor<16xi64> {
  %c0 = arith.constant dense<24000> : tensor<16xi32>
  %c1 = arith.constant dense<-24000> : tensor<16xi32>
  %c2 = arith.constant dense<86400> : tensor<16xi32>
  %c3 = arith.constant dense<86400> : tensor<16xi64>
  %0 = arith.minsi %x, %c0 : tensor<16xi32>
  %few = arith.maxsi %0, %c1 : tensor<16xi32>
  %1 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %2 = arith.extsi %few : tensor<16xi32> to tensor<16xi64>
  %rest = arith.subi %1, %2 : tensor<16xi64>
  %3 = arith.muli %few, %c2 : tensor<16xi32>
  %4 = arith.extsi %3 : tensor<16xi32> to tensor<16xi64>
  %5 = arith.muli %rest, %c3 : tensor<16xi64>
  %6 = arith.addi %4, %5 : tensor<16xi64>
  return %6 : tensor<16xi64>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>) -> tensor<16xi64> {
  %c0 = arith.constant dense<86400> : tensor<16xi32>
  %0 = arith.muli %x, %c0 : tensor<16xi32>
  %1 = arith.extsi %0 : tensor<16xi32> to tensor<16xi64>
  return %1 : tensor<16xi64>
}
