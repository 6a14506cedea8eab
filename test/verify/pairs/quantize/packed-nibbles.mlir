// Two numbers are saturated to four bits each and packed; the saturation goes.
// Wrong: 9 becomes -7.
// Right: the saturation by selects.
// relation: exact
// friendly: x = r.integers(-8, 8, 16)
// friendly: y = r.integers(-8, 8, 16)
// witness: x = [9, 1]
// witness: y = [-100, 1]

// before
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<-8> : tensor<16xi8>
  %c1 = arith.constant dense<7> : tensor<16xi8>
  %c2 = arith.constant dense<4> : tensor<16xi8>
  %c3 = arith.constant dense<15> : tensor<16xi8>
  %0 = arith.maxsi %x, %c0 : tensor<16xi8>
  %h = arith.minsi %0, %c1 : tensor<16xi8>
  %1 = arith.maxsi %y, %c0 : tensor<16xi8>
  %l = arith.minsi %1, %c1 : tensor<16xi8>
  %2 = arith.shli %h, %c2 : tensor<16xi8>
  %3 = arith.andi %l, %c3 : tensor<16xi8>
  %4 = arith.ori %2, %3 : tensor<16xi8>
  return %4 : tensor<16xi8>
}

// -----

// right
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<7> : tensor<16xi8>
  %c1 = arith.constant dense<-8> : tensor<16xi8>
  %c2 = arith.constant dense<16> : tensor<16xi8>
  %c3 = arith.constant dense<15> : tensor<16xi8>
  %0 = arith.cmpi sgt, %x, %c0 : tensor<16xi8>
  %1 = arith.cmpi slt, %x, %c1 : tensor<16xi8>
  %2 = arith.select %1, %c1, %x : tensor<16xi1>, tensor<16xi8>
  %h = arith.select %0, %c0, %2 : tensor<16xi1>, tensor<16xi8>
  %3 = arith.cmpi sgt, %y, %c0 : tensor<16xi8>
  %4 = arith.cmpi slt, %y, %c1 : tensor<16xi8>
  %5 = arith.select %4, %c1, %y : tensor<16xi1>, tensor<16xi8>
  %l = arith.select %3, %c0, %5 : tensor<16xi1>, tensor<16xi8>
  %6 = arith.muli %h, %c2 : tensor<16xi8>
  %7 = arith.andi %l, %c3 : tensor<16xi8>
  %8 = arith.addi %6, %7 : tensor<16xi8>
  return %8 : tensor<16xi8>
}

// -----

// wrong
func.func @main(%x: tensor<16xi8>, %y: tensor<16xi8>) -> tensor<16xi8> {
  %c0 = arith.constant dense<4> : tensor<16xi8>
  %c1 = arith.constant dense<15> : tensor<16xi8>
  %0 = arith.shli %x, %c0 : tensor<16xi8>
  %1 = arith.andi %y, %c1 : tensor<16xi8>
  %2 = arith.ori %0, %1 : tensor<16xi8>
  return %2 : tensor<16xi8>
}
