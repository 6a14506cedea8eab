// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// Indices are written in runs.

// CHECK-LABEL: func.func @program
func.func @program(%x: !spatial.vectors<8 x f32>, %i: !spatial.vectors<2 x i32>)
    -> !spatial.vectors<4 x f32> attributes {spatial.lanes = 4 : i64} {
  // CHECK: %[[W:.*]] = spatial.constant dense<1.000000e+00> : tensor<4x4xf32> -> !spatial.vectors<4 x f32>
  %w = spatial.constant dense<1.0> : tensor<4x4xf32>
      -> !spatial.vectors<4 x f32>
  // CHECK: %[[A:.*]] = spatial.alu max f32(%arg0[7-1*8], 0.000000e+00) : (!spatial.vectors<8 x f32>) -> !spatial.vectors<8 x f32>
  %a = spatial.alu max f32 (%x[7-1*8], 0.0)
      : (!spatial.vectors<8 x f32>) -> !spatial.vectors<8 x f32>
  // CHECK: %[[P:.*]] = spatial.multiply f32 rows 4(%[[A]][0, 2], %[[W]][0])
  %p = spatial.multiply f32 rows 4 (%a[0, 2], %w[0])
      : (!spatial.vectors<8 x f32>, !spatial.vectors<4 x f32>)
      -> !spatial.vectors<2 x f32>
  // CHECK: %[[Q:.*]] = spatial.multiply f32 rows 4(%[[A]][0, 0], %[[W]][0], %[[P]][0, 1])
  %q = spatial.multiply f32 rows 4 (%a[0, 0], %w[0], %p[0, 1])
      : (!spatial.vectors<8 x f32>, !spatial.vectors<4 x f32>,
         !spatial.vectors<2 x f32>) -> !spatial.vectors<2 x f32>
  // CHECK: %[[M:.*]] = spatial.map [1, 4, -1, 0](%[[A]][0], %[[Q]][1])
  %m = spatial.map [1, 4, -1, 0] (%a[0], %q[1])
      : (!spatial.vectors<8 x f32>, !spatial.vectors<2 x f32>)
      -> !spatial.vectors<1 x f32>
  // CHECK: %[[T:.*]] = spatial.transpose 2(%[[A]][0, 6])
  %t = spatial.transpose 2 (%a[0, 6])
      : (!spatial.vectors<8 x f32>) -> !spatial.vectors<4 x f32>
  // CHECK: %[[G:.*]] = spatial.gather rows 3(%[[T]][1], %arg1[0, 1])
  %g = spatial.gather rows 3 (%t[1], %i[0, 1])
      : (!spatial.vectors<4 x f32>, !spatial.vectors<2 x i32>)
      -> !spatial.vectors<2 x f32>
  // CHECK: spatial.select_vectors [0, 0, 1, 0] [0, 1, 0, 1](%[[G]], %[[M]])
  %s = spatial.select_vectors [0, 0, 1, 0] [0, 1, 0, 1] (%g, %m)
      : (!spatial.vectors<2 x f32>, !spatial.vectors<1 x f32>)
      -> !spatial.vectors<4 x f32>
  return %s : !spatial.vectors<4 x f32>
}
