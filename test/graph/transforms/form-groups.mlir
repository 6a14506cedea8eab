// RUN: tilewright-opt %s --form-groups --split-input-file --verify-diagnostics | FileCheck %s
// RUN: tilewright-opt %s --form-groups=explain=true --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=WHY

#id = affine_map<(i) -> (i)>

// Two ops over the same elements are one kernel, which reads %x once. The empty
// tensor is written down where it is needed; the function computes nothing.
// CHECK-LABEL: @chain
// CHECK-NEXT: %[[R:.*]] = graph.group(%arg0 : tensor<8xf32>) : tensor<8xf32> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<8xf32>):
// CHECK-NEXT: %[[E:.*]] = tensor.empty
// CHECK-NEXT: %[[A:.*]] = linalg.generic {{.*}} ins(%[[X]] : {{.*}} outs(%[[E]]
// CHECK: math.exp
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[A]] : {{.*}} outs(%[[E]]
// CHECK: arith.negf
// CHECK: graph.yield %[[B]] : tensor<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]

// Nothing is written about it unless it is asked for.
// CHECK-NOT: graph.decisions
// WHY-LABEL: @chain
// WHY: graph.group({{.*}}) {graph.decisions = [
// WHY-SAME: {op = "Neg_2", reason = "it is a result of the model"}
// WHY-SAME: {op = "Exp_1", reason = "same iteration space", taken}
func.func @chain(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32> loc("Exp_1")
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<8xf32> loc("Neg_2")
  return %b : tensor<8xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#out = affine_map<(i, j, k) -> (i, j)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>

// The product is the root; what follows works on its tile. A size that the
// kernel needs comes in as an operand, after the tensors.
// CHECK-LABEL: @root
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK-NEXT: graph.group(%arg0, %arg1, %arg2 : tensor<?x4xf32>, tensor<4x8xf32>, tensor<8xf32>) sizes(%[[N]] : index) : tensor<?x8xf32> {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<?x4xf32>, %{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<8xf32>, %[[SIZE:.*]]: index):
// CHECK-DAG: tensor.empty(%[[SIZE]])
// CHECK-DAG: arith.constant 0.0
// CHECK: linalg.fill
// CHECK: arith.mulf
// CHECK: linalg.generic
// CHECK: graph.yield
// WHY-LABEL: @root
// WHY: {op = "MatMul_1", reason = "the root: its consumers work on its tile", taken}
func.func @root(%x: tensor<?x4xf32>, %w: tensor<4x8xf32>, %b: tensor<8xf32>) -> tensor<?x8xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %m = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x4xf32>, tensor<4x8xf32>) outs(%f : tensor<?x8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %r, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32> loc("MatMul_1")
  %a = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32> loc("Add_2")
  return %a : tensor<?x8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What is needed in memory too is stored by the kernel that reads it as tiles; a
// view of it follows that kernel. Reshapes, constants of many values and what is
// only returned stand between the groups.
// CHECK-LABEL: @shared
// CHECK: %[[C:.*]] = arith.constant dense<{{\[}}1.{{.*}}, 2.
// CHECK: %[[B:.*]]:2 = graph.group(%arg0, %[[C]] :
// CHECK: %[[ADD:.*]] = linalg.generic
// CHECK: arith.addf
// CHECK: %[[EXP:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: graph.yield %[[EXP]], %[[ADD]]
// CHECK: %[[R:.*]] = tensor.reshape %[[B]]#1
// CHECK: return %[[R]], %[[B]]#0
// WHY-LABEL: @shared
// WHY: {op = "Add_1", reason = "same iteration space; stored: a reshape needs it in memory", taken}
func.func @shared(%x: tensor<2xf32>) -> (tensor<1x2xf32>, tensor<2xf32>) {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %l = arith.constant dense<[1, 2]> : tensor<2xindex>
  %e = tensor.empty() : tensor<2xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %c : tensor<2xf32>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<2xf32> loc("Add_1")
  %r = tensor.reshape %a(%l) : (tensor<2xf32>, tensor<2xindex>) -> tensor<1x2xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } -> tensor<2xf32> loc("Exp_2")
  return %r, %b : tensor<1x2xf32>, tensor<2xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The second kernel has the first one's inner result as its destination, of
// which nothing is read: an empty tensor of that size stands for it.
// CHECK-LABEL: @shape
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: graph.group(%arg0 : tensor<?xf32>) : tensor<?xf32>
// CHECK: graph.group(%arg1 : tensor<?xf32>) sizes(%[[N]] : index) : tensor<?xf32> {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<?xf32>, %[[SIZE:.*]]: index):
// CHECK-NEXT: %[[E:.*]] = tensor.empty(%[[SIZE]])
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[E]] :
func.func @shape(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.negf %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %c = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : tensor<?xf32>) outs(%a : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = math.sqrt %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %b, %c : tensor<?xf32>, tensor<?xf32>
}

// -----

// A concatenation is a group of its own, in which constants are written down. A
// computation that a kernel of the user replaces is left alone.
// CHECK-LABEL: @alone
// CHECK: %[[C:.*]] = graph.group(%arg0 : tensor<2xf32>) : tensor<4xf32> {
// CHECK: %[[Z:.*]] = arith.constant dense<0.0
// CHECK: tensor.concat dim(0) %{{.*}}, %[[Z]]
// CHECK: %[[R:.*]] = graph.composite @k(%[[C]] : tensor<4xf32>)
// CHECK: return %[[R]]
// WHY-LABEL: @alone
// WHY: graph.group({{.*}}) {graph.decisions = [{op = "Concat_1", reason = "the user's kernel reads it from memory"}]}
// WHY: graph.composite @k({{.*}}) {graph.decisions = [
// WHY-SAME: {op = "Exp_2", reason = "replaced by @k, given by the user", taken}
func.func @alone(%x: tensor<2xf32>) -> tensor<4xf32> {
  %z = arith.constant dense<0.0> : tensor<2xf32>
  %c = tensor.concat dim(0) %x, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32> loc("Concat_1")
  %r = graph.composite @k(%c : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32> loc("Exp_2")
    graph.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Where nothing is computed there is no group.
// CHECK-LABEL: @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// -----

// expected-error @+1 {{expected one function with one block}}
module {
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A variance: the second reduction reads each row once more, with its mean. A
// program holds whole rows for both.
// CHECK-LABEL: @variance
// CHECK-COUNT-1: graph.group
// CHECK-NOT: graph.group
// CHECK: return
// WHY-LABEL: @variance
// WHY: {op = "Variance", reason = "it is a result of the model"}
// WHY-SAME: {op = "Square", reason = "computed where the reduction reads it", taken}
// WHY-SAME: {op = "Mean", reason = "each program holds the whole row", taken}
func.func @variance(%x: tensor<64x512xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %w = tensor.empty() : tensor<64x512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %mean = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    linalg.yield %s : f32
  } -> tensor<64xf32> loc("Mean")
  %square = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<64x512xf32>, tensor<64xf32>) outs(%w : tensor<64x512xf32>) {
  ^bb0(%p: f32, %m: f32, %q: f32):
    %d = arith.subf %p, %m : f32
    %s = arith.mulf %d, %d : f32
    linalg.yield %s : f32
  } -> tensor<64x512xf32> loc("Square")
  %variance = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%square : tensor<64x512xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    linalg.yield %s : f32
  } -> tensor<64xf32> loc("Variance")
  return %variance : tensor<64xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A log-softmax: what only the second reduction reads follows the row, and so
// the first reduction is in the kernel, too.
// CHECK-LABEL: @logsoftmax
// CHECK-COUNT-1: graph.group
// CHECK-NOT: graph.group
// CHECK: return
func.func @logsoftmax(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %w = tensor.empty() : tensor<64x512xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<64x512xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.maximumf %q, %p : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %shifted = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<64x512xf32>, tensor<64xf32>) outs(%w : tensor<64x512xf32>) {
  ^bb0(%p: f32, %m: f32, %q: f32):
    %d = arith.subf %p, %m : f32
    linalg.yield %d : f32
  } -> tensor<64x512xf32>
  %exp = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%shifted : tensor<64x512xf32>) outs(%w : tensor<64x512xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } -> tensor<64x512xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<64x512xf32>) outs(%z : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %q, %p : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%shifted, %sum : tensor<64x512xf32>, tensor<64xf32>) outs(%w : tensor<64x512xf32>) {
  ^bb0(%p: f32, %m: f32, %q: f32):
    %l = math.log %m : f32
    %d = arith.subf %p, %l : f32
    linalg.yield %d : f32
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// A branch reads %a from memory: a kernel stores it before, and not the one
// behind the branch that reads it, too. Each side has groups of its own; a fill
// from outside is written down in them.
// CHECK-LABEL: @branch
// CHECK: %[[A:.*]] = graph.group(%arg0 : tensor<8xf32>)
// CHECK: math.exp
// CHECK: %[[R:.*]] = scf.if
// CHECK-NEXT: %[[B:.*]] = graph.group(%[[A]] : tensor<8xf32>)
// CHECK: linalg.fill
// CHECK: arith.addf
// CHECK: scf.yield %[[B]]
// CHECK: } else {
// CHECK-NEXT: scf.yield %arg0
// CHECK: graph.group(%[[A]], %[[R]] : tensor<8xf32>, tensor<8xf32>)
// WHY-LABEL: @branch
// WHY: {op = "Exp_1", reason = "a branch or a loop reads it from memory"}
// WHY: {op = "Add_2", reason = "a branch or a loop yields it"}
func.func @branch(%x: tensor<8xf32>, %t: tensor<i1>) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = graph.condition %t : tensor<i1>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %v = math.exp %p : f32
    linalg.yield %v : f32
  } -> tensor<8xf32> loc("Exp_1")
  %r = scf.if %c -> tensor<8xf32> {
    %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %ones : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
    ^bb0(%p: f32, %o: f32, %q: f32):
      %v = arith.addf %p, %o : f32
      linalg.yield %v : f32
    } -> tensor<8xf32> loc("Add_2")
    scf.yield %b : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %r : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32):
    %v = arith.mulf %p, %o : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %s : tensor<8xf32>
}
