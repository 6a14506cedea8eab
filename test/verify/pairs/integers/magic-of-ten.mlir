// x / 10 of an unsigned i16 becomes the upper half of a product with 6554.
// Wrong: 16 bits of the magic number are too few from 16389 on.
// Right: 19 bits.
// relation: exact
// friendly: x = r.integers(0, 100, 16)
// witness: x = [16389, 100]

// before
func.func @main(%x: tensor<16xi16>) -> tensor<16xi16> {
  %c0 = arith.constant dense<32767> : tensor<16xi16>
  %c1 = arith.constant dense<10> : tensor<16xi16>
  %0 = arith.andi %x, %c0 : tensor<16xi16>
  %1 = arith.divui %0, %c1 : tensor<16xi16>
  return %1 : tensor<16xi16>
}

// -----

// right
func.func @main(%x: tensor<16xi16>) -> tensor<16xi16> {
  %c0 = arith.constant dense<32767> : tensor<16xi16>
  %c1 = arith.constant dense<52429> : tensor<16xi32>
  %c2 = arith.constant dense<19> : tensor<16xi32>
  %0 = arith.andi %x, %c0 : tensor<16xi16>
  %1 = arith.extui %0 : tensor<16xi16> to tensor<16xi32>
  %2 = arith.muli %1, %c1 : tensor<16xi32>
  %3 = arith.shrui %2, %c2 : tensor<16xi32>
  %4 = arith.trunci %3 : tensor<16xi32> to tensor<16xi16>
  return %4 : tensor<16xi16>
}

// -----

// wrong
func.func @main(%x: tensor<16xi16>) -> tensor<16xi16> {
  %c0 = arith.constant dense<32767> : tensor<16xi16>
  %c1 = arith.constant dense<6554> : tensor<16xi32>
  %c2 = arith.constant dense<16> : tensor<16xi32>
  %0 = arith.andi %x, %c0 : tensor<16xi16>
  %1 = arith.extui %0 : tensor<16xi16> to tensor<16xi32>
  %2 = arith.muli %1, %c1 : tensor<16xi32>
  %3 = arith.shrui %2, %c2 : tensor<16xi32>
  %4 = arith.trunci %3 : tensor<16xi32> to tensor<16xi16>
  return %4 : tensor<16xi16>
}
