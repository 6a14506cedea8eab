// What a schedule makes of a product on the cpu: its loops.
// RUN: tilewright compile %s --emit loops \
// RUN:   --schedule "rows=2 vectors=1 packlhs=1 packrhs=1" \
// RUN:   | FileCheck %s --check-prefix=PLAIN
// RUN: tilewright compile %s --emit loops \
// RUN:   --schedule "rows=2 vectors=1 packrhs=2" \
// RUN:   | FileCheck %s --check-prefix=PACKED
// RUN: tilewright compile %s --emit loops \
// RUN:   --schedule "rows=2 vectors=1 packrhs=1 unroll=4" \
// RUN:   | FileCheck %s --check-prefix=UNROLLED
// RUN: tilewright compile %s --emit loops \
// RUN:   --schedule "rows=2 vectors=1 packrhs=1 order=1" \
// RUN:   | FileCheck %s --check-prefix=ORDERED
// RUN: sed 's/<6x/<48x/g' %s > %t.mlir
// RUN: not tilewright compile %t.mlir --emit loops --schedule "rows=64" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REJECTED
// RUN: not tilewright compile %s --emit loops --schedule "warps=2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FOREIGN

// Rows outside: 6 rows in blocks of 2; columns inside, then the depth, 10 steps
// with two sums.
// PLAIN-LABEL: func.func @product
// PLAIN: scf.for %{{.*}} = %c0{{.*}} to %c6{{.*}} step %c2
// PLAIN: scf.for %{{.*}} = %c0{{.*}} to %c64{{.*}} step
// PLAIN: scf.for %{{.*}} = %c0{{.*}} to %c10{{.*}} step %c1{{.*}} iter_args
// PLAIN-COUNT-2: math.fma
// PLAIN-NOT: math.fma
// PLAIN: llvm.loop_annotation

// The right side is copied before: one vector for each step of the depth.
// PACKED-LABEL: func.func @product
// PACKED: scf.for %{{.*}} = %c0{{.*}} to %c10{{.*}} step %c1
// PACKED: llvm.store
// PACKED: scf.for %{{.*}} = %c0{{.*}} to %c6{{.*}} step %c2
// PACKED-COUNT-2: math.fma
// PACKED-NOT: math.fma

// Two iterations of four steps, and the two that remain.
// UNROLLED-LABEL: func.func @product
// UNROLLED: scf.for %{{.*}} = %c0{{.*}} to %c8{{.*}} step %c4{{.*}} iter_args
// UNROLLED-COUNT-8: math.fma
// UNROLLED: scf.for %{{.*}} = %c8{{.*}} to %c10{{.*}} step %c1{{.*}} iter_args
// UNROLLED-COUNT-2: math.fma
// UNROLLED-NOT: math.fma

// No loop over columns inside that over rows.
// ORDERED-LABEL: func.func @product
// ORDERED: scf.for %{{.*}} = %c0{{.*}} to %c6{{.*}} step %c2
// ORDERED-NOT: to %c64
// ORDERED: math.fma

// No more rows than there are.
// REJECTED: error: {{.*}}schedule: a block of 48 rows and 1 vectors takes 50 vector registers (48 accumulators, 1 of the right side and 1 of the left), the machine has {{[0-9]+}}
// FOREIGN: error: schedule: 'warps' is a parameter for GPUs; for CPUs there are rows,

tile.kernel @product(%a: !tile.view<6x10xf32>, %b: !tile.view<10x64xf32>,
                     %c: !tile.view<6x64xf32>) {
  %z = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<6x64xf32>
  %x = tile.load %a[%z, %z] : !tile.view<6x10xf32> -> tensor<6x10xf32>
  %y = tile.load %b[%z, %z] : !tile.view<10x64xf32> -> tensor<10x64xf32>
  %p = tile.dot %x, %y, %zero : tensor<6x10xf32>, tensor<10x64xf32> -> tensor<6x64xf32>
  tile.store %p, %c[%z, %z] : tensor<6x64xf32>, !tile.view<6x64xf32>
}
