// Why an op is taken into a kernel: each reason that Grouping.cpp gives. What
// the groups look like is in ../transforms/form-groups.mlir.
// RUN: tilewright-opt %s --generalize-ops --form-groups=explain=true --split-input-file | FileCheck %s

// Both ops go over the same elements.
// CHECK-LABEL: @elementwise
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "exp", reason = "same iteration space", taken}
// CHECK-NOT: graph.group
func.func @elementwise(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("exp")
  %b = linalg.negf ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("neg")
  return %b : tensor<8xf32>
}

// -----

// What works on the tile of a contraction is taken with it.
// CHECK-LABEL: @root
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "matmul", reason = "the root: its consumers work on its tile", taken}
// CHECK-NOT: graph.group
func.func @root(%x: tensor<8x4xf32>, %w: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32> loc("matmul")
  %b = linalg.negf ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32> loc("neg")
  return %b : tensor<8x8xf32>
}

// -----

// x - sum(x): the row of the result is the row that is summed, so that each
// program holds both. The kernel needs no root.
// CHECK-LABEL: @row
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "broadcast", reason = "no arithmetic: read through its indexing map", taken}
// CHECK-SAME: {op = "sum", reason = "each program holds the whole row", taken}
// CHECK-NOT: graph.group
func.func @row(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %d = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x64xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("sum")
  %b = linalg.broadcast ins(%a : tensor<4xf32>) outs(%d : tensor<4x64xf32>) dimensions = [1] loc("broadcast")
  %c = linalg.sub ins(%x, %b : tensor<4x64xf32>, tensor<4x64xf32>) outs(%d : tensor<4x64xf32>) -> tensor<4x64xf32> loc("sub")
  return %c : tensor<4x64xf32>
}

// -----

// A transpose costs nothing even where a contraction reads it: the load of each
// tile has the other order.
// CHECK-LABEL: @copy
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "transpose", reason = "no arithmetic: read through its indexing map", taken}
// CHECK-NOT: graph.group
func.func @copy(%x: tensor<8x4xf32>, %w: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<4x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.transpose ins(%w : tensor<8x4xf32>) outs(%d : tensor<4x8xf32>) permutation = [1, 0] loc("transpose")
  %a = linalg.matmul ins(%x, %t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32> loc("matmul")
  return %a : tensor<8x8xf32>
}

// -----

// A padding and a slice say only where a load begins and ends.
// CHECK-LABEL: @bounds
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "pad", reason = "a load with other bounds", taken}
// CHECK-SAME: {op = "slice", reason = "a load with other bounds", taken}
// CHECK-NOT: graph.group
func.func @bounds(%x: tensor<8xf32>) -> tensor<6xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6xf32>
  %a = tensor.extract_slice %x[2] [4] [1] : tensor<8xf32> to tensor<4xf32> loc("slice")
  %b = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<6xf32> loc("pad")
  %c = linalg.exp ins(%b : tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32> loc("exp")
  return %c : tensor<6xf32>
}

// -----

// A sum reads each element once, so that what makes the elements may stand in
// its loop.
// CHECK-LABEL: @producer
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "exp", reason = "computed where the reduction reads it", taken}
// CHECK-NOT: graph.group
func.func @producer(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %d = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4x64xf32>) outs(%d : tensor<4x64xf32>) -> tensor<4x64xf32> loc("exp")
  %b = linalg.reduce {arith.addf} ins(%a : tensor<4x64xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("sum")
  return %b : tensor<4xf32>
}

// -----

// A kernel of the user is all that computes the ops of its composite.
// CHECK-LABEL: @replaced
// CHECK: graph.composite @k({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "exp", reason = "replaced by @k, given by the user", taken}
// CHECK-NOT: graph.group
func.func @replaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = graph.composite @k(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32> loc("exp")
    graph.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// x + r, its norm-like rest and the sum of each row are three results of one
// kernel: each program stores its rows of all of them.
// CHECK-LABEL: @stored
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "sum", reason = "each program holds the whole row; stored: it is a result of the model", taken}
// CHECK-SAME: {op = "add", reason = "same iteration space; stored: it is a result of the model", taken}
// CHECK-NOT: graph.group
func.func @stored(%x: tensor<4x64xf32>, %r: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4xf32>, tensor<4x64xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %d = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %h = linalg.add ins(%x, %r : tensor<4x64xf32>, tensor<4x64xf32>) outs(%d : tensor<4x64xf32>) -> tensor<4x64xf32> loc("add")
  %a = linalg.reduce {arith.addf} ins(%h : tensor<4x64xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("sum")
  %b = linalg.broadcast ins(%a : tensor<4xf32>) outs(%d : tensor<4x64xf32>) dimensions = [1] loc("broadcast")
  %c = linalg.sub ins(%h, %b : tensor<4x64xf32>, tensor<4x64xf32>) outs(%d : tensor<4x64xf32>) -> tensor<4x64xf32> loc("sub")
  return %h, %a, %c : tensor<4x64xf32>, tensor<4xf32>, tensor<4x64xf32>
}

// -----

// What the next kernel reads too: the first one that has it as tiles stores it.
// CHECK-LABEL: @stream
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "exp", reason = "same iteration space; stored: other kernels read it too", taken}
// CHECK: graph.group
// CHECK-NOT: graph.group
func.func @stream(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<8x8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32> loc("exp")
  %b = linalg.negf ins(%a : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32> loc("neg")
  %c = linalg.reduce {arith.addf} ins(%a : tensor<8x8xf32>) outs(%f : tensor<8xf32>) dimensions = [1] loc("sum")
  return %b, %c : tensor<8x8xf32>, tensor<8xf32>
}

// -----

// The kernel of each input computes it where it lies in the result.
// CHECK-LABEL: @concat
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "neg", reason = "computed where its part of the result is stored", taken}
// CHECK-SAME: {op = "exp", reason = "computed where its part of the result is stored", taken}
// CHECK-NOT: graph.group
func.func @concat(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32> loc("exp")
  %b = linalg.negf ins(%y : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32> loc("neg")
  %c = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32> loc("concat")
  return %c : tensor<4xf32>
}

// -----

// Quantized weights are widened where a CPU's product reads them: they take
// fewer bytes so. Threads of a GPU would each copy what they share as it is.
// CHECK-LABEL: @weights
// CHECK: graph.group({{.*}}) {graph.decisions = [
// CHECK-SAME: {op = "widen", reason = "constants of fewer bytes, which a step of the contraction reads", taken}
// CHECK-NOT: graph.group
module attributes {graph.targets = [#tile.target<"cpu", {threads = 2 : i64}>]} {
func.func @weights(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %bytes = arith.constant dense<"0x0102030405060708010203040506070801020304050607080102030405060708"> : tensor<4x8xi8>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %wide = tensor.empty() : tensor<4x8xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%bytes : tensor<4x8xi8>) outs(%wide : tensor<4x8xf32>) {
  ^bb0(%b: i8, %out: f32):
    %r = arith.sitofp %b : i8 to f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32> loc("widen")
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = linalg.matmul ins(%x, %w : tensor<8x4xf32>, tensor<4x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32> loc("matmul")
  return %a : tensor<8x8xf32>
}
}
