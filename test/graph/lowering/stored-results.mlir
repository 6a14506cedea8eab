// Kernels that store what they read: each element of each result once.
// RUN: tilewright-opt %s --generalize-ops --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// A program holds whole rows: it adds once, and stores its part of all results.
// CHECK-LABEL: tile.kernel @k0
// CHECK-SAME: (%[[Y:.*]]: !tile.view<256x64xf32>, %[[SUM:.*]]: !tile.view<256xf32>, %[[H:.*]]: !tile.view<256x64xf32>, %{{.*}}: !tile.view<256x64xf32>, %{{.*}}: !tile.view<256x64xf32>)
// CHECK: %[[ADD:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<[[ROWS:[0-9]+]]x64xf32>
// CHECK: tile.reduce
// CHECK: %[[SUB:.*]] = arith.subf %[[ADD]],
// CHECK: tile.store %[[SUB]], %[[Y]] at [%[[ROW:.*]], %c0]
// CHECK: tile.store %{{.*}}, %[[SUM]] at [%[[ROW]]] : tensor<[[ROWS]]xf32>
// CHECK: tile.store %[[ADD]], %[[H]] at [%[[ROW]], %c0]
// CHECK-NOT: tile.kernel
func.func @rows(%x: tensor<256x64xf32>, %r: tensor<256x64xf32>) -> (tensor<256x64xf32>, tensor<256xf32>, tensor<256x64xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %d = tensor.empty() : tensor<256x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %h = linalg.add ins(%x, %r : tensor<256x64xf32>, tensor<256x64xf32>) outs(%d : tensor<256x64xf32>) -> tensor<256x64xf32>
  %a = linalg.reduce {arith.addf} ins(%h : tensor<256x64xf32>) outs(%f : tensor<256xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%a : tensor<256xf32>) outs(%d : tensor<256x64xf32>) dimensions = [1]
  %c = linalg.sub ins(%h, %b : tensor<256x64xf32>, tensor<256x64xf32>) outs(%d : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %h, %a, %c : tensor<256x64xf32>, tensor<256xf32>, tensor<256x64xf32>
}

// -----

// A program walks its rows twice. The sum of a row is stored between the walks, its
// elements in the second one only.
// CHECK-LABEL: tile.kernel @k0
// CHECK-SAME: (%[[Y:.*]]: !tile.view<256x20000xf32>, %[[SUM:.*]]: !tile.view<256xf32>, %[[H:[a-z0-9]+]]: !tile.view<256x20000xf32>,
// CHECK: scf.for
// CHECK-NOT: tile.store
// CHECK: tile.store %{{.*}}, %[[SUM]] at [%[[ROW:.*]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %c20000
// CHECK: %[[ADD:.*]] = arith.addf
// CHECK: %[[SUB:.*]] = arith.subf %[[ADD]],
// CHECK: tile.store %[[SUB]], %[[Y]] at [%[[ROW]], %[[I]]]
// CHECK: tile.store %[[ADD]], %[[H]] at [%[[ROW]], %[[I]]]
// CHECK-NOT: tile.store
// CHECK-NOT: tile.kernel
func.func @long(%x: tensor<256x20000xf32>, %r: tensor<256x20000xf32>) -> (tensor<256x20000xf32>, tensor<256xf32>, tensor<256x20000xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256xf32>
  %d = tensor.empty() : tensor<256x20000xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256xf32>) -> tensor<256xf32>
  %h = linalg.add ins(%x, %r : tensor<256x20000xf32>, tensor<256x20000xf32>) outs(%d : tensor<256x20000xf32>) -> tensor<256x20000xf32>
  %a = linalg.reduce {arith.addf} ins(%h : tensor<256x20000xf32>) outs(%f : tensor<256xf32>) dimensions = [1]
  %b = linalg.broadcast ins(%a : tensor<256xf32>) outs(%d : tensor<256x20000xf32>) dimensions = [1]
  %c = linalg.sub ins(%h, %b : tensor<256x20000xf32>, tensor<256x20000xf32>) outs(%d : tensor<256x20000xf32>) -> tensor<256x20000xf32>
  return %h, %a, %c : tensor<256x20000xf32>, tensor<256xf32>, tensor<256x20000xf32>
}

// -----

// A product and what follows it: both are stored from one tile of accumulators.
// CHECK-LABEL: tile.kernel @k0
// CHECK: %[[NEG:.*]] = arith.negf %[[DOT:.*]] : tensor
// CHECK: tile.store %[[NEG]], %arg0 at [%[[I:.*]], %[[J:.*]]]
// CHECK: tile.store %[[DOT]], %arg1 at [%[[I]], %[[J]]]
// CHECK-NOT: tile.kernel
func.func @product(%x: tensor<128x64xf32>, %w: tensor<64x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x128xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  %m = linalg.matmul ins(%x, %w : tensor<128x64xf32>, tensor<64x128xf32>) outs(%f : tensor<128x128xf32>) -> tensor<128x128xf32>
  %n = linalg.negf ins(%m : tensor<128x128xf32>) outs(%e : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %m, %n : tensor<128x128xf32>, tensor<128x128xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#transposed = affine_map<(i, j) -> (j, i)>

// The result has the other order: what is stored beside it follows the loops of
// its reader, not the dimensions of the reader's result.
// CHECK-LABEL: tile.kernel @k0
// CHECK-SAME: (%[[Y:[a-z0-9]+]]: !tile.view<64x512xf32>, %[[E:[a-z0-9]+]]: !tile.view<512x64xf32>,
// CHECK: %[[EXP:.*]] = math.exp
// CHECK: tile.store %{{.*}}, %[[Y]] at [%[[I:.*]], %[[J:.*]]]
// CHECK: tile.store %[[EXP]], %[[E]] at [%[[J]], %[[I]]]
func.func @transposed(%x: tensor<512x64xf32>) -> (tensor<512x64xf32>, tensor<64x512xf32>) {
  %d = tensor.empty() : tensor<512x64xf32>
  %e = tensor.empty() : tensor<64x512xf32>
  %a = linalg.exp ins(%x : tensor<512x64xf32>) outs(%d : tensor<512x64xf32>) -> tensor<512x64xf32>
  %b = linalg.generic {indexing_maps = [#id, #transposed], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<512x64xf32>) outs(%e : tensor<64x512xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<64x512xf32>
  return %a, %b : tensor<512x64xf32>, tensor<64x512xf32>
}
