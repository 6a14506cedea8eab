// RUN: tilewright-opt %s --lower-math-functions --cse | FileCheck %s

// e^x = 2^n e^r. Vectors stay vectors, scalars scalars.
// CHECK-LABEL: @exponential
// CHECK-SAME: %[[X:.*]]: f32
func.func @exponential(%x: f32) -> f32 {
  // CHECK-DAG: %[[LEAST:.*]] = arith.constant -1.050000e+02
  // CHECK-DAG: %[[MOST:.*]] = arith.constant 8.900000e+01
  // CHECK-DAG: %[[MAGIC:.*]] = arith.constant 0x4B400000
  // CHECK-DAG: %[[LOG2E:.*]] = arith.constant 1.44269502
  // CHECK-DAG: %[[LN2:.*]] = arith.constant 0.693145751
  // CHECK-DAG: %[[LN2_LOW:.*]] = arith.constant 1.42860677E-6
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00

  // Within the bounds beyond which nothing changes; NaN stays.
  // CHECK: %[[IS_LOW:.*]] = arith.cmpf olt, %[[X]], %[[LEAST]]
  // CHECK: %[[RAISED:.*]] = arith.select %[[IS_LOW]], %[[LEAST]], %[[X]]
  // CHECK: %[[IS_HIGH:.*]] = arith.cmpf ogt, %[[RAISED]], %[[MOST]]
  // CHECK: %[[BOUNDED:.*]] = arith.select %[[IS_HIGH]], %[[MOST]], %[[RAISED]]

  // n, as a float and as an integer: the sum's last bit has the value 1.
  // CHECK: %[[SUM:.*]] = math.fma %[[BOUNDED]], %[[LOG2E]], %[[MAGIC]]
  // CHECK: %[[N:.*]] = arith.subf %[[SUM]], %[[MAGIC]]
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
  // CHECK: %[[WHOLE:.*]] = arith.subi %[[BITS]], %{{.*}}

  // r = x - n ln(2), the logarithm in two parts.
  // CHECK: %[[MINUS_N:.*]] = arith.negf %[[N]]
  // CHECK: %[[HIGH:.*]] = math.fma %[[MINUS_N]], %[[LN2]], %[[BOUNDED]]
  // CHECK: %[[R:.*]] = math.fma %[[MINUS_N]], %[[LN2_LOW]], %[[HIGH]]

  // (1 + r) + (r^2 P(r) + what 1 + r loses).
  // CHECK: %[[ONE_R:.*]] = arith.addf %[[R]], %[[ONE]]
  // CHECK: %[[KEPT:.*]] = arith.subf %[[ONE_R]], %[[ONE]]
  // CHECK: %[[LOST:.*]] = arith.subf %[[R]], %[[KEPT]]
  // CHECK: %[[SQUARE:.*]] = arith.mulf %[[R]], %[[R]]
  // CHECK-COUNT-4: math.fma %{{.*}}, %[[R]], %{{.*}}
  // CHECK: %[[P:.*]] = math.fma %{{.*}}, %[[R]], %{{.*}}
  // CHECK: %[[TAIL:.*]] = math.fma %[[SQUARE]], %[[P]], %[[LOST]]
  // CHECK: %[[E_R:.*]] = arith.addf %[[ONE_R]], %[[TAIL]]

  // 2^n in two factors, of which only the second can round.
  // CHECK: %[[NEGATIVE:.*]] = arith.cmpf olt, %[[BOUNDED]], %{{.*}}
  // CHECK: %[[BIAS:.*]] = arith.select %[[NEGATIVE]], %{{.*}}, %{{.*}}
  // CHECK: %[[BIASED:.*]] = arith.addi %[[WHOLE]], %[[BIAS]]
  // CHECK: %[[FIELD:.*]] = arith.shli %[[BIASED]], %{{.*}}
  // CHECK: %[[POWER:.*]] = arith.bitcast %[[FIELD]] : i32 to f32
  // CHECK: %[[FIRST:.*]] = arith.mulf %[[E_R]], %[[POWER]]
  // CHECK: %[[RESULT:.*]] = arith.mulf %[[FIRST]], %{{.*}}
  // CHECK: return %[[RESULT]]
  %y = math.exp %x : f32
  return %y : f32
}

// Huge operands take a branch, a vector as a whole.
// CHECK-LABEL: @sine
func.func @sine(%x: vector<8xf32>, %y: vector<2x4xf64>, %z: f64)
    -> (vector<8xf32>, vector<2x4xf64>, f64) {
  // CHECK: %[[HUGE:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} : vector<8xf32>
  // CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[HUGE]]
  // CHECK: scf.if %[[ANY]] -> (vector<8xf32>, vector<8xf32>, vector<8xi32>)
  %a = math.sin %x : vector<8xf32>
  // CHECK: %[[FLAT:.*]] = vector.shape_cast %{{.*}} : vector<2x4xi1> to vector<8xi1>
  // CHECK: vector.reduction <or>, %[[FLAT]]
  %b = math.cos %y : vector<2x4xf64>
  // CHECK: %[[IS_HUGE:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} : f64
  // CHECK: scf.if %[[IS_HUGE]] -> (f64, f64, i64)
  %c = math.tan %z : f64
  return %a, %b, %c : vector<8xf32>, vector<2x4xf64>, f64
}

// Sine and cosine of one operand reduce it once.
// CHECK-LABEL: @shared
// CHECK-COUNT-1: scf.if
// CHECK-NOT: scf.if
// CHECK: return
func.func @shared(%x: f32) -> (f32, f32) {
  %a = math.sin %x : f32
  %b = math.cos %x : f32
  return %a, %b : f32, f32
}

// No function is left on f64.
// CHECK-LABEL: @all
// CHECK-NOT: math.{{a?cos|a?sin|a?tan|sincos|exp|log|erf|pow|fpowi|cbrt|rsqrt}}
// CHECK: return
func.func @all(%x: vector<4xf64>, %n: vector<4xi32>) -> vector<4xf64> {
  %0 = math.acos %x : vector<4xf64>
  %1 = math.acosh %0 : vector<4xf64>
  %2 = math.asin %1 : vector<4xf64>
  %3 = math.asinh %2 : vector<4xf64>
  %4 = math.atan %3 : vector<4xf64>
  %5 = math.atan2 %4, %x : vector<4xf64>
  %6 = math.atanh %5 : vector<4xf64>
  %7 = math.cbrt %6 : vector<4xf64>
  %8 = math.cosh %7 : vector<4xf64>
  %9 = math.erf %8 : vector<4xf64>
  %10 = math.erfc %9 : vector<4xf64>
  %11 = math.exp2 %10 : vector<4xf64>
  %12 = math.expm1 %11 : vector<4xf64>
  %13 = math.fpowi %12, %n : vector<4xf64>, vector<4xi32>
  %14 = math.log %13 : vector<4xf64>
  %15 = math.log10 %14 : vector<4xf64>
  %16 = math.log1p %15 : vector<4xf64>
  %17 = math.log2 %16 : vector<4xf64>
  %18 = math.powf %17, %x : vector<4xf64>
  %19 = math.rsqrt %18 : vector<4xf64>
  %20, %21 = math.sincos %19 : vector<4xf64>
  %22 = math.sinh %20 : vector<4xf64>
  %23 = math.tanh %22 : vector<4xf64>
  return %23 : vector<4xf64>
}

// CHECK-LABEL: @integer_power
// CHECK: scf.for
// CHECK: arith.muli {{.*}} : vector<4xi8>
func.func @integer_power(%x: vector<4xi8>, %n: vector<4xi8>) -> vector<4xi8> {
  %y = math.ipowi %x, %n : vector<4xi8>
  return %y : vector<4xi8>
}

// Narrower floats are widened before; what targets have themselves stays.
// CHECK-LABEL: @left
func.func @left(%x: vector<4xf16>, %y: bf16, %z: f32, %n: i32, %wide: i128)
    -> (vector<4xf16>, bf16, f32, i32, f32) {
  // CHECK: math.exp %{{.*}} : vector<4xf16>
  %a = math.exp %x : vector<4xf16>
  // CHECK: math.sin %{{.*}} : bf16
  %b = math.sin %y : bf16
  // CHECK: math.sqrt %{{.*}} : f32
  %c = math.sqrt %z : f32
  // CHECK: math.ctpop
  %d = math.ctpop %n : i32
  // CHECK: math.fpowi %{{.*}} : f32, i128
  %e = math.fpowi %z, %wide : f32, i128
  return %a, %b, %c, %d, %e : vector<4xf16>, bf16, f32, i32, f32
}
