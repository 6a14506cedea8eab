// What one program of a kernel does, by what sets the kernel's structure.
// RUN: tilewright-opt %s --generalize-ops --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// The whole depth fits a program: one dot, whose accumulator begins with zeros.
// Rows beyond the end are padded on load and clipped on store. What follows works
// on the product's tile; a bias is one row, repeated.
// CHECK-LABEL: tile.kernel @k0_matmul
// CHECK-SAME: (%[[Y:[^:]*]]: !tile.view<?x48xf32>, %[[X:[^:]*]]: !tile.view<?x100xf32>, %[[W:[^:]*]]: !tile.view<100x48xf32>, %[[B:[^:]*]]: !tile.view<48xf32>)
// CHECK-SAME: grid affine_map<{{.*}} -> (s0 ceildiv 32)>
// CHECK: %[[I:.*]] = tile.program_id
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[I]], %c32
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<32x48xf32>
// CHECK-NEXT: %[[LHS:.*]] = tile.load %[[X]] at [%[[ROW]], %c0] pad 0.0 : {{.*}} -> tensor<32x100xf32>
// CHECK-NEXT: %[[RHS:.*]] = tile.load %[[W]] at [%c0, %c0] :
// CHECK-NEXT: %[[DOT:.*]] = tile.dot %[[LHS]], %[[RHS]], %[[ZERO]]
// CHECK-NEXT: %[[BIAS:.*]] = tile.load %[[B]] at [%c0] :
// CHECK-NEXT: %[[LINE:.*]] = tile.reshape %[[BIAS]] : tensor<48xf32> -> tensor<1x48xf32>
// CHECK-NEXT: %[[ROWS:.*]] = tile.broadcast %[[LINE]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[DOT]], %[[ROWS]]
// CHECK-NEXT: tile.store %[[SUM]], %[[Y]] at [%[[ROW]], %c0]
func.func @contraction(%x: tensor<?x100xf32>, %w: tensor<100x48xf32>, %b: tensor<48xf32>) -> tensor<?x48xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x100xf32>
  %e = tensor.empty(%n) : tensor<?x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x100xf32>, tensor<100x48xf32>) outs(%f : tensor<?x48xf32>) -> tensor<?x48xf32> loc("matmul")
  %a = linalg.broadcast ins(%b : tensor<48xf32>) outs(%e : tensor<?x48xf32>) dimensions = [0]
  %s = linalg.add ins(%m, %a : tensor<?x48xf32>, tensor<?x48xf32>) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32> loc("add")
  return %s : tensor<?x48xf32>
}

// -----

// A reduction is a loop over long pieces of few rows, whose length divides the
// row, with the rows' sums so far in an accumulator.
// CHECK-LABEL: tile.kernel @k0_sum
// CHECK-SAME: (%[[Y:[^:]*]]: !tile.view<?xf32>, %[[X:[^:]*]]: !tile.view<?x10000xf32>)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : tensor<4xf32>
// CHECK-NEXT: %[[INIT:.*]] = tile.reshape %[[ZERO]]
// CHECK-NEXT: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c10000 step %c1000 iter_args(%[[ACC:.*]] = %[[INIT]])
// CHECK-NEXT: %[[PIECE:.*]] = tile.load %[[X]] at [%{{.*}}, %[[K]]] pad -0.0 : {{.*}} -> tensor<4x1000xf32>
// CHECK-NEXT: %[[PART:.*]] = tile.reduce %[[PIECE]] axis 1
// CHECK: %[[COLUMN:.*]] = tile.reshape %[[PART]]
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[ACC]], %[[COLUMN]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[FLAT:.*]] = tile.reshape %[[SUM]]
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[FLAT]]
// CHECK-NEXT: tile.store %[[ROOT]], %[[Y]]
func.func @reduction(%x: tensor<?x10000xf32>) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x10000xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<?x10000xf32>) outs(%f : tensor<?xf32>) dimensions = [1] loc("sum")
  %b = linalg.sqrt ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32> loc("sqrt")
  return %b : tensor<?xf32>
}

// -----

// Of short rows a program has more.
// CHECK-LABEL: tile.kernel @k0_short
// CHECK: tile.load %{{.*}} pad -0.0 : {{.*}} -> tensor<128x16xf32>
func.func @short_rows(%x: tensor<?x16xf32>) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x16xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<?x16xf32>) outs(%f : tensor<?xf32>) dimensions = [1] loc("short")
  return %a : tensor<?xf32>
}

// -----

// A program that holds whole rows loads them once: the sum and what it is taken
// from read the same tile.
// CHECK-LABEL: tile.kernel @k0_sub
// CHECK-SAME: (%[[Y:[^:]*]]: {{[^%]*}}%[[X:[^:]*]]:
// CHECK: %[[ROWS:.*]] = tile.load %[[X]]
// CHECK-NOT: tile.load
// CHECK: tile.reduce %[[ROWS]] axis 1
// CHECK: %[[SUM:.*]] = tile.broadcast %{{.*}} : tensor<8x1xf32> -> tensor<8x100xf32>
// CHECK-NEXT: %[[R:.*]] = arith.subf %[[ROWS]], %[[SUM]]
// CHECK-NEXT: tile.store %[[R]], %[[Y]]
func.func @row(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %d = tensor.empty() : tensor<8x100xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] loc("sum")
  %b = linalg.broadcast ins(%a : tensor<8xf32>) outs(%d : tensor<8x100xf32>) dimensions = [1]
  %c = linalg.sub ins(%x, %b : tensor<8x100xf32>, tensor<8x100xf32>) outs(%d : tensor<8x100xf32>) -> tensor<8x100xf32> loc("sub")
  return %c : tensor<8x100xf32>
}

// -----

// Small windows are taken point by point: one load for each, which steps by the
// stride.
// CHECK-LABEL: tile.kernel @k0_pool
// CHECK-SAME: %[[X:[^:]*]]: !tile.view<1x34x4xf32>)
// CHECK: arith.constant dense<0xFF800000>
// CHECK: tile.load %[[X]] at [%c0, %c0, %c0] step [1, 2, 1]
// CHECK: arith.maximumf
// CHECK: tile.load %[[X]] at [%c0, %c1, %c0] step [1, 2, 1]
// CHECK: arith.maximumf
// CHECK: tile.load %[[X]] at [%c0, %c2, %c0] step [1, 2, 1]
// CHECK: arith.maximumf
// CHECK-NOT: tile.load
// CHECK: tile.store
func.func @window(%x: tensor<1x34x4xf32>) -> tensor<1x16x4xf32> {
  %z = arith.constant 0xFF800000 : f32
  %k = tensor.empty() : tensor<3xf32>
  %e = tensor.empty() : tensor<1x16x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x4xf32>) -> tensor<1x16x4xf32>
  %a = linalg.pooling_nwc_max {strides = dense<2> : tensor<1xi64>} ins(%x, %k : tensor<1x34x4xf32>, tensor<3xf32>) outs(%f : tensor<1x16x4xf32>) -> tensor<1x16x4xf32> loc("pool")
  return %a : tensor<1x16x4xf32>
}

// -----

// Elements of both operands are read by the op's maps: a row that repeats is
// loaded once a program. There is no loop.
// CHECK-LABEL: tile.kernel @k0_add
// CHECK-SAME: %[[X:[^:]*]]: !tile.view<?x4xf32>, %[[V:[^:]*]]: !tile.view<4xf32>) grid affine_map<{{.*}} -> (s0 ceildiv 256)>
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = tile.load %[[X]] at [%{{.*}}, %c0] pad 0.0 : {{.*}} -> tensor<256x4xf32>
// CHECK: tile.load %[[V]] at [%c0] : !tile.view<4xf32> -> tensor<4xf32>
// CHECK: %[[B:.*]] = tile.broadcast {{.*}} -> tensor<256x4xf32>
// CHECK: arith.addf %[[A]], %[[B]]
func.func @elementwise(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %a = linalg.broadcast ins(%y : tensor<4xf32>) outs(%e : tensor<?x4xf32>) dimensions = [0]
  %b = linalg.add ins(%x, %a : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32> loc("add")
  return %b : tensor<?x4xf32>
}

// -----

// Each input of a concatenation is copied to where it belongs in the result.
// CHECK-LABEL: tile.kernel @k0_concat
// CHECK: tile.store %{{.*}}, %arg1 at [%c0, %c0] : tensor<2x3xf32>, !tile.view<2x7xf32>
// CHECK-LABEL: tile.kernel @k1_concat
// CHECK: tile.store %{{.*}}, %arg1 at [%c0, %c3{{.*}}] : tensor<2x4xf32>, !tile.view<2x7xf32>
func.func @concat(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %r = tensor.concat dim(1) %x, %y : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32> loc("concat")
  return %r : tensor<2x7xf32>
}
