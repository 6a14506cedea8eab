// A product of bytes becomes a kernel whose loop has K / 8 steps, rounded down.
// Wrong: what is left of K is not added.
// Right: rounded up, where padding is 0; tiles of another depth.
// relation: exact
// witness: a = full((3, 9), 2)
// witness: b = full((9, 3), 3)

// before
func.func @main(%a: tensor<?x?xi8> {graph.name = "a", graph.dims = ["M", "K"]},
                %b: tensor<?x?xi8> {graph.name = "b", graph.dims = ["K", "N"]})
    -> (tensor<?x?xi32> {graph.name = "c"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = tensor.dim %a, %c0 : tensor<?x?xi8>
  %n = tensor.dim %b, %c1 : tensor<?x?xi8>
  %e = tensor.empty(%m, %n) : tensor<?x?xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<?x?xi32>) -> tensor<?x?xi32>
  %c = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>)
      outs(%f : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %c : tensor<?x?xi32>
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
  %steps = tile.count %a, 1 by 16 : !tile.view<?x?xi8>
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<8x8xi32>) {
    %x = tile.load %a[%i, %k] pad 0 : !tile.view<?x?xi8> -> tensor<8x16xi8>
    %y = tile.load %b[%k, %j] pad 0 : !tile.view<?x?xi8> -> tensor<16x8xi8>
    %n = tile.dot %x, %y, %acc : tensor<8x16xi8>, tensor<16x8xi8> -> tensor<8x8xi32>
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
  %depth = tile.dim %a, 1 : !tile.view<?x?xi8>
  %c8 = arith.constant 8 : index
  %steps = arith.divui %depth, %c8 : index
  %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<8x8xi32>) {
    %x = tile.load %a[%i, %k] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %y = tile.load %b[%k, %j] pad 0 : !tile.view<?x?xi8> -> tensor<8x8xi8>
    %n = tile.dot %x, %y, %acc : tensor<8x8xi8>, tensor<8x8xi8> -> tensor<8x8xi32>
    scf.yield %n : tensor<8x8xi32>
  }
  tile.store %sum, %c[%i, %j] : tensor<8x8xi32>, !tile.view<?x?xi32>
}
