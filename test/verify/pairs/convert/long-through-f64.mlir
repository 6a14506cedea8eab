// A 64-bit integer is halved by way of f64.
// Wrong: f64 has 53 bits: 2^60 + 3 is rounded.
// Right: an arithmetic shift, which is corrected below zero.
// relation: exact
// witness: n = [1152921504606846979, 5]

// before
func.func @main(%n: tensor<16xi64>) -> tensor<16xi64> {
  %c0 = arith.constant dense<1> : tensor<16xi64>
  %c1 = arith.constant dense<4> : tensor<16xi64>
  %0 = arith.shli %n, %c0 : tensor<16xi64>
  %1 = arith.divsi %0, %c1 : tensor<16xi64>
  return %1 : tensor<16xi64>
}

// -----

// right
func.func @main(%n: tensor<16xi64>) -> tensor<16xi64> {
  %c0 = arith.constant dense<1> : tensor<16xi64>
  %c1 = arith.constant dense<2> : tensor<16xi64>
  %c2 = arith.constant dense<3> : tensor<16xi64>
  %c3 = arith.constant dense<0> : tensor<16xi64>
  %e = arith.shli %n, %c0 : tensor<16xi64>
  %q = arith.shrsi %e, %c1 : tensor<16xi64>
  %rest = arith.andi %e, %c2 : tensor<16xi64>
  %odd = arith.cmpi ne, %rest, %c3 : tensor<16xi64>
  %negative = arith.cmpi slt, %e, %c3 : tensor<16xi64>
  %both = arith.andi %odd, %negative : tensor<16xi1>
  %0 = arith.select %both, %c0, %c3 : tensor<16xi1>, tensor<16xi64>
  %1 = arith.addi %q, %0 : tensor<16xi64>
  return %1 : tensor<16xi64>
}

// -----

// wrong
func.func @main(%n: tensor<16xi64>) -> tensor<16xi64> {
  %c0 = arith.constant dense<1> : tensor<16xi64>
  %c1 = arith.constant dense<0.25> : tensor<16xf64>
  %0 = arith.shli %n, %c0 : tensor<16xi64>
  %f = arith.sitofp %0 : tensor<16xi64> to tensor<16xf64>
  %1 = arith.mulf %f, %c1 : tensor<16xf64>
  %2 = math.trunc %1 : tensor<16xf64>
  %3 = arith.fptosi %2 : tensor<16xf64> to tensor<16xi64>
  return %3 : tensor<16xi64>
}
