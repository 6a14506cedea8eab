// RUN: tilewright-opt %s --deduplicate-kernels --split-input-file | FileCheck %s

// @b is @a but for its name, for both targets: @a stays, and is launched in its
// place. @c has another tile on the GPU, and @d another schedule: both stay.
// Where a schedule is from says nothing of a kernel that is gone.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]] = graph.launch @a(
// CHECK: %[[B:.*]] = graph.launch @a(%[[A]])
// CHECK: %[[C:.*]] = graph.launch @c(%[[B]])
// CHECK: graph.launch @d(%[[C]])
// CHECK: module @cpu attributes {graph.origins = {a = "first"}
// CHECK: tile.kernel @a
// CHECK-NOT: tile.kernel @b
// CHECK: tile.kernel @c
// CHECK: tile.kernel @d
// CHECK: module @sm_80
// CHECK: tile.kernel @a
// CHECK-NOT: tile.kernel @b
// CHECK: tile.kernel @c
// CHECK: tile.kernel @d
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.launch @a(%x) writes [0] "Exp_1" : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.launch @b(%a) writes [0] "Exp_2" : (tensor<4xf32>) -> tensor<4xf32>
  %c = graph.launch @c(%b) writes [0] "Exp_3" : (tensor<4xf32>) -> tensor<4xf32>
  %d = graph.launch @d(%c) writes [0] "Exp_4" : (tensor<4xf32>) -> tensor<4xf32>
  return %d : tensor<4xf32>
}
module @cpu attributes {graph.targets = [#tile.target<"cpu">], graph.origins = {a = "first", b = "second"}} {
  tile.kernel @a(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
  tile.kernel @b(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
  tile.kernel @c(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
  tile.kernel @d(%x: !tile.view<4xf32>) attributes {tile.schedule = #tile.schedule<rows = 2>} {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
}
module @sm_80 attributes {graph.targets = [#tile.target<"sm_80">]} {
  tile.kernel @a(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
  tile.kernel @b(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
  tile.kernel @c(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<2xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<2xf32>, !tile.view<4xf32>
  }
  tile.kernel @d(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
}

// -----

// What the user gave is left alone, equal or not.
// CHECK-LABEL: func.func @other
// CHECK: graph.launch @a(
// CHECK: graph.launch @given_a(
// CHECK: module @user_kernels attributes {graph.user_kernels}
// CHECK-NEXT: tile.kernel @given_a
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.launch @a(%x) writes [0] "Exp_1" : (tensor<4xf32>) -> tensor<4xf32>
  %b = graph.launch @given_a(%a) writes [0] "Exp_2" : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}
module @cpu attributes {graph.targets = [#tile.target<"cpu">]} {
  tile.kernel @a(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
}
module @user_kernels attributes {graph.user_kernels} {
  tile.kernel @given_a(%x: !tile.view<4xf32>) {
    %t = arith.constant dense<1.0> : tensor<4xf32>
    %i = tile.program_id
    tile.store %t, %x[%i] : tensor<4xf32>, !tile.view<4xf32>
  }
}

// -----

// A module that was not lowered has nothing of this.
// CHECK-LABEL: func.func @unlowered
// CHECK-NEXT: return
func.func @unlowered() {
  return
}
