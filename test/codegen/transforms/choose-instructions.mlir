// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(tile.kernel(choose-instructions,canonicalize))' | FileCheck %s

module attributes {tile.target = #tile.target<"sm_80">} {
// The instruction of the largest k that divides the shape.
// CHECK-LABEL: @own
tile.kernel @own(%a: !tile.view<32x32xf16>, %b: !tile.view<32x32xbf16>, %c: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0.0> : tensor<32x24xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xf16> -> tensor<32x32xf16>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x32xbf16> -> tensor<32x24xbf16>
  // CHECK: tile.dot {{.*}} {tilegpu.instruction = "mma.m16n8k16.f16"}
  %r = tile.dot %x, %x, %zero : tensor<32x32xf16>, tensor<32x32xf16> -> tensor<32x32xf32>
  %t = tile.transpose %y [1, 0] : tensor<32x24xbf16> -> tensor<24x32xbf16>
  // CHECK: tile.dot {{.*}} {tilegpu.instruction = "mma.m16n8k8.bf16"} : tensor<32x24xbf16>
  %s = tile.dot %y, %t, %r : tensor<32x24xbf16>, tensor<24x32xbf16> -> tensor<32x32xf32>
  tile.store %s, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// Operands that were extended are multiplied as they were, also when they were
// moved in between.
// CHECK-LABEL: @extended
tile.kernel @extended(%a: !tile.view<32x16xf16>, %b: !tile.view<32x1x16xf16>, %c: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x16xf16> -> tensor<32x16xf16>
  %y = tile.load %b[%c0, %c0, %c0] : !tile.view<32x1x16xf16> -> tensor<32x1x16xf16>
  // CHECK-NOT: arith.extf
  // CHECK: tile.reshape {{.*}} -> tensor<32x16xf16>
  // CHECK: tile.transpose {{.*}} -> tensor<16x32xf16>
  // CHECK: tile.dot {{.*}} {tilegpu.instruction = "mma.m16n8k16.f16"} : tensor<32x16xf16>, tensor<16x32xf16> -> tensor<32x32xf32>
  %u = arith.extf %x : tensor<32x16xf16> to tensor<32x16xf32>
  %v = arith.extf %y : tensor<32x1x16xf16> to tensor<32x1x16xf32>
  %w = tile.reshape %v : tensor<32x1x16xf32> -> tensor<32x16xf32>
  %t = tile.transpose %w [1, 0] : tensor<32x16xf32> -> tensor<16x32xf32>
  %r = tile.dot %u, %t, %zero : tensor<32x16xf32>, tensor<16x32xf32> -> tensor<32x32xf32>
  tile.store %r, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}

// Others stay, and say why.
// CHECK-LABEL: @others
tile.kernel @others(%a: !tile.view<32x32xf32>, %b: !tile.view<32x20xf16>, %c: !tile.view<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<32x32xf32> -> tensor<32x32xf32>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x20xf16> -> tensor<32x20xf16>
  // CHECK: tile.dot {{.*}} {tilegpu.instruction = "fma", tilegpu.reason = "no matrix instruction multiplies f32 for sums of f32 with precision ieee"}
  %r = tile.dot %x, %x, %zero : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %t = tile.transpose %y [1, 0] : tensor<32x20xf16> -> tensor<20x32xf16>
  // CHECK: tilegpu.reason = "m=32 n=32 k=20 is no multiple of mma.m16n8k8.f16"
  %s = tile.dot %y, %t, %r : tensor<32x20xf16>, tensor<20x32xf16> -> tensor<32x32xf32>
  // One side alone was extended.
  %u = tile.slice %y [0, 0] : tensor<32x20xf16> -> tensor<32x16xf16>
  %v = arith.extf %u : tensor<32x16xf16> to tensor<32x16xf32>
  %w = tile.slice %x [0, 0] : tensor<32x32xf32> -> tensor<16x32xf32>
  // CHECK: tile.dot {{.*}} {tilegpu.instruction = "fma", {{.*}}} : tensor<32x16xf32>
  %q = tile.dot %v, %w, %s : tensor<32x16xf32>, tensor<16x32xf32> -> tensor<32x32xf32>
  tile.store %q, %c[%c0, %c0] : tensor<32x32xf32>, !tile.view<32x32xf32>
}
}

// -----

// A target that does not say what its matrix instructions are.
module attributes {tile.target = #tile.target<"mine", {major = 9 : i64, minor = 0 : i64, ptx_version = 80 : i64, multiprocessor_shared = 100000 : i64, multiprocessor_warps = 64 : i64, multiprocessor_blocks = 32 : i64, converts_float8 = 0 : i64}>} {
// CHECK-LABEL: @none
tile.kernel @none(%a: !tile.view<16x16xf16>, %c: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x16xf16> -> tensor<16x16xf16>
  // CHECK: tilegpu.reason = "mine has no mma.m16n8k8.f16"
  %r = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
}

// -----

module attributes {tile.target = #tile.target<"sm_90a">} {
// What the schedule says.
// CHECK-LABEL: @fma
// CHECK-SAME: #tile.schedule<instruction = "fma">
tile.kernel @fma(%a: !tile.view<16x16xf16>, %c: !tile.view<16x16xf32>) attributes {tile.schedule = #tile.schedule<instruction = "fma">} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x16xf16> -> tensor<16x16xf16>
  // CHECK: {tilegpu.instruction = "fma", tilegpu.reason = "the schedule says so"}
  %r = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
// CHECK-LABEL: @short
tile.kernel @short(%a: !tile.view<16x16xf16>, %c: !tile.view<16x16xf32>) attributes {tile.schedule = #tile.schedule<instruction = "mma.m16n8k8.f16">} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x16xf16> -> tensor<16x16xf16>
  // CHECK: {tilegpu.instruction = "mma.m16n8k8.f16"}
  %r = tile.dot %x, %x, %zero : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  tile.store %r, %c[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
}

// -----

// Bytes, as they are and extended; f32 as a precision allows; 8-bit floats as
// f16, or as they are.
module attributes {tile.target = #tile.target<"sm_89">} {
// CHECK-LABEL: @types
tile.kernel @types(%a: !tile.view<16x32xi8>, %b: !tile.view<32x16xi8>, %f: !tile.view<16x32xf32>, %g: !tile.view<32x16xf32>, %p: !tile.view<16x32xf8E4M3FN>, %q: !tile.view<32x16xf8E5M2>, %c: !tile.view<16x16xi32>, %d: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %x = tile.load %a[%c0, %c0] : !tile.view<16x32xi8> -> tensor<16x32xi8>
  %y = tile.load %b[%c0, %c0] : !tile.view<32x16xi8> -> tensor<32x16xi8>
  // CHECK: tile.dot {{.*}} lhs_unsigned {tilegpu.instruction = "mma.m16n8k32.i8"} : tensor<16x32xi8>
  %r = tile.dot %x, %y, %zero lhs_unsigned : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xi32>
  // CHECK: tile.dot {{.*}} rhs_unsigned {tilegpu.instruction = "mma.m16n8k32.i8"} : tensor<16x32xi8>, tensor<32x16xi8>
  %u = arith.extsi %x : tensor<16x32xi8> to tensor<16x32xi32>
  %v = arith.extui %y : tensor<32x16xi8> to tensor<32x16xi32>
  %s = tile.dot %u, %v, %r : tensor<16x32xi32>, tensor<32x16xi32> -> tensor<16x16xi32>
  tile.store %s, %c[%c0, %c0] : tensor<16x16xi32>, !tile.view<16x16xi32>
  %l = tile.load %f[%c0, %c0] : !tile.view<16x32xf32> -> tensor<16x32xf32>
  %m = tile.load %g[%c0, %c0] : !tile.view<32x16xf32> -> tensor<32x16xf32>
  // CHECK: tile.dot {{.*}} precision tf32x3 {tilegpu.instruction = "mma.m16n8k8.tf32"}
  %t0 = tile.dot %l, %m, %none precision tf32x3 : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  // CHECK: tile.dot {{.*}} precision bf16x6 {tilegpu.instruction = "mma.m16n8k16.bf16"} : tensor<16x32xf32>
  %t1 = tile.dot %l, %m, %t0 precision bf16x6 : tensor<16x32xf32>, tensor<32x16xf32> -> tensor<16x16xf32>
  %i = tile.load %p[%c0, %c0] : !tile.view<16x32xf8E4M3FN> -> tensor<16x32xf8E4M3FN>
  %j = tile.load %q[%c0, %c0] : !tile.view<32x16xf8E5M2> -> tensor<32x16xf8E5M2>
  // CHECK: tile.dot {{.*}} {tilegpu.instruction = "mma.m16n8k16.f16"} : tensor<16x32xf8E4M3FN>
  %t2 = tile.dot %i, %j, %t1 : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  // CHECK: tile.dot {{.*}} precision fast {tilegpu.instruction = "mma.m16n8k32.f8"} : tensor<16x32xf8E4M3FN>
  %t3 = tile.dot %i, %j, %t2 precision fast : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E5M2> -> tensor<16x16xf32>
  tile.store %t3, %d[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
}

// -----

// The nearest exact way, with its reason. Scaled dots have no instruction.
module attributes {tile.target = #tile.target<"sm_80">} {
// CHECK-LABEL: @nearest
tile.kernel @nearest(%p: !tile.view<16x32xf8E4M3FN>, %q: !tile.view<32x16xf8E4M3FN>, %w: !tile.view<16x1xf8E8M0FNU>, %z: !tile.view<1x16xf8E8M0FNU>, %d: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = tile.load %p[%c0, %c0] : !tile.view<16x32xf8E4M3FN> -> tensor<16x32xf8E4M3FN>
  %j = tile.load %q[%c0, %c0] : !tile.view<32x16xf8E4M3FN> -> tensor<32x16xf8E4M3FN>
  // CHECK: tile.dot {{.*}} precision fast {tilegpu.instruction = "mma.m16n8k16.f16", tilegpu.reason = "sm_80 has no mma.m16n8k32.f8"}
  %t = tile.dot %i, %j, %none precision fast : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN> -> tensor<16x16xf32>
  %k = tile.load %w[%c0, %c0] : !tile.view<16x1xf8E8M0FNU> -> tensor<16x1xf8E8M0FNU>
  %l = tile.load %z[%c0, %c0] : !tile.view<1x16xf8E8M0FNU> -> tensor<1x16xf8E8M0FNU>
  // CHECK: tile.scaled_dot {{.*}} {tilegpu.instruction = "fma"
  %u = tile.scaled_dot %i scale %k, %j scale %l, %t : tensor<16x32xf8E4M3FN> scale tensor<16x1xf8E8M0FNU>, tensor<32x16xf8E4M3FN> scale tensor<1x16xf8E8M0FNU> -> tensor<16x16xf32>
  tile.store %u, %d[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
}
