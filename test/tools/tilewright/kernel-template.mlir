// A tile kernel whose numbers are open: by lines of a template, and by
// tile.tunable. A schedule says them, for each target its own; what it leaves
// out is the first value.
// RUN: tilewright compile %s --emit tile | FileCheck %s --check-prefix=FIRST
// RUN: tilewright compile %s --emit tile --target sm_80,cpu \
// RUN:   --schedule "rows=2 warps=2 BM=16 depth=2" \
// RUN:   | FileCheck %s --check-prefix=GIVEN
// RUN: not tilewright compile %s --emit tile --schedule "BQ=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright compile %s --emit tile --schedule "BM=24" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ILLEGAL
// RUN: not tilewright compile %s --emit tile --schedule "depth=3" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STEP
// RUN: sed 's/tunable BM =/tunable BM/' %s > %t.mlir
// RUN: not tilewright compile %t.mlir --emit tile 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MALFORMED
// RUN: sed 's/tile.load/tile.lead/' %s > %t.mlir
// RUN: not tilewright compile %t.mlir --emit tile 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BROKEN

// FIRST: grid {{.*}}s0 ceildiv 32
// FIRST: tensor<32x48xf32>
// FIRST: %[[DEPTH:.*]] = arith.constant 1 : index
// FIRST: scf.for {{.*}} step %[[DEPTH]] iter
// FIRST: tensor<32x20xf32>
// FIRST-NOT: tile.kernel

// Both targets' kernels are the same.
// GIVEN: grid {{.*}}s0 ceildiv 16
// GIVEN: %[[DEPTH:.*]] = arith.constant 2 : index
// GIVEN: scf.for {{.*}} step %[[DEPTH]] iter
// GIVEN: tensor<16x20xf32>
// GIVEN-NOT: tile.kernel

// UNKNOWN: kernel-template.mlir:[[#]]:[[#]]: error: there is no tunable 'BQ' of kernel 'product'; it has BM, depth
// ILLEGAL: kernel-template.mlir: error: tunable 'BM' is given 24, expected one of 32, 16, 48
// STEP: kernel-template.mlir:[[#]]:[[#]]: error: tunable 'depth' is given 3, expected one of 1, 2
// MALFORMED: .mlir:[[#]]: error: expected 'tunable NAME = 1, 2, ...'
// The line is the file's.
// BROKEN: .mlir:[[#]]:[[#]]: error: custom op 'tile.lead' is unknown

// tunable BM = 32, 16, 48
tile.kernel @product(%a: !tile.view<96x80xf32>, %b: !tile.view<80x48xf32>,
                     %c: !tile.view<96x48xf32>)
    grid affine_map<()[M, K, K1, N, M1, N1] -> (M ceildiv ${BM})> {
  %i = tile.program_id
  %z = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<${BM}x48xf32>
  %depth = tile.tunable "depth" of [1, 2]
  // "depth" pieces of the depth a turn.
  %sum = scf.for %k = %z to %n step %depth iter_args(%acc = %zero) -> tensor<${BM}x48xf32> {
    %end = arith.addi %k, %depth : index
    %turn = scf.for %j = %k to %end step %one iter_args(%part = %acc) -> tensor<${BM}x48xf32> {
      %x = tile.load %a[%i, %j] pad 0.0 : !tile.view<96x80xf32> -> tensor<${BM}x20xf32>
      %y = tile.load %b[%j, %z] pad 0.0 : !tile.view<80x48xf32> -> tensor<20x48xf32>
      %p = tile.dot %x, %y, %part : tensor<${BM}x20xf32>, tensor<20x48xf32> -> tensor<${BM}x48xf32>
      scf.yield %p : tensor<${BM}x48xf32>
    }
    scf.yield %turn : tensor<${BM}x48xf32>
  }
  tile.store %sum, %c[%i, %z] : tensor<${BM}x48xf32>, !tile.view<96x48xf32>
}
