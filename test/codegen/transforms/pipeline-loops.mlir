// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(tile.kernel(assume-alignment,choose-instructions,assign-layouts,lower-dots,lower-movements,canonicalize,cse,pipeline-loops,canonicalize,cse))' | FileCheck %s

// Two stages: one group is under way. What an iteration has read is filled in
// the next one.
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: @two_stages
tile.kernel @two_stages(%a: !tile.view<64x256xf16>, %b: !tile.view<256x64xf16>, %c: !tile.view<64x64xf32>) attributes {tile.schedule = #tile.schedule<warps = 4, stages = 2>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: %[[A:.*]] = tilegpu.alloc : <64x32xf16, {{.*}}, slots = 2>
  // CHECK: %[[B:.*]] = tilegpu.alloc : <32x64xf16, {{.*}}, slots = 2>
  // CHECK: tilegpu.acquire
  // CHECK: %[[T0:.*]] = tilegpu.copy to
  // CHECK-NEXT: tile.load
  // CHECK: %[[T1:.*]] = tilegpu.copy to
  // CHECK: %[[G0:.*]] = tilegpu.commit(%[[T0]], %[[T1]])
  // CHECK: scf.for %[[I:.*]] = %c0_i32 to %c8_i32 step %c1_i32 iter_args(%{{.*}} = %{{.*}}, %[[N:.*]] = %c0_i32, %[[P:.*]] = %c1_i32, %[[G:.*]] = %[[G0]])
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    // CHECK: %[[AR:.*]] = tilegpu.slot %[[A]][%[[N]]]
    // CHECK: %[[BR:.*]] = tilegpu.slot %[[B]][%[[N]]]
    // CHECK: tilegpu.wait %[[G]] for %[[AR]], %[[BR]]
    // CHECK: %[[LIVE:.*]] = arith.cmpi slt
    // CHECK: %[[AW:.*]] = tilegpu.slot %[[A]][%[[P]]]
    // CHECK: tilegpu.acquire %[[AW]]
    // CHECK: tilegpu.copy to %[[AW]] if %[[LIVE]]
    // CHECK: tilegpu.copy to %{{.*}} if %[[LIVE]]
    // CHECK: %[[NEW:.*]] = tilegpu.commit
    // CHECK: tilegpu.mma "mma.m16n8k16.f16" %[[AR]], %[[BR]]
    // CHECK-DAG: tilegpu.release %[[AR]]
    // CHECK-DAG: tilegpu.release %[[BR]]
    // CHECK-DAG: %[[NEXT:.*]] = tilegpu.advance %[[N]] by 1 of 2
    // CHECK: scf.yield %{{.*}}, %[[NEXT]], %[[N]], %[[NEW]]
    %x = tile.load %a[%c0, %k] : !tile.view<64x256xf16> -> tensor<64x32xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<256x64xf16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tilegpu.wait %{{.*}}#3 for %[[A]], %[[B]]
  tile.store %r, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
}

// -----

// Rows of 2 bytes more than a multiple of 4 go through registers, one iteration
// ahead, into two slots.
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: @through_registers
tile.kernel @through_registers(%a: !tile.view<64x257xf16>, %b: !tile.view<256x64xf16>, %c: !tile.view<64x64xf32>) attributes {tile.schedule = #tile.schedule<warps = 4, stages = 3>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: tilegpu.alloc : <32x64xf16, {{.*}}, slots = 3>
  // CHECK: %[[A:.*]] = tilegpu.alloc : <64x32xf16, {{.*}}, slots = 2>
  // CHECK: tile.load {{.*}} {tilegpu.reason = "through registers: 2 bytes are contiguous and aligned (what divides rows' strides), and cp.async takes 4"}
  // CHECK: scf.for
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    // CHECK: tilegpu.wait
    // CHECK: %[[S:.*]] = tilegpu.slot %[[A]]
    // CHECK: tilegpu.store_shared %{{.*}}, %[[S]]
    // CHECK: tilegpu.copy to
    // CHECK: scf.if
    // CHECK: tile.load
    // CHECK: tilegpu.mma "mma.m16n8k16.f16" %[[S]]
    %x = tile.load %a[%c0, %k] : !tile.view<64x257xf16> -> tensor<64x32xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<256x64xf16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %r, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
}

// -----

// What stays as it is says why.
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: @kept
// CHECK-NOT: tilegpu.copy
tile.kernel @kept(%a: !tile.view<64x256xf16>, %b: !tile.view<256x64xf16>, %c: !tile.view<64x64xf32>, %n: index, %if: i1) attributes {tile.schedule = #tile.schedule<warps = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<256x64xf16> -> tensor<32x64xf16>
  // CHECK: tile.load {{.*}} {tilegpu.reason = "not early: it has more than one use"}
  // CHECK: tilegpu.reason = "not pipelined: not early: it has more than one use"
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x256xf16> -> tensor<64x32xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %w = arith.extf %x : tensor<64x32xf16> to tensor<64x32xf32>
    %v = tile.concat %w, %w axis 1 : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
    %s = arith.addf %sum, %v : tensor<64x64xf32>
    scf.yield %d, %s : tensor<64x64xf32>, tensor<64x64xf32>
  }
  // CHECK: tile.load {{.*}} {tilegpu.reason = "not early: where it loads depends on the iteration before"}
  %r2:2 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %r#0, %at = %c0) -> (tensor<64x64xf32>, index) {
    %x = tile.load %a[%c0, %at] : !tile.view<64x256xf16> -> tensor<64x32xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    %next = arith.addi %at, %k : index
    scf.yield %d, %next : tensor<64x64xf32>, index
  }
  // CHECK: tile.load {{.*}} {tilegpu.reason = "not early: it is used in a region of scf.if"}
  %r3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %r2#0) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x256xf16> -> tensor<64x32xf16>
    %d = scf.if %if -> tensor<64x64xf32> {
      %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %acc : tensor<64x64xf32>
    }
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tile.load {{.*}} {tilegpu.reason = "not early: the loop may change what it loads: tile.store"}
  %h = arith.truncf %r#1 : tensor<64x64xf32> to tensor<64x64xf16>
  %r4 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %r3) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x256xf16> -> tensor<64x32xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    tile.store %h, %a[%c0, %k] : tensor<64x64xf16>, !tile.view<64x256xf16>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %r4, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}

// CHECK-LABEL: @asked_for_none
tile.kernel @asked_for_none(%a: !tile.view<64x256xf16>, %b: !tile.view<256x64xf16>, %c: !tile.view<64x64xf32>) attributes {tile.schedule = #tile.schedule<warps = 4, stages = 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // CHECK: tilegpu.reason = "not pipelined: stages=1"
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) {
    %x = tile.load %a[%c0, %k] : !tile.view<64x256xf16> -> tensor<64x32xf16>
    %y = tile.load %b[%k, %c0] : !tile.view<256x64xf16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %r, %c[%c0, %c0] : tensor<64x64xf32>, !tile.view<64x64xf32>
}
}
