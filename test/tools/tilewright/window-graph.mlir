// Small windows are code without loops, and no products of matrices.
// RUN: tilewright compile %s --emit tile | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: tilewright compile %s --target sm_80 --emit tile | FileCheck %s --check-prefixes=CHECK,GPU

// Each line of the window is summed by itself, and then all.
// CHECK-LABEL: tile.kernel @{{.*}}depthwise
// CHECK-NOT: scf.for
// CHECK-NOT: tile.dot
// CHECK-COUNT-6: math.fma
// CHECK: arith.addf
// CHECK-COUNT-3: math.fma
// CHECK: arith.addf
// CHECK-NOT: math.fma
// CHECK: tile.store

// CHECK-LABEL: tile.kernel @{{.*}}pooling
// CHECK-NOT: scf.for
// CPU-COUNT-4: tile.load
// GPU: tile.load
// GPU-COUNT-4: tile.slice
// CHECK: tile.store

func.func @main(%x: tensor<1x8x18x18xf32> {graph.name = "x"},
                %w: tensor<8x3x3xf32> {graph.name = "w"})
    -> (tensor<1x8x8x8xf32> {graph.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<1x8x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32>
  %c = linalg.depthwise_conv_2d_nchw_chw
      ins(%x, %w : tensor<1x8x18x18xf32>, tensor<8x3x3xf32>)
      outs(%f : tensor<1x8x16x16xf32>) -> tensor<1x8x16x16xf32> loc("depthwise")
  %window = tensor.empty() : tensor<2x2xf32>
  %pe = tensor.empty() : tensor<1x8x8x8xf32>
  %pf = linalg.fill ins(%least : f32) outs(%pe : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  %y = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>}
      ins(%c, %window : tensor<1x8x16x16xf32>, tensor<2x2xf32>)
      outs(%pf : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> loc("pooling")
  return %y : tensor<1x8x8x8xf32>
}
