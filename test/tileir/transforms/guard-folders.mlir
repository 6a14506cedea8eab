// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(guard-folders,canonicalize))' | FileCheck %s

// CHECK-LABEL: tile.kernel @zeros
// CHECK: %[[ONES:.*]] = arith.constant dense<[1.000000e+00, -1.000000e+00]>
// CHECK: %[[X:.*]] = arith.select %{{.*}}, %[[ONES]], %
// CHECK: %[[ANGLE:.*]] = math.atan2 %{{.*}}, %[[X]]
// CHECK: tile.store %[[ANGLE]]
tile.kernel @zeros(%out: !tile.view<2xf32>) {
  %c0 = arith.constant 0 : index
  %y = arith.constant dense<0.0> : tensor<2xf32>
  %x = arith.constant dense<[0.0, -0.0]> : tensor<2xf32>
  %angle = math.atan2 %y, %x : tensor<2xf32>
  tile.store %angle, %out[%c0] : tensor<2xf32>, !tile.view<2xf32>
}
