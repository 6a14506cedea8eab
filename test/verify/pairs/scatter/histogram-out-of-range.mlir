// A histogram of 16 counts ignores numbers out of range; the rewrite keeps four
// bits of each number.
// Wrong: 17 is counted as 1, and padding as 15.
// Right: a mask.
// relation: exact
// friendly: x = r.integers(0, 16, 32)
// witness: x = [17, 3, -5]

// before
tile.kernel @counts(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<16xi32>
        {tile.name = "y"})
    grid affine_map<()[x0, y0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<16xi32>
  %steps = tile.count %x, 0 by 16 : !tile.view<?xi32>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<16xi32>) {
    %t = tile.load %x[%k] pad -1 : !tile.view<?xi32> -> tensor<16xi32>
    %h = tile.histogram %t : tensor<16xi32> -> tensor<16xi32>
    %n = arith.addi %acc, %h : tensor<16xi32>
    scf.yield %n : tensor<16xi32>
  }
  tile.store %sum, %y[%c0] : tensor<16xi32>, !tile.view<16xi32>
}

// -----

// right
tile.kernel @counts(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<16xi32>
        {tile.name = "y"})
    grid affine_map<()[x0, y0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<16xi32>
  %steps = tile.count %x, 0 by 16 : !tile.view<?xi32>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<16xi32>) {
    %t = tile.load %x[%k] pad -1 : !tile.view<?xi32> -> tensor<16xi32>
    %c16 = arith.constant dense<16> : tensor<16xi32>
    %in = arith.cmpi ult, %t, %c16 : tensor<16xi32>
    %h = tile.histogram %t mask %in : tensor<16xi32> -> tensor<16xi32>
    %n = arith.addi %acc, %h : tensor<16xi32>
    scf.yield %n : tensor<16xi32>
  }
  tile.store %sum, %y[%c0] : tensor<16xi32>, !tile.view<16xi32>
}

// -----

// wrong
tile.kernel @counts(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<16xi32>
        {tile.name = "y"})
    grid affine_map<()[x0, y0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<16xi32>
  %steps = tile.count %x, 0 by 16 : !tile.view<?xi32>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<16xi32>) {
    %t = tile.load %x[%k] pad -1 : !tile.view<?xi32> -> tensor<16xi32>
    %c15 = arith.constant dense<15> : tensor<16xi32>
    %u = arith.andi %t, %c15 : tensor<16xi32>
    %h = tile.histogram %u : tensor<16xi32> -> tensor<16xi32>
    %n = arith.addi %acc, %h : tensor<16xi32>
    scf.yield %n : tensor<16xi32>
  }
  tile.store %sum, %y[%c0] : tensor<16xi32>, !tile.view<16xi32>
}
