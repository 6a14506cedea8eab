// Each stage and pass is timed, those that run on a kernel's code too.
// RUN: tilewright compile %s -o %t.twp --time-passes | FileCheck %s
// RUN: tilewright compile %s -o %t.twp --time-passes --json \
// RUN:   | %python -m json.tool - | FileCheck %s --check-prefix=JSON
// RUN: tilewright compile %s -o %t.twp | FileCheck %s --check-prefix=UNTIMED

// CHECK: 1 step, 1 kernel for cpu
// CHECK: Execution time report
// CHECK-DAG: Import
// CHECK-DAG: Kernels
// CHECK-DAG: ConvertTileToLoops
// CHECK-DAG: LowerMath
// CHECK-DAG: ConvertVectorToLLVMPass
// CHECK-DAG: LLVM optimization
// CHECK-DAG: LLVM code generation
// CHECK-DAG: Package
// CHECK: Total

// JSON: "times": [
// JSON: "name": "Total"

// UNTIMED-NOT: Execution time

tile.kernel @negate(%x: !tile.view<4xf32>, %y: !tile.view<4xf32>)
    grid affine_map<()[a, b] -> (1)> {
  %c0 = arith.constant 0 : index
  %tile = tile.load %x[%c0] : !tile.view<4xf32> -> tensor<4xf32>
  %negated = arith.negf %tile : tensor<4xf32>
  tile.store %negated, %y[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
