// 2^n is built from the bits of a float: (n + 127) << 23.
// Wrong: below -126 the result is subnormal, and above 127 infinite.
// Right: two factors, each in range.
// relation: exact
// witness: n = [-140, 128, 3]

// before
func.func @main(%n: tensor<16xi32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-300> : tensor<16xi32>
  %c1 = arith.constant dense<300> : tensor<16xi32>
  %0 = arith.maxsi %n, %c0 : tensor<16xi32>
  %k = arith.minsi %0, %c1 : tensor<16xi32>
  %1 = arith.sitofp %k : tensor<16xi32> to tensor<16xf32>
  %2 = math.exp2 %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// right
func.func @main(%n: tensor<16xi32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-250> : tensor<16xi32>
  %c1 = arith.constant dense<250> : tensor<16xi32>
  %c2 = arith.constant dense<1> : tensor<16xi32>
  %c3 = arith.constant dense<127> : tensor<16xi32>
  %c4 = arith.constant dense<23> : tensor<16xi32>
  %0 = arith.maxsi %n, %c0 : tensor<16xi32>
  %k = arith.minsi %0, %c1 : tensor<16xi32>
  %h = arith.shrsi %k, %c2 : tensor<16xi32>
  %r = arith.subi %k, %h : tensor<16xi32>
  %1 = arith.addi %h, %c3 : tensor<16xi32>
  %2 = arith.shli %1, %c4 : tensor<16xi32>
  %a = arith.bitcast %2 : tensor<16xi32> to tensor<16xf32>
  %3 = arith.addi %r, %c3 : tensor<16xi32>
  %4 = arith.shli %3, %c4 : tensor<16xi32>
  %b = arith.bitcast %4 : tensor<16xi32> to tensor<16xf32>
  %5 = arith.mulf %a, %b : tensor<16xf32>
  return %5 : tensor<16xf32>
}

// -----

// wrong
func.func @main(%n: tensor<16xi32>) -> tensor<16xf32> {
  %c0 = arith.constant dense<-300> : tensor<16xi32>
  %c1 = arith.constant dense<300> : tensor<16xi32>
  %c2 = arith.constant dense<127> : tensor<16xi32>
  %c3 = arith.constant dense<23> : tensor<16xi32>
  %0 = arith.maxsi %n, %c0 : tensor<16xi32>
  %k = arith.minsi %0, %c1 : tensor<16xi32>
  %1 = arith.addi %k, %c2 : tensor<16xi32>
  %2 = arith.shli %1, %c3 : tensor<16xi32>
  %3 = arith.bitcast %2 : tensor<16xi32> to tensor<16xf32>
  return %3 : tensor<16xf32>
}
