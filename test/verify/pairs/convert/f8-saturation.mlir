// A clamp to 448 before a conversion to f8E4M3FN goes, as if the conversion
// saturated.
// Wrong: without it 500 becomes NaN.
// Right: 460 is rounded to 448 as well.
// relation: exact
// witness: x = [500, 1, -1000]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xf8E4M3FN> {
  %c0 = arith.constant dense<-448.0> : tensor<16xf32>
  %c1 = arith.constant dense<448.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  %1 = arith.minimumf %0, %c1 : tensor<16xf32>
  %2 = arith.truncf %1 : tensor<16xf32> to tensor<16xf8E4M3FN>
  return %2 : tensor<16xf8E4M3FN>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xf8E4M3FN> {
  %c0 = arith.constant dense<-460.0> : tensor<16xf32>
  %c1 = arith.constant dense<460.0> : tensor<16xf32>
  %0 = arith.maximumf %x, %c0 : tensor<16xf32>
  %1 = arith.minimumf %0, %c1 : tensor<16xf32>
  %2 = arith.truncf %1 : tensor<16xf32> to tensor<16xf8E4M3FN>
  return %2 : tensor<16xf8E4M3FN>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xf8E4M3FN> {
  %0 = arith.truncf %x : tensor<16xf32> to tensor<16xf8E4M3FN>
  return %0 : tensor<16xf8E4M3FN>
}
