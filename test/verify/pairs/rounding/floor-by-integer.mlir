// floor(x) becomes a conversion to i32 and back, with a correction below zero.
// Wrong: 3e9 does not fit: the conversion is poison.
// Right: numbers from 2^23 on are whole already.
// relation: near=1e-6
// witness: x = [3e9, 1.5, -2.5]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.floor %x : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<8388608.0> : tensor<16xf32>
  %c1 = arith.constant dense<0.0> : tensor<16xf32>
  %c2 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = math.absf %x : tensor<16xf32>
  %small = arith.cmpf olt, %0, %c0 : tensor<16xf32>
  %s = arith.select %small, %x, %c1 : tensor<16xi1>, tensor<16xf32>
  %1 = arith.fptosi %s : tensor<16xf32> to tensor<16xi32>
  %t = arith.sitofp %1 : tensor<16xi32> to tensor<16xf32>
  %2 = arith.cmpf ogt, %t, %s : tensor<16xf32>
  %3 = arith.subf %t, %c2 : tensor<16xf32>
  %r = arith.select %2, %3, %t : tensor<16xi1>, tensor<16xf32>
  %4 = arith.select %small, %r, %x : tensor<16xi1>, tensor<16xf32>
  return %4 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<1.0> : tensor<16xf32>
  %0 = arith.fptosi %x : tensor<16xf32> to tensor<16xi32>
  %t = arith.sitofp %0 : tensor<16xi32> to tensor<16xf32>
  %1 = arith.cmpf ogt, %t, %x : tensor<16xf32>
  %2 = arith.subf %t, %c0 : tensor<16xf32>
  %3 = arith.select %1, %2, %t : tensor<16xi1>, tensor<16xf32>
  return %3 : tensor<16xf32>
}
