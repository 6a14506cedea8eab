// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(narrow-floats))' | FileCheck %s

// A sum and a maximum of halves that were extended to f32 need no f32.
// CHECK-LABEL: @relu
tile.kernel @relu(%x: !tile.view<64xf16>, %y: !tile.view<64xf16>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64xf16>
  // CHECK: %[[X:.*]] = tile.load
  %x0 = tile.load %x[%c0] : !tile.view<64xf16> -> tensor<64xf16>
  %wide = arith.extf %x0 : tensor<64xf16> to tensor<64xf32>
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[X]] : tensor<64xf16>
  %sum = arith.addf %wide, %wide : tensor<64xf32>
  %half = arith.truncf %sum : tensor<64xf32> to tensor<64xf16>
  %again = arith.extf %half : tensor<64xf16> to tensor<64xf32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  // CHECK: %[[MAX:.*]] = arith.maximumf %[[SUM]], %[[ZERO]] fastmath<nsz> : tensor<64xf16>
  %max = arith.maximumf %again, %zero fastmath<nsz> : tensor<64xf32>
  %r = arith.truncf %max : tensor<64xf32> to tensor<64xf16>
  // CHECK: tile.store %[[MAX]]
  tile.store %r, %y[%c0] : tensor<64xf16>, !tile.view<64xf16>
}

// A quotient may be rounded twice, 0.1 is no half, and what is used in f32
// stays there.
// CHECK-LABEL: @stays
tile.kernel @stays(%x: !tile.view<64xbf16>, %y: !tile.view<64xbf16>, %z: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %x0 = tile.load %x[%c0] : !tile.view<64xbf16> -> tensor<64xbf16>
  %wide = arith.extf %x0 : tensor<64xbf16> to tensor<64xf32>
  %tenth = arith.constant dense<0.1> : tensor<64xf32>
  // CHECK: arith.divf {{.*}} : tensor<64xf32>
  %q = arith.divf %wide, %wide : tensor<64xf32>
  %q1 = arith.truncf %q : tensor<64xf32> to tensor<64xbf16>
  tile.store %q1, %y[%c0] : tensor<64xbf16>, !tile.view<64xbf16>
  // CHECK: arith.addf {{.*}} : tensor<64xf32>
  %s = arith.addf %wide, %tenth : tensor<64xf32>
  %s1 = arith.truncf %s : tensor<64xf32> to tensor<64xbf16>
  tile.store %s1, %y[%c0] : tensor<64xbf16>, !tile.view<64xbf16>
  // CHECK: arith.mulf {{.*}} : tensor<64xf32>
  %p = arith.mulf %wide, %wide : tensor<64xf32>
  %p1 = arith.truncf %p : tensor<64xf32> to tensor<64xbf16>
  tile.store %p1, %y[%c0] : tensor<64xbf16>, !tile.view<64xbf16>
  tile.store %p, %z[%c0] : tensor<64xf32>, !tile.view<64xf32>
}
