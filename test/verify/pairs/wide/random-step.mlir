// A step of a random generator, 48271 * s mod (2^31 - 1), in 32 bits.
// Wrong: the product needs 47 bits.
// Right: with the parts of s modulo 44488.
// relation: exact
// friendly: x = r.integers(0, 9, 16)
// witness: x = [1234567, 1]

// before
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<2147483646> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %c2 = arith.constant dense<48271> : tensor<16xi64>
  %c3 = arith.constant dense<2147483647> : tensor<16xi64>
  %0 = arith.andi %x, %c0 : tensor<16xi32>
  %1 = arith.ori %0, %c1 : tensor<16xi32>
  %s = arith.extsi %1 : tensor<16xi32> to tensor<16xi64>
  %2 = arith.muli %s, %c2 : tensor<16xi64>
  %3 = arith.remsi %2, %c3 : tensor<16xi64>
  %4 = arith.trunci %3 : tensor<16xi64> to tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<2147483646> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %c2 = arith.constant dense<44488> : tensor<16xi32>
  %c3 = arith.constant dense<48271> : tensor<16xi32>
  %c4 = arith.constant dense<3399> : tensor<16xi32>
  %c5 = arith.constant dense<0> : tensor<16xi32>
  %c6 = arith.constant dense<2147483647> : tensor<16xi32>
  %0 = arith.andi %x, %c0 : tensor<16xi32>
  %s = arith.ori %0, %c1 : tensor<16xi32>
  %1 = arith.remsi %s, %c2 : tensor<16xi32>
  %2 = arith.muli %c3, %1 : tensor<16xi32>
  %3 = arith.divsi %s, %c2 : tensor<16xi32>
  %4 = arith.muli %c4, %3 : tensor<16xi32>
  %t = arith.subi %2, %4 : tensor<16xi32>
  %5 = arith.cmpi slt, %t, %c5 : tensor<16xi32>
  %6 = arith.addi %t, %c6 : tensor<16xi32>
  %r = arith.select %5, %6, %t : tensor<16xi1>, tensor<16xi32>
  %7 = arith.cmpi eq, %r, %c6 : tensor<16xi32>
  %8 = arith.select %7, %c5, %r : tensor<16xi1>, tensor<16xi32>
  return %8 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<2147483646> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %c2 = arith.constant dense<48271> : tensor<16xi32>
  %c3 = arith.constant dense<2147483647> : tensor<16xi32>
  %0 = arith.andi %x, %c0 : tensor<16xi32>
  %s = arith.ori %0, %c1 : tensor<16xi32>
  %1 = arith.muli %s, %c2 : tensor<16xi32>
  %2 = arith.remsi %1, %c3 : tensor<16xi32>
  return %2 : tensor<16xi32>
}
