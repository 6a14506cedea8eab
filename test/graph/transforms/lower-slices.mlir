// RUN: tilewright-opt %s --lower-slices --split-input-file | FileCheck %s

// A load does these: they stay.
// CHECK-LABEL: @loads
// CHECK: tensor.extract_slice
// CHECK: tensor.pad
// CHECK-NOT: linalg.generic
func.func @loads(%x: tensor<9xf32>) -> tensor<7xf32> {
  %z = arith.constant 0.0 : f32
  %a = tensor.extract_slice %x[1] [4] [2] : tensor<9xf32> to tensor<4xf32>
  %b = tensor.pad %a low[2] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<7xf32>
  return %b : tensor<7xf32>
}

// -----

// Backwards, and from where data says.
// CHECK-LABEL: @reads
// CHECK-NOT: tensor.extract_slice
// CHECK-COUNT-2: tensor.extract %{{.*}}[
func.func @reads(%x: tensor<9xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tensor.extract_slice %x[8] [4] [-2] : tensor<9xf32> to tensor<4xf32>
  %b = tensor.extract_slice %x[%n] [4] [1] : tensor<9xf32> to tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// The source is padded to the size of the result: a load reads it.
// CHECK-LABEL: @insert
// CHECK: %[[P:.*]] = tensor.pad %{{.*}} low[2] high[3]
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[P]] :
// CHECK: arith.select
func.func @insert(%x: tensor<4xf32>, %y: tensor<9xf32>) -> tensor<9xf32> {
  %r = tensor.insert_slice %x into %y[2] [4] [1] : tensor<4xf32> into tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

// What stands around the source depends on the index.
// CHECK-LABEL: @pad
// CHECK-NOT: tensor.pad
// CHECK: linalg.generic
// CHECK: arith.select
func.func @pad(%x: tensor<4xi32>) -> tensor<6xi32> {
  %r = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } : tensor<4xi32> to tensor<6xi32>
  return %r : tensor<6xi32>
}
