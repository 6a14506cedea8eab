// RUN: tilewright-opt %s --expand-sorts --split-input-file | FileCheck %s

// A pass for each byte of the keys; the counts before each one are its place.
// The elements are read in the order of the positions.
// CHECK-LABEL: @long
// CHECK: arith.cmpf uno
// CHECK: arith.bitcast %{{.*}} : f16 to i16
// CHECK: graph.digit_counts %[[KEYS:.*]] digit 0 block 8192 : tensor<3x20000xi16> -> tensor<3x256x3xi64>
// CHECK: tensor.collapse_shape {{.*}} into tensor<3x768xi64>
// CHECK: arith.cmpi slt
// CHECK: arith.addi
// CHECK: %[[OFFSETS:.*]] = tensor.expand_shape
// CHECK: %[[KEYS1:.*]], %[[ORDER1:.*]], %{{.*}} = graph.digit_scatter %[[KEYS]], %{{.*}} to %[[OFFSETS]] digit 0
// CHECK: graph.digit_counts %[[KEYS1]] digit 1
// CHECK: %{{.*}}, %[[ORDER:.*]], %{{.*}} = graph.digit_scatter %[[KEYS1]], %[[ORDER1]] to %{{.*}} digit 1
// CHECK-NOT: graph.digit_counts
// CHECK: linalg.generic {{.*}} ins(%[[ORDER]]
// CHECK: tensor.extract
func.func @long(%x: tensor<3x20000xf16>) -> tensor<3x20000xf16> {
  %k = graph.sort %x axis 1 : tensor<3x20000xf16>
  return %k : tensor<3x20000xf16>
}

// -----

// A kernel holds these rows.
// CHECK-LABEL: @short
// CHECK: graph.sort
// CHECK-NOT: graph.digit
func.func @short(%x: tensor<?x1024xf16>) -> tensor<?x1024xf16> {
  %k = graph.sort %x axis 1 : tensor<?x1024xf16>
  return %k : tensor<?x1024xf16>
}

// -----

// One that no kernel selects is sorted.
// CHECK-LABEL: @many
// CHECK-NOT: graph.top_k
// CHECK: graph.sort %{{.*}}, %{{.*}} axis 1 unsigned : tensor<4x900xi32>, tensor<4x900xi32>
// CHECK: tensor.extract_slice
// CHECK-NOT: graph.top_k
func.func @many(%x: tensor<4x900xf32>) -> tensor<4x100xi64> {
  %v, %i = graph.top_k %x axis 1
      : tensor<4x900xf32> -> tensor<4x100xf32>, tensor<4x100xi64>
  return %i : tensor<4x100xi64>
}

// -----

// Of a long row the 64 chunks with the greatest elements have the result: each
// has 16 of them. The last chunk is filled with what is behind all.
// CHECK-LABEL: @candidates
// CHECK: tensor.pad {{.*}} high[7]
// CHECK: tensor.expand_shape {{.*}} into tensor<625x16xi32>
// CHECK: arith.minui
// CHECK: graph.sort {{.*}} unsigned : tensor<625xi32>, tensor<625xi32>
// CHECK: graph.sort %{{.*}} axis 0 unsigned : tensor<64xi32>
// CHECK: tensor.collapse_shape {{.*}} into tensor<1024xi32>
// CHECK: graph.sort {{.*}} unsigned : tensor<1024xi32>, tensor<1024xi32>
func.func @candidates(%x: tensor<9993xf32>) -> tensor<64xf32> {
  %v, %i = graph.top_k %x axis 0
      : tensor<9993xf32> -> tensor<64xf32>, tensor<64xi64>
  return %v : tensor<64xf32>
}

// -----

// CHECK-LABEL: @selected
// CHECK: graph.top_k
func.func @selected(%x: tensor<9993xf32>) -> tensor<32xf32> {
  %v, %i = graph.top_k %x axis 0
      : tensor<9993xf32> -> tensor<32xf32>, tensor<32xi64>
  return %v : tensor<32xf32>
}
