// Rounding of f32 to bf16 in integers: add 0x7fff and the last bit kept, take
// the upper half.
// Wrong: the sum makes of NaN 0x7fffffff a -0, and of 0x7f800001 an infinity.
// Right: a NaN is replaced by the quiet one.
// seen: gorse-io/gorse#1240, dotnet/runtime#130583
// relation: exact
// witness: x = bits(0x7fffffff, 0x7f800001, 0x3f800000)

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xbf16> {
  %0 = arith.truncf %x : tensor<16xf32> to tensor<16xbf16>
  return %0 : tensor<16xbf16>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xbf16> {
  %c0 = arith.constant dense<16> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %c2 = arith.constant dense<32767> : tensor<16xi32>
  %c3 = arith.constant dense<32704> : tensor<16xi32>
  %b = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %0 = arith.shrui %b, %c0 : tensor<16xi32>
  %odd = arith.andi %0, %c1 : tensor<16xi32>
  %1 = arith.addi %b, %odd : tensor<16xi32>
  %2 = arith.addi %1, %c2 : tensor<16xi32>
  %r = arith.shrui %2, %c0 : tensor<16xi32>
  %number = arith.cmpf ord, %x, %x : tensor<16xf32>
  %3 = arith.select %number, %r, %c3 : tensor<16xi1>, tensor<16xi32>
  %4 = arith.trunci %3 : tensor<16xi32> to tensor<16xi16>
  %5 = arith.bitcast %4 : tensor<16xi16> to tensor<16xbf16>
  return %5 : tensor<16xbf16>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xbf16> {
  %c0 = arith.constant dense<16> : tensor<16xi32>
  %c1 = arith.constant dense<1> : tensor<16xi32>
  %c2 = arith.constant dense<32767> : tensor<16xi32>
  %b = arith.bitcast %x : tensor<16xf32> to tensor<16xi32>
  %0 = arith.shrui %b, %c0 : tensor<16xi32>
  %odd = arith.andi %0, %c1 : tensor<16xi32>
  %1 = arith.addi %b, %odd : tensor<16xi32>
  %2 = arith.addi %1, %c2 : tensor<16xi32>
  %3 = arith.shrui %2, %c0 : tensor<16xi32>
  %4 = arith.trunci %3 : tensor<16xi32> to tensor<16xi16>
  %5 = arith.bitcast %4 : tensor<16xi16> to tensor<16xbf16>
  return %5 : tensor<16xbf16>
}
