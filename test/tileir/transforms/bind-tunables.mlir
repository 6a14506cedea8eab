// RUN: tilewright-opt %s --bind-tunables="values=stages=3,split=2" | FileCheck %s
// RUN: not tilewright-opt %s --bind-tunables="values=stages=5" 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// RUN: not tilewright-opt %s --bind-tunables="values=BM=64" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tilewright-opt %s --bind-tunables="values=stages" 2>&1 | FileCheck %s --check-prefix=MALFORMED

// Every tunable of a name is bound, others stay.
// CHECK-LABEL: @bound
// CHECK-DAG: %[[STAGES:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[AGAIN:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[SPLIT:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[UNROLL:.*]] = tile.tunable "unroll" of [1, 4]
// CHECK: tile.return %[[STAGES]], %[[AGAIN]], %[[SPLIT]], %[[UNROLL]]
tile.func @bound() -> (index, index, index, index) {
  // ILLEGAL: :[[#@LINE+1]]:{{.*}} error: tile.tunable: "stages" is bound to 5, expected one of [2, 3, 4]
  %a = tile.tunable "stages" of [2, 3, 4]
  %b = tile.tunable "stages" of [2, 3, 4]
  %c = tile.tunable "split" of [1, 2]
  %d = tile.tunable "unroll" of [1, 4]
  tile.return %a, %b, %c, %d : index, index, index, index
}

// UNKNOWN: error: bind-tunables: there is no tunable "BM"
// MALFORMED: error: bind-tunables: 'stages' is not a binding; expected NAME=NUMBER, as in stages=3
