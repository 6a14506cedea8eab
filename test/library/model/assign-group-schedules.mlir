// RUN: tilewright-opt %s --assign-group-schedules='cpu={rows=2 tile0=4} gpu=warps=8' | FileCheck %s
// RUN: tilewright-opt %s --assign-group-schedules=cpu=tile0=4 | FileCheck %s --check-prefix=CPU
// RUN: tilewright-opt %s --assign-group-schedules | FileCheck %s --check-prefix=NONE
// RUN: not tilewright-opt %s --assign-group-schedules=gpu=warps 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not tilewright-opt %s --assign-group-schedules=gpu=warps=33 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not tilewright-opt %s --assign-group-schedules=table=true 2>&1 | FileCheck %s --check-prefix=TABLE

// Without an option nothing is chosen.
// NONE-NOT: schedules =

// A tool has no table to give, and says so before anything is compiled without.
// TABLE: error: schedules are from a table, which has to be given again

#id = affine_map<(i) -> (i)>

module attributes {graph.targets = [#tile.target<"cpu">, #tile.target<"interpreter">, #tile.target<"sm_90a">]} {
// What code generation knows is the schedule, the rest is how the group is tiled.
// The interpreter goes by the CPU's.
// CHECK-LABEL: func.func @main
// CHECK: graph.group(%arg0 : tensor<8xf32>)
// CHECK-SAME: {schedules = {cpu = {schedule = #tile.schedule<rows = 2>, tiling = #tile.schedule<tile0 = 4>}, sm_90a = {schedule = #tile.schedule<warps = 8, vector_bits = 128>}}}
// CPU: graph.group(%arg0 : tensor<8xf32>)
// CPU-SAME: {schedules = {cpu = {schedule = #tile.schedule<>, tiling = #tile.schedule<tile0 = 4>}}}
func.func @main(%x: tensor<8xf32>, %y: tensor<0xf32>) -> (tensor<8xf32>, tensor<16xf32>, tensor<0xf32>) {
  // WRONG: :[[#@LINE+2]]:{{.*}} error: schedule: expected {{.*}}, found 'warps'
  // VALUE: :[[#@LINE+1]]:{{.*}} error: schedule: expected 'warps' to be from 1 to 32, found {{.*}}33
  %a = graph.group(%x : tensor<8xf32>) : tensor<8xf32> {
  ^bb0(%v: tensor<8xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v : tensor<8xf32>) outs(%v : tensor<8xf32>) {
    ^bb0(%p: f32, %q: f32):
      %s = math.exp %p : f32
      linalg.yield %s : f32
    } -> tensor<8xf32>
    graph.yield %r : tensor<8xf32>
  }
  // A concatenation is not cut.
  // CHECK: graph.group({{.*}} : tensor<8xf32>, tensor<8xf32>)
  // CHECK-SAME: {schedules = {cpu = {schedule = #tile.schedule<rows = 2>}, sm_90a = {schedule = #tile.schedule<warps = 8, vector_bits = 128>}}}
  %b = graph.group(%x, %a : tensor<8xf32>, tensor<8xf32>) : tensor<16xf32> {
  ^bb0(%v: tensor<8xf32>, %w: tensor<8xf32>):
    %r = tensor.concat dim(0) %v, %w : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
    graph.yield %r : tensor<16xf32>
  }
  // Without elements there is no kernel.
  // CHECK: graph.group(%arg1 : tensor<0xf32>) : tensor<0xf32>
  %c = graph.group(%y : tensor<0xf32>) : tensor<0xf32> {
  ^bb0(%v: tensor<0xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v : tensor<0xf32>) outs(%v : tensor<0xf32>) {
    ^bb0(%p: f32, %q: f32):
      linalg.yield %p : f32
    } -> tensor<0xf32>
    graph.yield %r : tensor<0xf32>
  }
  return %a, %b, %c : tensor<8xf32>, tensor<16xf32>, tensor<0xf32>
}
// A kernel that the user gave has no cut; a schedule of its own counts.
// CHECK: module @user_kernels attributes {graph.schedules = {cpu = {schedule = #tile.schedule<rows = 2>}, sm_90a = {schedule = #tile.schedule<warps = 8, vector_bits = 128>}}, graph.user_kernels}
// NONE: module @user_kernels attributes {graph.user_kernels} {
module @user_kernels attributes {graph.user_kernels} {
  tile.kernel @silu() {
  }
}
// CHECK: module @user_kernels_2 attributes {graph.user_kernels} {
module @user_kernels_2 attributes {graph.user_kernels} {
  tile.kernel @own() attributes {tile.schedule = #tile.schedule<warps = 2>} {
  }
}
}
