// RUN: tilewright compile %s --target sm_80 --fast-math --explain-schedule -o %t.twp | FileCheck %s
// RUN: tilewright compile %s --target sm_86,sm_89,sm_120a --fast-math -o %t.twp

// Blocks of keys are short enough for two slots of each ring beside the queries
// and the mask, while it gets the layout of the scores.
// CHECK: tilegpu.copy {{.*}}1x256x32 f16
// CHECK: scf.for{{.*}} stages
// CHECK-NOT: do not fit
func.func @main(%q: tensor<16x4096x256xf16>, %k: tensor<16x256x4096xf16>, %v: tensor<16x4096x256xf16>, %m: tensor<16x4096x4096xf32>) -> tensor<16x4096x256xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %none = tensor.empty() : tensor<16x4096x4096xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<16x4096x4096xf32>) -> tensor<16x4096x4096xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<16x4096x256xf16>, tensor<16x256x4096xf16>) outs(%zeros : tensor<16x4096x4096xf32>) -> tensor<16x4096x4096xf32>
  %splat = tensor.splat %scale : tensor<16x4096x4096xf32>
  %sc = arith.mulf %scores, %splat : tensor<16x4096x4096xf32>
  %scaled = arith.addf %sc, %m : tensor<16x4096x4096xf32>
  %p = linalg.softmax dimension(2) ins(%scaled : tensor<16x4096x4096xf32>) outs(%none : tensor<16x4096x4096xf32>) -> tensor<16x4096x4096xf32>
  %w = arith.truncf %p : tensor<16x4096x4096xf32> to tensor<16x4096x4096xf16>
  %empty = tensor.empty() : tensor<16x4096x256xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x4096x256xf32>) -> tensor<16x4096x256xf32>
  %y = linalg.batch_matmul ins(%w, %v : tensor<16x4096x4096xf16>, tensor<16x4096x256xf16>) outs(%start : tensor<16x4096x256xf32>) -> tensor<16x4096x256xf32>
  return %y : tensor<16x4096x256xf32>
}
