// When a reduction becomes the root of a kernel, and when its producers stay
// outside of it: what would be computed again for each tile is not fused. The
// reasons are Grouping.cpp's; those that have nothing to do with reductions are
// in grouping-left.mlir.
// RUN: tilewright-opt %s --generalize-ops --form-groups=explain=true --split-input-file | FileCheck %s

// Both sums would have to be the one that sets the structure of the kernel.
// CHECK-LABEL: @two_roots
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "left", reason = "the root: its consumers work on its tile", taken}
// CHECK-SAME: {op = "right", reason = "the kernel has a root already"}
func.func @two_roots(%x: tensor<64x4xf32>, %y: tensor<64x4xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.reduce {arith.addf} ins(%y : tensor<64x4xf32>) outs(%f : tensor<4xf32>) dimensions = [0] loc("right")
  %a = linalg.reduce {arith.addf} ins(%x : tensor<64x4xf32>) outs(%f : tensor<4xf32>) dimensions = [0] loc("left")
  %c = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("add")
  return %c : tensor<4xf32>
}

// -----

// Rows that a program holds whole are reduced side by side.
// CHECK-LABEL: @range
// CHECK: graph.group
// CHECK-SAME: {op = "least", reason = "the root: its consumers work on its tile", taken}
// CHECK-SAME: {op = "most", reason = "each program holds the whole row", taken}
// CHECK-NOT: graph.group
func.func @range(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.reduce {arith.maximumf} ins(%x : tensor<4x64xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("most")
  %a = linalg.reduce {arith.minimumf} ins(%x : tensor<4x64xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("least")
  %c = linalg.sub ins(%b, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("range")
  return %c : tensor<4xf32>
}

// -----

// What is subtracted behind the root is what its elements were shifted by.
// CHECK-LABEL: @logsumexp
// CHECK: graph.group
// CHECK-SAME: {op = "sum", reason = "the root: its consumers work on its tile", taken}
// CHECK-SAME: {op = "most", reason = "each program holds the whole row", taken}
// CHECK-NOT: graph.group
func.func @logsumexp(%x: tensor<4x64xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %w = tensor.empty() : tensor<4x64xf32>
  %m = linalg.reduce {arith.maximumf} ins(%x : tensor<4x64xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("most")
  %r = linalg.broadcast ins(%m : tensor<4xf32>) outs(%w : tensor<4x64xf32>) dimensions = [1]
  %d = linalg.sub ins(%x, %r : tensor<4x64xf32>, tensor<4x64xf32>) outs(%w : tensor<4x64xf32>) -> tensor<4x64xf32>
  %p = linalg.exp ins(%d : tensor<4x64xf32>) outs(%w : tensor<4x64xf32>) -> tensor<4x64xf32>
  %s = linalg.reduce {arith.addf} ins(%p : tensor<4x64xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("sum")
  %l = linalg.log ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %k = linalg.add ins(%l, %m : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("add")
  return %k : tensor<4xf32>
}

// -----

// A kernel of tiles has no room for whole rows beside its root.
// CHECK-LABEL: @row_beside_a_root
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "matmul", reason = "the root: its consumers work on its tile", taken}
// CHECK-SAME: {op = "sum", reason = "the kernel has a root already"}
func.func @row_beside_a_root(%x: tensor<8x64xf32>, %v: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %d = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %g = linalg.fill ins(%z : f32) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<8x64xf32>) outs(%f : tensor<8xf32>) dimensions = [1] loc("sum")
  %b = linalg.broadcast ins(%a : tensor<8xf32>) outs(%d : tensor<8x8xf32>) dimensions = [1] loc("broadcast")
  %m = linalg.matmul ins(%v, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%g : tensor<8x8xf32>) -> tensor<8x8xf32> loc("matmul")
  %c = linalg.sub ins(%m, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32> loc("sub")
  return %c : tensor<8x8xf32>
}

// -----

// One product repeated over rows: each tile of the result would compute it.
// CHECK-LABEL: @repeated_contraction
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "matvec", reason = "a contraction would be computed again for each tile"}
func.func @repeated_contraction(%x: tensor<8x4xf32>, %w: tensor<4xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %d = tensor.empty() : tensor<8x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.matvec ins(%x, %w : tensor<8x4xf32>, tensor<4xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32> loc("matvec")
  %b = linalg.broadcast ins(%a : tensor<8xf32>) outs(%d : tensor<8x64xf32>) dimensions = [1] loc("broadcast")
  %c = linalg.sub ins(%y, %b : tensor<8x64xf32>, tensor<8x64xf32>) outs(%d : tensor<8x64xf32>) -> tensor<8x64xf32> loc("sub")
  return %c : tensor<8x64xf32>
}

// -----

// CHECK-LABEL: @repeated_windows
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "windows", reason = "it reduces overlapping windows"}
func.func @repeated_windows(%x: tensor<10xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %d = tensor.empty() : tensor<8x64xf32>
  %k = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : tensor<10xf32>, tensor<3xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %r, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32> loc("windows")
  %b = linalg.broadcast ins(%a : tensor<8xf32>) outs(%d : tensor<8x64xf32>) dimensions = [1] loc("broadcast")
  %c = linalg.sub ins(%y, %b : tensor<8x64xf32>, tensor<8x64xf32>) outs(%d : tensor<8x64xf32>) -> tensor<8x64xf32> loc("sub")
  return %c : tensor<8x64xf32>
}

// -----

// A program holds 8192 elements at most (maxRowElements) ...
// CHECK-LABEL: @long_row
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "sum", reason = "its row is longer than a program can hold, or its length is known only at run time"}
func.func @long_row(%x: tensor<4x8193xf32>) -> tensor<4x8193xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %d = tensor.empty() : tensor<4x8193xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x8193xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("sum")
  %b = linalg.broadcast ins(%a : tensor<4xf32>) outs(%d : tensor<4x8193xf32>) dimensions = [1] loc("broadcast")
  %c = linalg.sub ins(%x, %b : tensor<4x8193xf32>, tensor<4x8193xf32>) outs(%d : tensor<4x8193xf32>) -> tensor<4x8193xf32> loc("sub")
  return %c : tensor<4x8193xf32>
}

// -----

// ... so many it takes.
// CHECK-LABEL: @longest_row
// CHECK: graph.group
// CHECK-SAME: {op = "sum", reason = "each program holds the whole row", taken}
// CHECK-NOT: graph.group
func.func @longest_row(%x: tensor<4x8192xf32>) -> tensor<4x8192xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %d = tensor.empty() : tensor<4x8192xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x8192xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("sum")
  %b = linalg.broadcast ins(%a : tensor<4xf32>) outs(%d : tensor<4x8192xf32>) dimensions = [1] loc("broadcast")
  %c = linalg.sub ins(%x, %b : tensor<4x8192xf32>, tensor<4x8192xf32>) outs(%d : tensor<4x8192xf32>) -> tensor<4x8192xf32> loc("sub")
  return %c : tensor<4x8192xf32>
}

// -----

// A row of unknown length may be longer.
// CHECK-LABEL: @unknown_row
// CHECK: {op = "sum", reason = "its row is longer than a program can hold, or its length is known only at run time"}
func.func @unknown_row(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %z = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %e = tensor.empty() : tensor<4xf32>
  %d = tensor.empty(%n) : tensor<4x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x?xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("sum")
  %b = linalg.broadcast ins(%a : tensor<4xf32>) outs(%d : tensor<4x?xf32>) dimensions = [1] loc("broadcast")
  %c = linalg.sub ins(%x, %b : tensor<4x?xf32>, tensor<4x?xf32>) outs(%d : tensor<4x?xf32>) -> tensor<4x?xf32> loc("sub")
  return %c : tensor<4x?xf32>
}

// -----

// The windows read the tiles of other programs, too.
// CHECK-LABEL: @read_again
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "sum", reason = "its result is read again by other tiles"}
func.func @read_again(%x: tensor<10x64xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<10xf32>
  %e = tensor.empty() : tensor<8xf32>
  %k = tensor.empty() : tensor<3xf32>
  %f = linalg.fill ins(%z : f32) outs(%d : tensor<10xf32>) -> tensor<10xf32>
  %g = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<10x64xf32>) outs(%f : tensor<10xf32>) dimensions = [1] loc("sum")
  %b = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %k : tensor<10xf32>, tensor<3xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %r, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32> loc("windows")
  return %b : tensor<8xf32>
}

// -----

// Each row of tiles reads all of the right side: an exp there would be computed
// once a row.
// CHECK-LABEL: @contraction_reads
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "each tile of the contraction would compute it again"}
func.func @contraction_reads(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<4x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = linalg.exp ins(%w : tensor<4x8xf32>) outs(%d : tensor<4x8xf32>) -> tensor<4x8xf32> loc("exp")
  %b = linalg.matmul ins(%x, %a : tensor<8x4xf32>, tensor<4x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32> loc("matmul")
  return %b : tensor<8x8xf32>
}

// -----

// An element lies in three windows.
// CHECK-LABEL: @windows_read
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "overlapping windows would compute it again"}
func.func @windows_read(%x: tensor<10xf32>) -> tensor<8xf32> {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<10xf32>
  %e = tensor.empty() : tensor<8xf32>
  %k = tensor.empty() : tensor<3xf32>
  %g = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<10xf32>) outs(%d : tensor<10xf32>) -> tensor<10xf32> loc("exp")
  %b = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a, %k : tensor<10xf32>, tensor<3xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %r, %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32> loc("windows")
  return %b : tensor<8xf32>
}

// -----

// A filter for each channel multiplies no matrices.
// CHECK-LABEL: @depthwise
// CHECK: graph.group
// CHECK-SAME: {op = "conv", reason = "the root, multiplied and added as it is no product of matrices: its consumers work on its tile", taken}
func.func @depthwise(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x6x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %y = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x8x8x4xf32>, tensor<3x3x4xf32>) outs(%f : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> loc("conv")
  %a = linalg.abs ins(%y : tensor<1x6x6x4xf32>) outs(%e : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> loc("abs")
  return %a : tensor<1x6x6x4xf32>
}
