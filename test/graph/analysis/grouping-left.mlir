// Why an op is left to a kernel of its own: each reason that Grouping.cpp gives.
// The decision stands on the group that did not take the op, or on the op's own
// one where several groups or none read it.
// RUN: tilewright-opt %s --generalize-ops --form-groups=explain=true --split-input-file | FileCheck %s

// A result of the model is in memory, whoever reads it beside. A contraction that
// read it tile by tile would store it again for each tile.
// CHECK-LABEL: @result
// CHECK: {op = "exp", reason = "it is a result of the model"}
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "each tile of the contraction would compute it again"}
func.func @result(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = linalg.exp ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32> loc("exp")
  %b = linalg.matmul ins(%a, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32> loc("matmul")
  return %a, %b : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// CHECK-LABEL: @reshape
// CHECK: {op = "exp", reason = "a reshape needs it in memory"}
// CHECK: graph.group
func.func @reshape(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %l = arith.constant dense<[2, 4]> : tensor<2xindex>
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<2x4xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("exp")
  %b = tensor.reshape %a(%l) : (tensor<8xf32>, tensor<2xindex>) -> tensor<2x4xf32>
  %c = linalg.negf ins(%b : tensor<2x4xf32>) outs(%f : tensor<2x4xf32>) -> tensor<2x4xf32> loc("neg")
  return %c : tensor<2x4xf32>
}

// -----

// An element at a computed index may be any program's.
// CHECK-LABEL: @gathered
// CHECK: {op = "exp", reason = "it is gathered from"}
// CHECK: graph.group
func.func @gathered(%x: tensor<8xf32>, %i: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32> loc("exp")
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%i : tensor<4xindex>) outs(%f : tensor<4xf32>) {
  ^bb0(%p: index, %q: f32):
    %s = tensor.extract %a[%p] : tensor<8xf32>
    linalg.yield %s : f32
  } -> tensor<4xf32> loc("gather")
  return %b : tensor<4xf32>
}

// -----

// Two kernels would compute it twice, and neither has it as tiles of its own: each
// reads it in the loop of its sum.
// CHECK-LABEL: @shared
// CHECK: {op = "exp", reason = "other kernels read it too"}
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "the tiles that the kernel reads are not parts of it"}
// CHECK: graph.group
func.func @shared(%x: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<8x8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32> loc("exp")
  %b = linalg.reduce {arith.addf} ins(%a : tensor<8x8xf32>) outs(%f : tensor<8xf32>) dimensions = [1] loc("rows")
  %c = linalg.reduce {arith.addf} ins(%a : tensor<8x8xf32>) outs(%f : tensor<8xf32>) dimensions = [0] loc("columns")
  return %b, %c : tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// Each program of the sum has the same elements of it.
// CHECK-LABEL: @repeated
// CHECK: {op = "exp", reason = "it is a result of the model"}
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "several programs would compute and store it"}
func.func @repeated(%x: tensor<64x32xf32>, %y: tensor<32xf32>) -> (tensor<32xf32>, tensor<64x32xf32>) {
  %d = tensor.empty() : tensor<64x32xf32>
  %e = tensor.empty() : tensor<32xf32>
  %a = linalg.exp ins(%y : tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32> loc("exp")
  %b = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %a : tensor<64x32xf32>, tensor<32xf32>) outs(%d : tensor<64x32xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<64x32xf32> loc("add")
  return %a, %b : tensor<32xf32>, tensor<64x32xf32>
}

// -----

// What follows a contraction on its tile is stored by its kernel: otherwise the
// product itself would be stored and read.
// CHECK-LABEL: @continued
// CHECK: {op = "add", reason = "it is a result of the model"}
// CHECK-SAME: {op = "matmul", reason = "the root: its consumers work on its tile", taken}
// CHECK: graph.group
// CHECK-SAME: {op = "add", reason = "the kernel of its operand stores it for less"}
func.func @continued(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %v = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = linalg.fill ins(%z : f32) outs(%v : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32> loc("matmul")
  %a = linalg.add ins(%m, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32> loc("add")
  %s = linalg.reduce {arith.addf} ins(%a : tensor<8x8xf32>) outs(%g : tensor<8xf32>) dimensions = [1] loc("sum")
  %b = linalg.broadcast ins(%s : tensor<8xf32>) outs(%e : tensor<8x8xf32>) dimensions = [1]
  %c = linalg.sub ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32> loc("sub")
  return %a, %c : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// The kernel of "mul" runs when %m lies in memory too. To store the sum there would
// keep both terms until then.
// CHECK-LABEL: @peak
// CHECK: {op = "add", reason = "other kernels read it too"}
// CHECK: {op = "add", reason = "the kernels would need 256 bytes of memory instead of 192"}
func.func @peak(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %p, %q = graph.composite @k(%x : tensor<4x4xf32>) : tensor<4x4xf32>, tensor<4x4xf32> {
  ^bb0(%b: tensor<4x4xf32>):
    graph.yield %b, %b : tensor<4x4xf32>, tensor<4x4xf32>
  }
  %a = linalg.add ins(%p, %q : tensor<4x4xf32>, tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32> loc("add")
  %m = graph.composite @l(%x : tensor<4x4xf32>) : tensor<4x4xf32> {
  ^bb0(%b: tensor<4x4xf32>):
    graph.yield %b : tensor<4x4xf32>
  }
  %c = linalg.mul ins(%a, %m : tensor<4x4xf32>, tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32> loc("mul")
  %s = linalg.reduce {arith.addf} ins(%a : tensor<4x4xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("sum")
  return %c, %s : tensor<4x4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @given
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "the user's kernel reads it from memory"}
// CHECK: graph.composite
func.func @given(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("exp")
  %r = graph.composite @k(%a : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%b: tensor<4xf32>):
    %c = linalg.negf ins(%b : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32> loc("neg")
    graph.yield %c : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Nothing is computed in the user's kernel but what it was given for.
// CHECK-LABEL: @replaced
// CHECK: graph.composite
// CHECK: graph.group
// CHECK-SAME: {op = "fused", reason = "its kernel was given by the user"}
func.func @replaced(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = graph.composite @k(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32> loc("exp")
    graph.yield %b : tensor<4xf32>
  } loc("fused")
  %c = linalg.negf ins(%r : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("neg")
  return %c : tensor<4xf32>
}

// -----

// A reduction has a kernel of its own, whose result is copied. So has the
// concatenation, for each of its inputs.
// CHECK-LABEL: @concat
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "sum", reason = "a concatenation copies it"}
// CHECK: graph.group
// CHECK-SAME: {op = "concat", reason = "its inputs have kernels of their own"}
func.func @concat(%x: tensor<2x8xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %g = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<2x8xf32>) outs(%f : tensor<2xf32>) dimensions = [1] loc("sum")
  %b = tensor.concat dim(0) %a, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32> loc("concat")
  %c = linalg.negf ins(%b : tensor<4xf32>) outs(%g : tensor<4xf32>) -> tensor<4xf32> loc("neg")
  return %c : tensor<4xf32>
}

// -----

// Inputs of two sizes have two kernels: each would compute it.
// CHECK-LABEL: @inputs
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "several kernels of the concatenation would compute it"}
func.func @inputs(%x: tensor<2xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %f = tensor.empty() : tensor<1xf32>
  %a = linalg.exp ins(%x : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32> loc("exp")
  %s = tensor.extract_slice %a[1] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %b = linalg.negf ins(%s : tensor<1xf32>) outs(%f : tensor<1xf32>) -> tensor<1xf32> loc("neg")
  %c = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32> loc("concat")
  return %c : tensor<3xf32>
}

// -----

// The diagonal: one loop stands in two subscripts.
// CHECK-LABEL: @diagonal
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "exp", reason = "it is read through subscripts that no tile load has"}
func.func @diagonal(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %d = tensor.empty() : tensor<8x8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32> loc("exp")
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32> loc("neg")
  return %b : tensor<8xf32>
}

// -----

// The rows' kernel stores the roots, not the sums: as many elements.
// CHECK-LABEL: @continues
// CHECK: graph.group
// CHECK: graph.group
// CHECK-SAME: {op = "sqrt", reason = "the kernel that reduces its operand stores it for as much"}
func.func @continues(%x: tensor<4x8xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %g = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<f32>) -> tensor<f32>
  %a = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1] loc("rows")
  %b = linalg.sqrt ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32> loc("sqrt")
  %c = linalg.reduce {arith.addf} ins(%b : tensor<4xf32>) outs(%h : tensor<f32>) dimensions = [0] loc("all")
  return %c : tensor<f32>
}

// -----

#id = affine_map<(i) -> (i)>

// Each sum adds a value to itself, shifted further: its kernel would want two
// tiles of the one before, which wants four of the first.
// CHECK-LABEL: @shifts
// CHECK: {op = "first", reason = "the kernel would compute 4 tiles of it for one of its own"}
// CHECK-NOT: "second", reason = "the kernel would compute
func.func @shifts(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4093xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %f = tensor.empty() : tensor<4095xf32>
  %g = tensor.empty() : tensor<4093xf32>
  %a = linalg.add ins(%x, %y : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32> loc("first")
  %a0 = tensor.extract_slice %a[0] [4095] [1] : tensor<4096xf32> to tensor<4095xf32>
  %a1 = tensor.extract_slice %a[1] [4095] [1] : tensor<4096xf32> to tensor<4095xf32>
  %b = linalg.add ins(%a0, %a1 : tensor<4095xf32>, tensor<4095xf32>) outs(%f : tensor<4095xf32>) -> tensor<4095xf32> loc("second")
  %b0 = tensor.extract_slice %b[0] [4093] [1] : tensor<4095xf32> to tensor<4093xf32>
  %b2 = tensor.extract_slice %b[2] [4093] [1] : tensor<4095xf32> to tensor<4093xf32>
  %c = linalg.add ins(%b0, %b2 : tensor<4093xf32>, tensor<4093xf32>) outs(%g : tensor<4093xf32>) -> tensor<4093xf32> loc("third")
  return %c : tensor<4093xf32>
}
