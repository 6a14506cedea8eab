// RUN: tilewright-opt %s --scalarize-predicates --canonicalize | FileCheck %s

// Each predicate is computed from elements. What stays the same in all is
// computed once.
// CHECK-LABEL: func.func @mask
// CHECK-SAME: (%[[X:.*]]: vector<2xi32>, %[[N:.*]]: i32, %[[P:.*]]: i1)
// CHECK-DAG: %[[X0:.*]] = vector.extract %[[X]][0]
// CHECK-DAG: %[[X1:.*]] = vector.extract %[[X]][1]
// CHECK-DAG: %[[L0:.*]] = arith.cmpi ult, %[[X0]], %[[N]] : i32
// CHECK-DAG: %[[L1:.*]] = arith.cmpi ult, %[[X1]], %[[N]] : i32
// CHECK-DAG: %[[A0:.*]] = arith.andi %[[L0]], %[[P]] : i1
// CHECK-DAG: %[[A1:.*]] = arith.andi %[[L1]], %[[P]] : i1
// CHECK-DAG: %[[R:.*]] = arith.cmpi ult, %[[N]], %{{.*}} : i32
// CHECK-NOT: arith.cmpi
// CHECK: return %[[A0]], %[[A1]], %[[R]]
func.func @mask(%x: vector<2xi32>, %n: i32, %p: i1) -> (i1, i1, i1) {
  %bound = vector.broadcast %n : i32 to vector<2xi32>
  %less = arith.cmpi ult, %x, %bound : vector<2xi32>
  %given = vector.broadcast %p : i1 to vector<2xi1>
  %all = arith.andi %less, %given : vector<2xi1>
  %0 = vector.extract %all[0] : i1 from vector<2xi1>
  %1 = vector.extract %all[1] : i1 from vector<2xi1>
  %size = arith.constant dense<7> : vector<2xi32>
  %row = arith.cmpi ult, %bound, %size : vector<2xi32>
  %2 = vector.extract %row[1] : i1 from vector<2xi1>
  return %0, %1, %2 : i1, i1, i1
}

// What is selected by predicates is, too; other vectors stay.
// CHECK-LABEL: func.func @select
// CHECK-COUNT-2: arith.select {{.*}} : f32
// CHECK: vector.from_elements
// CHECK: arith.addf {{.*}} : vector<2xf32>
func.func @select(%p: vector<2xi1>, %x: vector<2xf32>, %y: vector<2xf32>) -> vector<2xf32> {
  %0 = arith.select %p, %x, %y : vector<2xi1>, vector<2xf32>
  %1 = arith.addf %0, %x : vector<2xf32>
  return %1 : vector<2xf32>
}

// Elements that are shuffled, or that a loop gives.
// CHECK-LABEL: func.func @shuffled
// CHECK: scf.for
// CHECK: %[[A:.*]] = vector.extract %[[C:.*]][1] : i1 from vector<2xi1>
// CHECK: arith.xori %[[A]], %{{.*}} : i1
func.func @shuffled(%p: vector<2xi1>, %n: index) -> vector<2xi1> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%c = %p) -> vector<2xi1> {
    %s = vector.shuffle %c, %p [1, 3] : vector<2xi1>, vector<2xi1>
    %x = arith.xori %s, %p : vector<2xi1>
    scf.yield %x : vector<2xi1>
  }
  return %r : vector<2xi1>
}
