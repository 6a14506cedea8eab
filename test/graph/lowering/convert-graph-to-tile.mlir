// RUN: tilewright-opt %s --convert-graph-to-tile --split-input-file --verify-diagnostics | FileCheck %s

#id = affine_map<(i) -> (i)>

// One module of kernels for the CPU and the interpreter, one for all GPUs; the
// kernel has one name and one interface, the result's view first. The function
// launches it, on memory of its own.
module attributes {graph.targets = [#tile.target<"cpu">, #tile.target<"interpreter">,
                                    #tile.target<"sm_80">, #tile.target<"sm_90a">]} {
// CHECK-LABEL: func.func @kernel
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[E:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK-NEXT: %[[R:.*]] = graph.launch @k0_Exp_1(%[[E]], %arg0) writes [0] "Exp_1" : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT: return %[[R]]
// CHECK: module @cpu attributes {graph.targets = [#tile.target<"cpu">, #tile.target<"interpreter">]} {
// CHECK-NEXT: tile.kernel @k0_Exp_1(%[[Y:.*]]: !tile.view<?xf32>, %[[X:.*]]: !tile.view<?xf32>)
// CHECK: %[[L:.*]] = tile.load %[[X]]
// CHECK: %[[T:.*]] = math.exp %[[L]]
// CHECK: tile.store %[[T]], %[[Y]]
// CHECK: module @sm_80 attributes {graph.targets = [#tile.target<"sm_80">, #tile.target<"sm_90a">]} {
// CHECK-NEXT: tile.kernel @k0_Exp_1(%{{.*}}: !tile.view<?xf32>, %{{.*}}: !tile.view<?xf32>)
// CHECK-NOT: graph.group
func.func @kernel(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = graph.group(%x : tensor<?xf32>) : tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%a : tensor<?xf32>) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> tensor<?xf32> loc("Exp_1")
    graph.yield %b : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
}

// -----

#id = affine_map<(i) -> (i)>

// The cut says what one program computes; the rest of the schedule goes to the
// kernel, and where it is from to the module. GPUs with other schedules have a
// module of their own.
module attributes {graph.targets = [#tile.target<"cpu">, #tile.target<"sm_80">, #tile.target<"sm_90a">]} {
// CHECK: func.func @schedules
// CHECK: module @cpu attributes {graph.origins = {k0_Exp_1 = "by hand"}, graph.targets = [#tile.target<"cpu">]}
// CHECK: tile.kernel @k0_Exp_1
// CHECK-SAME: tile.schedule = #tile.schedule<rows = 2>
// CHECK: math.exp %{{.*}} : tensor<4xf32>
// CHECK: module @sm_80 attributes {graph.targets = [#tile.target<"sm_80">]}
// CHECK-NOT: tile.schedule
// CHECK: module @sm_90a attributes {graph.targets = [#tile.target<"sm_90a">]}
// CHECK: tile.kernel @k0_Exp_1
// CHECK-SAME: tile.schedule = #tile.schedule<warps = 2>
func.func @schedules(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = graph.group(%x : tensor<64xf32>)
      {schedules = {cpu = {tiling = #tile.schedule<tile0 = 4>, schedule = #tile.schedule<rows = 2>, origin = "by hand"},
                    sm_90a = {schedule = #tile.schedule<warps = 2>}}} : tensor<64xf32> {
  ^bb0(%a: tensor<64xf32>):
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<64xf32>) outs(%a : tensor<64xf32>) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> tensor<64xf32> loc("Exp_1")
    graph.yield %b : tensor<64xf32>
  }
  return %y : tensor<64xf32>
}
}

// -----

// A kernel for each input of a concatenation: the second goes on in the memory
// that the first one began. Without targets kernels are for the interpreter.
// CHECK-LABEL: func.func @concat
// CHECK: %[[E:.*]] = tensor.empty() : tensor<5xf32>
// CHECK: %[[A:.*]] = graph.launch @k0_Concat_1(%arg0, %[[E]]) writes [1] "Concat_1"
// CHECK: %[[B:.*]] = graph.launch @k1_Concat_1(%arg1, %[[A]]) writes [1] "Concat_1"
// CHECK: return %[[B]]
// CHECK: module @cpu attributes {graph.targets = [#tile.target<"interpreter">]}
func.func @concat(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<5xf32> {
  %r = graph.group(%x, %y : tensor<2xf32>, tensor<3xf32>) : tensor<5xf32> {
  ^bb0(%a: tensor<2xf32>, %b: tensor<3xf32>):
    %c = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32> loc("Concat_1")
    graph.yield %c : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// There is nothing to run where there are no elements.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: %[[E:.*]] = tensor.empty() : tensor<0xf32>
// CHECK-NEXT: return %[[E]]
// CHECK-NOT: tile.kernel
func.func @nothing(%x: tensor<0xf32>) -> tensor<0xf32> {
  %y = graph.group(%x : tensor<0xf32>) : tensor<0xf32> {
  ^bb0(%a: tensor<0xf32>):
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<0xf32>) outs(%a : tensor<0xf32>) {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<0xf32>
    graph.yield %b : tensor<0xf32>
  }
  return %y : tensor<0xf32>
}

// -----

// The user's kernel takes inputs, then results. It is left as it is, and so are
// checks.
// CHECK-LABEL: func.func @replaced
// CHECK: graph.check
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: graph.launch @double(%arg0, %[[E]]) writes [1] "linalg.add:{{[0-9]+}}" : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
// CHECK: module @user_kernels attributes {graph.user_kernels}
// CHECK-NEXT: tile.kernel @double
func.func @replaced(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  graph.check %n equals %n, "itself"
  %y = graph.composite @double(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
module @user_kernels attributes {graph.user_kernels} {
  tile.kernel @double(%x: !tile.view<4xf32>, %y: !tile.view<4xf32>) {
    %i = tile.program_id
    %t = tile.load %x[%i] : !tile.view<4xf32> -> tensor<4xf32>
    %d = arith.addf %t, %t : tensor<4xf32>
    tile.store %d, %y[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
}

// -----

// What a kernel writes down is not read from memory, whatever the subscripts;
// outside of it there are zeros still.
module attributes {graph.targets = [#tile.target<"cpu">]} {
// CHECK-LABEL: func.func @gathered
// CHECK: graph.launch @k0_{{.*}}(%{{.*}}, %arg0) writes [0]
// CHECK: tile.kernel
// CHECK-NOT: tile.load_ptr
// CHECK: %[[IN:.*]] = arith.cmpi ult
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<8xf32>
// CHECK: arith.select %[[IN]], %[[ONE]], %{{.*}} : tensor<8xi1>, tensor<8xf32>
// CHECK: tile.store
func.func @gathered(%x: tensor<8xi64>) -> tensor<8xf32> {
  %y = graph.group(%x : tensor<8xi64>) : tensor<8xf32> {
  ^bb0(%a: tensor<8xi64>):
    %ones = arith.constant dense<1.0> : tensor<3xf32>
    %e = tensor.empty() : tensor<8xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<8xi64>) outs(%e : tensor<8xf32>) {
    ^bb0(%p: i64, %q: f32):
      %i = arith.index_cast %p : i64 to index
      %s = tensor.extract %ones[%i] : tensor<3xf32>
      linalg.yield %s : f32
    } -> tensor<8xf32>
    graph.yield %b : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}
}

// -----

func.func @missing(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{graph.composite names @double, expected a kernel that was given}}
  %y = graph.composite @double(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %b = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// A cut that the group does not have is an error at the op that it computes.
func.func @cut(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.group(%x : tensor<4xf32>)
      {schedules = {cpu = {tiling = #tile.schedule<step0 = 4>}}} : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{schedule: unknown name 'step0'; this kernel is tiled by tile0}}
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    graph.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
