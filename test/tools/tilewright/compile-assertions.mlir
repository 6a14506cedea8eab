// An assertion stops a kernel of a GPU, unless it is left out.
// RUN: tilewright compile %s --target sm_90a --emit ptx | FileCheck %s
// RUN: tilewright compile %s --target sm_90a --emit ptx --no-assertions \
// RUN:   | FileCheck %s --check-prefix=WITHOUT

// CHECK: call.uni __assertfail
// WITHOUT-NOT: __assertfail

tile.kernel @check(%n: i32, %y: !tile.view<4xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %positive = arith.cmpi sgt, %n, %zero : i32
  tile.assert %positive, "n is positive" : i1
  %tile = tile.splat %n : i32 -> tensor<4xi32>
  tile.store %tile, %y[%c0] : tensor<4xi32>, !tile.view<4xi32>
}
