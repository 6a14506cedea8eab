// x / 7 becomes the upper half of a product with ceil(2^32 / 7).
// Wrong: 32 bits of the magic number are too few from 2^32 / 3 on.
// Right: 34 bits.
// relation: exact
// witness: x = [1431655769, 100, 2147483645, 1431655771, 1431655767]

// before
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<7> : tensor<16xi32>
  %0 = arith.divsi %x, %c0 : tensor<16xi32>
  return %0 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<2454267027> : tensor<16xi64>
  %c1 = arith.constant dense<34> : tensor<16xi64>
  %c2 = arith.constant dense<31> : tensor<16xi32>
  %0 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %p = arith.muli %0, %c0 : tensor<16xi64>
  %1 = arith.shrsi %p, %c1 : tensor<16xi64>
  %q = arith.trunci %1 : tensor<16xi64> to tensor<16xi32>
  %2 = arith.shrsi %x, %c2 : tensor<16xi32>
  %3 = arith.subi %q, %2 : tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<613566757> : tensor<16xi64>
  %c1 = arith.constant dense<32> : tensor<16xi64>
  %c2 = arith.constant dense<31> : tensor<16xi32>
  %0 = arith.extsi %x : tensor<16xi32> to tensor<16xi64>
  %p = arith.muli %0, %c0 : tensor<16xi64>
  %1 = arith.shrsi %p, %c1 : tensor<16xi64>
  %q = arith.trunci %1 : tensor<16xi64> to tensor<16xi32>
  %2 = arith.shrsi %x, %c2 : tensor<16xi32>
  %3 = arith.subi %q, %2 : tensor<16xi32>
  return %3 : tensor<16xi32>
}
