func.func @main(%x: tensor<256xi32> {graph.name = "a"},
                %y: tensor<256xi32> {graph.name = "b"})
    -> (tensor<2048xi32> {graph.name = "out"}) {
  %c0 = arith.constant dense<0> : tensor<256xi32>
  %c7 = arith.constant dense<7> : tensor<256xi32>
  %c15 = arith.constant dense<15> : tensor<256xi32>
  %c20 = arith.constant dense<20> : tensor<256xi64>
  %c1000 = arith.constant dense<1000> : tensor<256xi32>
  %is_zero = arith.cmpi eq, %y, %c0 : tensor<256xi32>
  %safe = arith.select %is_zero, %c7, %y : tensor<256xi1>, tensor<256xi32>
  %quotient = arith.divsi %x, %safe : tensor<256xi32>
  %rest = arith.remsi %x, %safe : tensor<256xi32>
  %low, %high = arith.mului_extended %x, %y : tensor<256xi32>
  %by7 = arith.andi %y, %c7 : tensor<256xi32>
  %by15 = arith.andi %y, %c15 : tensor<256xi32>
  %left = arith.shli %x, %by7 : tensor<256xi32>
  %right = arith.shrsi %x, %by15 : tensor<256xi32>
  %shifts = arith.xori %left, %right : tensor<256xi32>
  %minus = arith.subi %c0, %y : tensor<256xi32>
  %most = arith.maxsi %x, %minus : tensor<256xi32>
  %clamped = arith.minsi %most, %c1000 : tensor<256xi32>
  %x64 = arith.extsi %x : tensor<256xi32> to tensor<256xi64>
  %y64 = arith.extsi %y : tensor<256xi32> to tensor<256xi64>
  %product = arith.muli %x64, %y64 : tensor<256xi64>
  %shifted = arith.shrsi %product, %c20 : tensor<256xi64>
  %middle = arith.trunci %shifted : tensor<256xi64> to tensor<256xi32>
  %x16 = arith.trunci %x : tensor<256xi32> to tensor<256xi16>
  %y16 = arith.trunci %y : tensor<256xi32> to tensor<256xi16>
  %narrow = arith.muli %x16, %y16 : tensor<256xi16>
  %product16 = arith.extsi %narrow : tensor<256xi16> to tensor<256xi32>
  %thousandths = arith.divui %x, %c1000 : tensor<256xi32>
  %out = tensor.concat dim(0) %quotient, %rest, %high, %shifts, %clamped,
      %middle, %product16, %thousandths
      : (tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>,
         tensor<256xi32>, tensor<256xi32>, tensor<256xi32>, tensor<256xi32>)
      -> tensor<2048xi32>
  return %out : tensor<2048xi32>
}
