// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(drop-assertions))' | FileCheck %s

// CHECK-LABEL: @k
// CHECK-NOT: tile.assert
tile.kernel @k(%c: i1) {
  tile.assert %c, "no" : i1
}
