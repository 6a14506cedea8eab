// A product is split into two halves of its depth.
// Wrong: each half has half of the steps, rounded down: an odd one is lost.
// Right: the second half goes to the end.
// relation: exact
// witness: a = full((5, 24), 2)
// witness: b = full((24, 5), 3)

// before
tile.kernel @product(
    %a: !tile.view<?x?xi8>
        {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !tile.view<?x?xi8>
        {tile.name = "b", tile.dims = ["K", "N"]},
    %c: !tile.view<?x?xi32>
        {tile.name = "c", tile.dims = ["M", "N"]})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (c0 ceildiv 8, c1 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i, %j = tile.program_id
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %steps = tile.count %a, 1 by 8 : !tile.view<?x?xi8>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<8x8xi32>) {
    %x = tile.load %a[%i, %k] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %y = tile.load %b[%k, %j] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %n = tile.dot %x, %y, %acc : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
    scf.yield %n : tensor<8x8xi32>
  }
  tile.store %sum, %c[%i, %j] : tensor<8x8xi32>, !tile.view<?x?xi32>
}

// -----

// right
tile.kernel @product(
    %a: !tile.view<?x?xi8>
        {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !tile.view<?x?xi8>
        {tile.name = "b", tile.dims = ["K", "N"]},
    %c: !tile.view<?x?xi32>
        {tile.name = "c", tile.dims = ["M", "N"]})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (c0 ceildiv 8, c1 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i, %j = tile.program_id
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %steps = tile.count %a, 1 by 8 : !tile.view<?x?xi8>
  %c2 = arith.constant 2 : index
  %half = arith.divui %steps, %c2 : index
  %first = scf.for %k = %c0 to %half step %c1 iter_args(%acc = %zero) -> (tensor<8x8xi32>) {
    %x = tile.load %a[%i, %k] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %y = tile.load %b[%k, %j] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %n = tile.dot %x, %y, %acc : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
    scf.yield %n : tensor<8x8xi32>
  }
  %sum = scf.for %k = %half to %steps step %c1 iter_args(%acc = %first) -> (tensor<8x8xi32>) {
    %x = tile.load %a[%i, %k] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %y = tile.load %b[%k, %j] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %n = tile.dot %x, %y, %acc : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
    scf.yield %n : tensor<8x8xi32>
  }
  tile.store %sum, %c[%i, %j] : tensor<8x8xi32>, !tile.view<?x?xi32>
}

// -----

// wrong
tile.kernel @product(
    %a: !tile.view<?x?xi8>
        {tile.name = "a", tile.dims = ["M", "K"]},
    %b: !tile.view<?x?xi8>
        {tile.name = "b", tile.dims = ["K", "N"]},
    %c: !tile.view<?x?xi32>
        {tile.name = "c", tile.dims = ["M", "N"]})
    grid affine_map<()[a0, a1, b0, b1, c0, c1] -> (c0 ceildiv 8, c1 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i, %j = tile.program_id
  %zero = arith.constant dense<0> : tensor<8x8xi32>
  %steps = tile.count %a, 1 by 8 : !tile.view<?x?xi8>
  %c2 = arith.constant 2 : index
  %half = arith.divui %steps, %c2 : index
  %both = arith.muli %half, %c2 : index
  %first = scf.for %k = %c0 to %half step %c1 iter_args(%acc = %zero) -> (tensor<8x8xi32>) {
    %x = tile.load %a[%i, %k] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %y = tile.load %b[%k, %j] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %n = tile.dot %x, %y, %acc : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
    scf.yield %n : tensor<8x8xi32>
  }
  %sum = scf.for %k = %half to %both step %c1 iter_args(%acc = %first) -> (tensor<8x8xi32>) {
    %x = tile.load %a[%i, %k] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %y = tile.load %b[%k, %j] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %n = tile.dot %x, %y, %acc : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
    scf.yield %n : tensor<8x8xi32>
  }
  tile.store %sum, %c[%i, %j] : tensor<8x8xi32>, !tile.view<?x?xi32>
}
