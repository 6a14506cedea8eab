// Numbers are sorted into buckets by their lower bounds.
// Wrong: a number that is a bound goes to the bucket below it.
// Right: the inverse comparison; NaN is in none.
// relation: exact
// witness: x = [0.25, 1, -0.25]

// before
func.func @main(%x: tensor<16xf32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<-0.25> : tensor<16xf32>
  %c1 = arith.constant dense<0.25> : tensor<16xf32>
  %c2 = arith.constant dense<0.75> : tensor<16xf32>
  %0 = arith.cmpf oge, %x, %c0 : tensor<16xf32>
  %a = arith.extui %0 : tensor<16xi1> to tensor<16xi32>
  %1 = arith.cmpf oge, %x, %c1 : tensor<16xf32>
  %b = arith.extui %1 : tensor<16xi1> to tensor<16xi32>
  %2 = arith.cmpf oge, %x, %c2 : tensor<16xf32>
  %c = arith.extui %2 : tensor<16xi1> to tensor<16xi32>
  %3 = arith.addi %a, %b : tensor<16xi32>
  %4 = arith.addi %3, %c : tensor<16xi32>
  return %4 : tensor<16xi32>
}

// -----

// right
func.func @main(%x: tensor<16xf32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<-0.25> : tensor<16xf32>
  %c1 = arith.constant dense<0.25> : tensor<16xf32>
  %c2 = arith.constant dense<0.75> : tensor<16xf32>
  %c3 = arith.constant dense<3> : tensor<16xi32>
  %0 = arith.cmpf ult, %x, %c0 : tensor<16xf32>
  %a = arith.extui %0 : tensor<16xi1> to tensor<16xi32>
  %1 = arith.cmpf ult, %x, %c1 : tensor<16xf32>
  %b = arith.extui %1 : tensor<16xi1> to tensor<16xi32>
  %2 = arith.cmpf ult, %x, %c2 : tensor<16xf32>
  %c = arith.extui %2 : tensor<16xi1> to tensor<16xi32>
  %3 = arith.addi %a, %b : tensor<16xi32>
  %4 = arith.addi %3, %c : tensor<16xi32>
  %5 = arith.subi %c3, %4 : tensor<16xi32>
  return %5 : tensor<16xi32>
}

// -----

// wrong
func.func @main(%x: tensor<16xf32>) -> tensor<16xi32> {
  %c0 = arith.constant dense<-0.25> : tensor<16xf32>
  %c1 = arith.constant dense<0.25> : tensor<16xf32>
  %c2 = arith.constant dense<0.75> : tensor<16xf32>
  %0 = arith.cmpf ogt, %x, %c0 : tensor<16xf32>
  %a = arith.extui %0 : tensor<16xi1> to tensor<16xi32>
  %1 = arith.cmpf ogt, %x, %c1 : tensor<16xf32>
  %b = arith.extui %1 : tensor<16xi1> to tensor<16xi32>
  %2 = arith.cmpf ogt, %x, %c2 : tensor<16xf32>
  %c = arith.extui %2 : tensor<16xi1> to tensor<16xi32>
  %3 = arith.addi %a, %b : tensor<16xi32>
  %4 = arith.addi %3, %c : tensor<16xi32>
  return %4 : tensor<16xi32>
}
