// |x - y| of bytes, as i32, is computed in i8.
// Wrong: 100 - -100 wraps.
// Right: the greater one minus the smaller one, extended as an unsigned number.
// relation: exact
// witness: x = [100, 1]
// witness: y = [-100, 4]

// before
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi32> {
  %0 = arith.extsi %x : tensor<16xi8> to tensor<16xi32>
  %1 = arith.extsi %y : tensor<16xi8> to tensor<16xi32>
  %2 = arith.subi %0, %1 : tensor<16xi32>
  %3 = math.absi %2 : tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi32> {
  %0 = arith.maxsi %x, %y : tensor<16xi8>
  %1 = arith.minsi %x, %y : tensor<16xi8>
  %2 = arith.subi %0, %1 : tensor<16xi8>
  %3 = arith.extui %2 : tensor<16xi8> to tensor<16xi32>
  return %3 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi32> {
  %0 = arith.subi %x, %y : tensor<16xi8>
  %1 = math.absi %0 : tensor<16xi8>
  %2 = arith.extsi %1 : tensor<16xi8> to tensor<16xi32>
  return %2 : tensor<16xi32>
}
