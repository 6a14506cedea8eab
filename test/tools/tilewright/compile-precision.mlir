// --precision is that of the products that name none, in handwritten kernels
// and in the functions that they call.
// RUN: tilewright compile %s --target sm_80 --emit tile --precision tf32x3 | FileCheck %s
// RUN: tilewright compile %s --target sm_80 --emit tile | FileCheck %s --check-prefix=OWN
// The manifest has the least exact one.
// RUN: rm -rf %t.twp && tilewright compile %s --target cpu,sm_80,interpreter --precision tf32x3 -o %t.twp
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.twp/manifest.json
// RUN: tilewright inspect %t.twp | FileCheck %s --check-prefix=INSPECT
// CPUs and the emulator run it; the interpreter rounds operands for tf32 alone.
// RUN: tilewright run %s --device cpu,interpreter,emulator --target sm_80 --precision tf32x3
// RUN: not tilewright run %t.twp --precision tf32 2>&1 | FileCheck %s --check-prefix=COMPILED
// RUN: not tilewright compile %s -o %t.twp --precision tf23 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK: tile.dot {{.*}} precision tf32x3
// CHECK: tile.dot {{.*}} precision bf16x6
// OWN-NOT: tf32x3
// OWN: tile.dot {{.*}} precision bf16x6
// MANIFEST-COUNT-3: "precision": "tf32x3",
// INSPECT: precision tf32x3: 3 kernels
// COMPILED: error: --precision has no effect here: {{.*}}.twp is compiled already
// UNKNOWN: error: --precision: expected one of ieee, tf32, tf32x3, bf16x3, bf16x6, found 'tf23'; did you mean 'tf32'?
tile.func @twice(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %c = tile.dot %a, %b, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %d = tile.dot %a, %b, %c precision bf16x6 : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.return %d : tensor<16x16xf32>
}
tile.kernel @k(%x: !tile.view<16x16xf32> {tile.name = "x"}, %y: !tile.view<16x16xf32> {tile.name = "y"}) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  %b = tile.call @twice(%a, %a) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  tile.store %b, %y[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
}
