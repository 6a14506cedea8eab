// A shift that gives 0 from 32 on becomes the machine's, which masks the
// amount.
// Wrong: 1 << 32 is 1.
// Right: two shifts of at most 31 and 1.
// relation: exact
// friendly: y = r.integers(0, 31, 16)
// witness: x = [1, 5]
// witness: y = [32, 40]

// before
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32> : tensor<16xi32>
  %c1 = arith.constant dense<0> : tensor<16xi32>
  %big = arith.cmpi uge, %y, %c0 : tensor<16xi32>
  %s = arith.select %big, %c1, %y : tensor<16xi1>, tensor<16xi32>
  %0 = arith.shli %x, %s : tensor<16xi32>
  %1 = arith.select %big, %c1, %0 : tensor<16xi1>, tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<32> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %big = arith.cmpi uge, %y, %c0 : tensor<16xi32>
  %s = arith.minui %y, %c0 : tensor<16xi32>
  %h = arith.shrui %s, %c1 : tensor<16xi32>
  %0 = arith.shli %x, %h : tensor<16xi32>
  %1 = arith.subi %s, %h : tensor<16xi32>
  %2 = arith.shli %0, %1 : tensor<16xi32>
  return %2 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>, %y: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<31> : tensor<16xi32>
  %0 = arith.andi %y, %c0 : tensor<16xi32>
  %1 = arith.shli %x, %0 : tensor<16xi32>
  return %1 : tensor<16xi32>
}
