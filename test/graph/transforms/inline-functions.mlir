// RUN: tilewright-opt %s --inline-functions | FileCheck %s

// The public function that no other calls is the entry. What it calls is
// inlined, through several levels, and removed.
// CHECK: module {
// CHECK-NEXT: func.func @forward(%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[A:.*]] = math.exp %[[X]]
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[A]]
// CHECK-NEXT: return %[[B]]
// CHECK-NOT: func.func
func.func private @exp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = math.exp %x : tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %b = arith.addf %a, %a : tensor<4xf32>
  return %b : tensor<4xf32>
}
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = func.call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
