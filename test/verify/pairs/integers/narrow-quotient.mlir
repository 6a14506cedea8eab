// A division of i8 in i32 is narrowed to i8.
// Wrong: -128 / -1 is 128, which i8 does not hold.
// Right: i16 holds every quotient.
// relation: exact
// witness: x = [-128, 6]
// witness: y = [-1, 2]

// before
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi8>
  %c1 = arith.constant dense<1> : tensor<16xi8>
  %0 = arith.cmpi eq, %y, %c0 : tensor<16xi8>
  %d = arith.select %0, %c1, %y : tensor<16xi1>, tensor<16xi8>
  %1 = arith.extsi %x : tensor<16xi8> to tensor<16xi32>
  %2 = arith.extsi %d : tensor<16xi8> to tensor<16xi32>
  %3 = arith.divsi %1, %2 : tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi8>
  %c1 = arith.constant dense<1> : tensor<16xi8>
  %0 = arith.cmpi eq, %y, %c0 : tensor<16xi8>
  %d = arith.select %0, %c1, %y : tensor<16xi1>, tensor<16xi8>
  %1 = arith.extsi %x : tensor<16xi8> to tensor<16xi16>
  %2 = arith.extsi %d : tensor<16xi8> to tensor<16xi16>
  %3 = arith.divsi %1, %2 : tensor<16xi16>
  %4 = arith.extsi %3 : tensor<16xi16> to tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi32> {
  %c0 = arith.constant dense<0> : tensor<16xi8>
  %c1 = arith.constant dense<1> : tensor<16xi8>
  %0 = arith.cmpi eq, %y, %c0 : tensor<16xi8>
  %d = arith.select %0, %c1, %y : tensor<16xi1>, tensor<16xi8>
  %1 = arith.divsi %x, %d : tensor<16xi8>
  %2 = arith.extsi %1 : tensor<16xi8> to tensor<16xi32>
  return %2 : tensor<16xi32>
}
