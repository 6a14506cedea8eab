// RUN: tilewright-opt %s --split-input-file --expand-min-max | FileCheck %s

#avx512 = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 512 : i64, vector_registers = 32 : i64, masks_lanes = 1 : i64, threads = 1 : i64}>

// The instruction gives the second operand where one is NaN, or both are zeros:
// in both orders, all bits of both.
// CHECK-LABEL: func.func @minimum
// CHECK-SAME: %[[X:.*]]: vector<16xf32>, %[[Y:.*]]: vector<16xf32>
// CHECK: %[[A:.*]] = llvm.call_intrinsic "llvm.x86.avx512.min.ps.512"(%[[X]], %[[Y]], %{{.*}})
// CHECK: %[[ABITS:.*]] = arith.bitcast %[[A]]
// CHECK: %[[B:.*]] = llvm.call_intrinsic "llvm.x86.avx512.min.ps.512"(%[[Y]], %[[X]], %{{.*}})
// CHECK: %[[BBITS:.*]] = arith.bitcast %[[B]]
// CHECK: %[[OR:.*]] = arith.ori %[[ABITS]], %[[BBITS]] : vector<16xi32>
// CHECK: %[[R:.*]] = arith.bitcast %[[OR]] : vector<16xi32> to vector<16xf32>
// CHECK: return %[[R]]
// A maximum takes the sign back that one zero has, not both.
// CHECK-LABEL: func.func @maximum
// CHECK: llvm.call_intrinsic "llvm.x86.avx.max.pd.256"
// CHECK: llvm.call_intrinsic "llvm.x86.avx.max.pd.256"
// CHECK: arith.ori
// CHECK: %[[ALL:.*]] = arith.bitcast
// CHECK: arith.xori
// CHECK: %[[SIGN:.*]] = arith.bitcast
// CHECK: arith.subf %[[ALL]], %[[SIGN]] : vector<4xf64>
module attributes {tile.target = #avx512} {
func.func @minimum(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %m = arith.minimumf %x, %y : vector<16xf32>
  return %m : vector<16xf32>
}
func.func @maximum(%x: vector<4xf64>, %y: vector<4xf64>) -> vector<4xf64> {
  %m = arith.maximumf %x, %y : vector<4xf64>
  return %m : vector<4xf64>
}

// A constant, a flag, a part of a register, a scalar, another type.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-6: arith.{{minimumf|maximumf}}
// CHECK-NOT: llvm.call_intrinsic
func.func @kept(%x: vector<16xf32>, %y: vector<16xf32>, %a: vector<2xf32>, %s: f32, %h: vector<16xf16>) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<2xf32>, f32, vector<16xf16>) {
  %c = arith.constant 6.0 : f32
  %six = vector.broadcast %c : f32 to vector<16xf32>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %0 = arith.minimumf %x, %six : vector<16xf32>
  %1 = arith.maximumf %x, %zero : vector<16xf32>
  %2 = arith.maximumf %x, %y fastmath<nnan> : vector<16xf32>
  %3 = arith.minimumf %a, %a : vector<2xf32>
  %4 = arith.minimumf %s, %s : f32
  %5 = arith.maximumf %h, %h : vector<16xf16>
  return %0, %1, %2, %3, %4, %5 : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<2xf32>, f32, vector<16xf16>
}
}

// -----

// More than a register; another CPU.
// CHECK-LABEL: func.func @wide
// CHECK: arith.minimumf
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 256 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
func.func @wide(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %m = arith.minimumf %x, %y : vector<16xf32>
  return %m : vector<16xf32>
}
}

// -----

// CHECK-LABEL: func.func @other
// CHECK: arith.minimumf
module attributes {tile.target = #tile.target<"cpu", {triple = "aarch64", cpu = "generic", features = "", required = "", vector_bits = 128 : i64, vector_registers = 32 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
func.func @other(%x: vector<4xf32>, %y: vector<4xf32>) -> vector<4xf32> {
  %m = arith.minimumf %x, %y : vector<4xf32>
  return %m : vector<4xf32>
}
}
