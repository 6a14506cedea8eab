// (x / y) / z becomes x / (y * z): one division less.
// Wrong: y * z overflows although both quotients are small.
// Right: in f64.
// relation: near=1e-4
// witness: x = [1e30, 1]
// witness: y = [1e20, 2]
// witness: z = [1e20, 3]

// before
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %0 = arith.divf %x, %y : tensor<16xf32>
  %1 = arith.divf %0, %z : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %0 = arith.extf %x : tensor<16xf32> to tensor<16xf64>
  %1 = arith.extf %y : tensor<16xf32> to tensor<16xf64>
  %a = arith.divf %0, %1 : tensor<16xf64>
  %2 = arith.truncf %a : tensor<16xf64> to tensor<16xf32>
  %3 = arith.extf %2 : tensor<16xf32> to tensor<16xf64>
  %4 = arith.extf %z : tensor<16xf32> to tensor<16xf64>
  %q = arith.divf %3, %4 : tensor<16xf64>
  %5 = arith.truncf %q : tensor<16xf64> to tensor<16xf32>
  return %5 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>, %y: tensor<16xf32>, %z: tensor<16xf32>)
    -> tensor<16xf32> {
  %0 = arith.mulf %y, %z : tensor<16xf32>
  %1 = arith.divf %x, %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}
