// RUN: tilewright-opt %s --define-content | FileCheck %s

// Content that is read is written: zeros. A destination that nothing reads
// stays empty.
// CHECK-LABEL: @read
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[Z:.*]] = linalg.fill ins(%{{.*}} : f32)
// CHECK: linalg.generic {{.*}} ins(%[[Z]] : tensor<4xf32>) outs(%[[E]] : tensor<4xf32>)
// CHECK: return %{{.*}}, %[[Z]]
func.func @read() -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%e : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %r, %e : tensor<4xf32>, tensor<4xf32>
}
