// RUN: tilewright-opt %s --canonicalize --split-input-file | FileCheck %s

// Sizes that the type tells need no view.
// CHECK-LABEL: @static_sizes
// CHECK-DAG: %[[D:.*]] = arith.constant 48 : index
// CHECK-DAG: %[[C:.*]] = arith.constant 4 : index
// CHECK: tile.call @use(%[[D]], %[[D]], %[[C]])
tile.func @use(%a: index, %b: index, %c: index) {
}
tile.kernel @static_sizes(%x: !tile.view<?x48xf32>) {
  %d = tile.dim %x, 1 : !tile.view<?x48xf32>
  %s = tile.stride %x, 0 : !tile.view<?x48xf32>
  %c = tile.count %x, 1 by 13 : !tile.view<?x48xf32>
  tile.call @use(%d, %s, %c) : (index, index, index) -> ()
}

// -----

// A splat of a constant is a constant, however it is moved.
// CHECK-LABEL: @constant_splat
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<4x8xf32>
// CHECK-NEXT: tile.return %[[C]]
tile.func @constant_splat() -> tensor<4x8xf32> {
  %one = arith.constant 1.0 : f32
  %a = tile.splat %one : f32 -> tensor<1x16xf32>
  %b = tile.broadcast %a : tensor<1x16xf32> -> tensor<2x16xf32>
  %c = tile.reshape %b : tensor<2x16xf32> -> tensor<8x4xf32>
  %d = tile.transpose %c [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  tile.return %d : tensor<4x8xf32>
}

// -----

// So is a splat of a scalar that is not constant.
// CHECK-LABEL: @scalar_splat
// CHECK-NEXT: %[[S:.*]] = tile.splat %{{.*}} : f32 -> tensor<4x8xf32>
// CHECK-NEXT: tile.return %[[S]]
tile.func @scalar_splat(%s: f32) -> tensor<4x8xf32> {
  %a = tile.splat %s : f32 -> tensor<1x16xf32>
  %b = tile.broadcast %a : tensor<1x16xf32> -> tensor<2x16xf32>
  %c = tile.reshape %b : tensor<2x16xf32> -> tensor<8x4xf32>
  %d = tile.transpose %c [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  tile.return %d : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: @transpose_back
// CHECK-NEXT: tile.return %{{.*}} : tensor<2x3x4xf32>
tile.func @transpose_back(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %a = tile.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %b = tile.transpose %a [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  tile.return %b : tensor<2x3x4xf32>
}

// -----

// The permutations are composed: dimension d of the result is dimension
// inner[outer[d]] of the source.
// CHECK-LABEL: @transpose_twice
// CHECK-NEXT: tile.transpose %{{.*}} [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
tile.func @transpose_twice(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %a = tile.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %b = tile.transpose %a [1, 2, 0] : tensor<3x4x2xf32> -> tensor<4x2x3xf32>
  tile.return %b : tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: @reshape_back
// CHECK-NEXT: tile.return %{{.*}} : tensor<8x4xf32>
tile.func @reshape_back(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %a = tile.reshape %x : tensor<8x4xf32> -> tensor<2x16xf32>
  %b = tile.reshape %a : tensor<2x16xf32> -> tensor<8x4xf32>
  tile.return %b : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: @broadcast_twice
// CHECK-NEXT: tile.broadcast %{{.*}} : tensor<1x1xf32> -> tensor<8x4xf32>
tile.func @broadcast_twice(%x: tensor<1x1xf32>) -> tensor<8x4xf32> {
  %a = tile.broadcast %x : tensor<1x1xf32> -> tensor<8x1xf32>
  %b = tile.broadcast %a : tensor<8x1xf32> -> tensor<8x4xf32>
  tile.return %b : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: @nothing_to_do
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[P:.*]]: !tile.ptr<f32>, %[[Y:.*]]: tensor<8xf32>)
// CHECK-NEXT: tile.return %[[X]], %[[P]], %[[Y]], %[[P]]
tile.func @nothing_to_do(%x: tensor<8xf32>, %p: !tile.ptr<f32>, %y: tensor<8xf32>)
    -> (tensor<8xf32>, !tile.ptr<f32>, tensor<8xf32>, !tile.ptr<f32>) {
  %a = tile.slice %x [0] : tensor<8xf32> -> tensor<8xf32>
  %b = tile.concat %a axis 0 : tensor<8xf32> -> tensor<8xf32>
  %c = tile.convert %b : tensor<8xf32> -> tensor<8xf32>
  %zero = arith.constant 0 : index
  %q = tile.offset %p, %zero : !tile.ptr<f32>, index
  %r = tile.ptr_cast %q : !tile.ptr<f32> -> !tile.ptr<f32>
  %j = tile.join %x, %y : tensor<8xf32>, tensor<8xf32> -> tensor<8x2xf32>
  %s:2 = tile.split %j : tensor<8x2xf32> -> tensor<8xf32>, tensor<8xf32>
  %n = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %t = tile.int_to_ptr %n : i64 -> !tile.ptr<f32>
  tile.return %c, %r, %s#1, %t : tensor<8xf32>, !tile.ptr<f32>, tensor<8xf32>, !tile.ptr<f32>
}

// -----

// A saturating conversion is kept: it changes infinities.
// CHECK-LABEL: @saturating_convert
// CHECK-NEXT: tile.convert
tile.func @saturating_convert(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = tile.convert %x saturate : tensor<8xf32> -> tensor<8xf32>
  tile.return %a : tensor<8xf32>
}

// -----

// CHECK-LABEL: @extract_splat
// CHECK-NEXT: tile.return %{{.*}} : f32
tile.func @extract_splat(%s: f32, %i: index) -> f32 {
  %a = tile.splat %s : f32 -> tensor<8xf32>
  %b = tile.extract %a[%i] : tensor<8xf32>
  tile.return %b : f32
}

// -----

// An assertion that holds is dropped, one that is not known stays.
// CHECK-LABEL: @assertions
// CHECK-NOT: "holds"
// CHECK: "unknown"
tile.func @assertions(%m: i1) {
  %true = arith.constant dense<true> : tensor<4xi1>
  tile.assert %true, "holds" : tensor<4xi1>
  tile.assert %m, "unknown" : i1
}
