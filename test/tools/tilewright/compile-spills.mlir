// Registers that do not suffice are a warning, with numbers; few are not.
// RUN: %python %S/Inputs/many_values.py > %t.mlir
// RUN: tilewright compile %t.mlir --target cpu -o %t.twp 2>&1 | FileCheck %s
// RUN: tilewright compile %t.mlir --target cpu -o %t.twp --json | FileCheck %s --check-prefix=JSON
// RUN: tilewright compile %s --target cpu -o %t.twp 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: warning: kernel 'many' for cpu: registers do not suffice: among {{[0-9]+}} instructions {{[0-9]+}} values go to the stack, and {{[0-9]+}} come back; smaller tiles or another schedule may be faster
// CHECK: 1 kernel for cpu
// JSON: "diagnostics": [
// JSON: "severity": "warning"
// JSON: "code": "spills"
// JSON: "file": "{{.*}}.mlir"
// JSON: "line": 1
// JSON: "message": "kernel 'many' for cpu: registers do not suffice
// NONE-NOT: warning

tile.kernel @few(%x: !tile.view<?xf32>, %y: !tile.view<?xf32>) {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] pad 0.0 : !tile.view<?xf32> -> tensor<16xf32>
  tile.store %t, %y[%c0] : tensor<16xf32>, !tile.view<?xf32>
}
