// A product of matrices: 128 x 128 results a program, 32 of the depth a step.
tile.kernel @matmul(%A: !tile.view<?x?xf32> {tile.name = "A", tile.dims = ["M", "K"], tile.dim_divisible = array<i64: 1, 4>},
                    %B: !tile.view<?x?xf32> {tile.name = "B", tile.dims = ["K", "N"], tile.dim_divisible = array<i64: 1, 4>},
                    %C: !tile.view<?x?xf32> {tile.name = "C", tile.dims = ["M", "N"], tile.dim_divisible = array<i64: 1, 4>})
    grid affine_map<()[M,K,K2,N,M2,N2] -> (M ceildiv 128, N ceildiv 128)> {
  %i, %j = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.count %A, 1 by 32 : !tile.view<?x?xf32>
  %sum = scf.for %k = %c0 to %K step %c1 iter_args(%acc = %zero) -> tensor<128x128xf32> {
    %a = tile.load %A[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<128x32xf32>
    %b = tile.load %B[%k, %j] pad 0.0 : !tile.view<?x?xf32> -> tensor<32x128xf32>
    %n = tile.dot %a, %b, %acc : tensor<128x32xf32>, tensor<32x128xf32> -> tensor<128x128xf32>
    scf.yield %n : tensor<128x128xf32>
  }
  tile.store %sum, %C[%i, %j] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
