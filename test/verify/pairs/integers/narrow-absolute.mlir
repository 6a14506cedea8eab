// |x| of an i8, as i32: the absolute value is taken before the extension.
// Wrong: |-128| wraps to -128 in i8.
// Right: it is extended as an unsigned number.
// relation: exact
// witness: x = [-128, 5]

// before
func.func @main(%x: tensor<16xi8>) -> tensor<16xi32> {
  %0 = arith.extsi %x : tensor<16xi8> to tensor<16xi32>
  %1 = math.absi %0 : tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi8>) -> tensor<16xi32> {
  %0 = math.absi %x : tensor<16xi8>
  %1 = arith.extui %0 : tensor<16xi8> to tensor<16xi32>
  return %1 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi8>) -> tensor<16xi32> {
  %0 = math.absi %x : tensor<16xi8>
  %1 = arith.extsi %0 : tensor<16xi8> to tensor<16xi32>
  return %1 : tensor<16xi32>
}
