// ptxas says where the registers of a GPU do not suffice. No package can pass
// pointers: texts and cubins need none.
// REQUIRES: ptxas
// RUN: rm -rf %t && tilewright compile %s --target sm_80 --schedule warps=1 \
// RUN:   --emit cubin -o %t --ptxas %ptxas 2>&1 | FileCheck %s
// RUN: tilewright compile %s --target sm_80 --schedule warps=8 --emit cubin \
// RUN:   -o %t --ptxas %ptxas 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilewright compile %s --target sm_80 -o %t.twp 2>&1 | FileCheck %s --check-prefix=POINTERS

// CHECK: warning: kernel 'power' for sm_80: registers do not suffice: {{[0-9]+}} bytes spill stores, {{[0-9]+}} bytes spill loads a thread; smaller tiles or more warps may be faster
// CHECK: 1 cubin ->
// NONE-NOT: warning
// POINTERS: compile-cubin-spills.mlir:15:{{[0-9]+}}: error: {{.*}}a package passes views

tile.kernel @power(%p: !tile.ptr<f64>, %y: !tile.view<64x128xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %x = tile.make_view %p sizes [] : !tile.ptr<f64> -> !tile.view<64x128xf64>
  %t = tile.load %x[%c0, %c0] : !tile.view<64x128xf64> -> tensor<64x128xf64>
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%a = %t) -> tensor<64x128xf64> {
    %l = tile.load %x[%c0, %c0] : !tile.view<64x128xf64> -> tensor<64x128xf64>
    %s = arith.mulf %a, %l : tensor<64x128xf64>
    scf.yield %s : tensor<64x128xf64>
  }
  tile.store %r, %y[%c0, %c0] : tensor<64x128xf64>, !tile.view<64x128xf64>
}
