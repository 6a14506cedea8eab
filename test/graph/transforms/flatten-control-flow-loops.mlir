// RUN: tilewright-opt %s --flatten-control-flow=limit=100 --split-input-file | FileCheck %s

// How often depends on data: the host reads it. A negative number is none.
// CHECK-LABEL: @data
// CHECK: %[[M:.*]] = arith.maxsi
// CHECK: %[[I:.*]] = arith.index_cast %[[M]] : index to i64
// CHECK: %[[T:.*]] = tensor.from_elements %[[I]]
// CHECK: %[[N:.*]] = graph.size %[[T]] : tensor<i64>
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<4xf32>, tensor<f32>) {
// CHECK: %[[A:.*]] = tensor.extract
// CHECK: arith.addf %[[A]], %[[A]]
// CHECK: tensor.from_elements
func.func @data(%x: tensor<4xf32>, %a: f32, %n: index) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %x, %s = %a) -> (tensor<4xf32>, f32) {
    %e = math.exp %b : tensor<4xf32>
    %t = arith.addf %s, %s : f32
    scf.yield %e, %t : tensor<4xf32>, f32
  }
  return %r#0, %r#1 : tensor<4xf32>, f32
}

// -----

// So long that the program would grow beyond the limit.
// CHECK-LABEL: @long
// CHECK: scf.for
// CHECK: math.exp
// CHECK-NOT: math.exp
func.func @long(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %r = scf.for %i = %c0 to %c1000 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %e = math.exp %a : tensor<4xf32>
    scf.yield %e : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// The condition is computed in front of the loop and at the end of each
// iteration: the loop carries it.
// CHECK-LABEL: @rotated
// CHECK: %[[B:.*]] = arith.cmpf ogt
// CHECK: %[[T:.*]] = tensor.from_elements %[[B]]
// CHECK: %[[R:.*]]:2 = scf.while (%[[U:.*]] = %[[T]], %[[Y:.*]] = %{{.*}}) : (tensor<i1>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>) {
// CHECK-NEXT: %[[C:.*]] = graph.condition %[[U]]
// CHECK-NEXT: scf.condition(%[[C]]) %[[U]], %[[Y]]
// CHECK: } do {
// CHECK: arith.negf
// CHECK: arith.cmpf ogt
// CHECK: scf.yield
// CHECK: return %[[R]]#1
func.func @rotated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = scf.while (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = tensor.extract %a[%c0] : tensor<4xf32>
    %c = arith.cmpf ogt, %e, %z : f32
    scf.condition(%c) %a : tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %b = arith.negf %a : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A loop that has this form, with a count, is as it was.
// CHECK-LABEL: @count
// CHECK: scf.while
// CHECK-NEXT: graph.condition
// CHECK-NEXT: arith.cmpi slt
// CHECK-NEXT: arith.andi
// CHECK-NEXT: scf.condition
func.func @count(%x: tensor<4xf32>, %t: tensor<i1>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = graph.size %n : tensor<i64>
  %r:3 = scf.while (%i = %c0, %u = %t, %a = %x) : (index, tensor<i1>, tensor<4xf32>) -> (index, tensor<i1>, tensor<4xf32>) {
    %d = graph.condition %u : tensor<i1>
    %l = arith.cmpi slt, %i, %most : index
    %c = arith.andi %d, %l : i1
    scf.condition(%c) %i, %u, %a : index, tensor<i1>, tensor<4xf32>
  } do {
  ^bb0(%i: index, %u: tensor<i1>, %a: tensor<4xf32>):
    %j = arith.addi %i, %c1 : index
    %b = arith.negf %a : tensor<4xf32>
    scf.yield %j, %u, %b : index, tensor<i1>, tensor<4xf32>
  }
  return %r#2 : tensor<4xf32>
}

// -----

// A number of type index that elements decide is in memory, too.
// CHECK-LABEL: @index
// CHECK: %[[FIRST:.*]] = tensor.from_elements %{{.*}} : tensor<i64>
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[FIRST]], %[[B:.*]] = %{{.*}}) -> (tensor<i64>, index) {
// CHECK: tensor.extract %[[A]][] : tensor<i64>
// CHECK: arith.addi %[[B]]
// CHECK: tensor.from_elements
func.func @index(%x: tensor<?xi64>, %n: tensor<i64>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %r:2 = scf.for %i = %c0 to %k step %c1 iter_args(%a = %c0, %b = %c0) -> (index, index) {
    %e = tensor.extract %x[%i] : tensor<?xi64>
    %v = arith.index_cast %e : i64 to index
    %s = arith.addi %a, %v : index
    %t = arith.addi %b, %k : index
    scf.yield %s, %t : index, index
  }
  return %r#0, %r#1 : index, index
}

// -----

// More than 64 iterations of more than 8 ops are a loop, fewer are unrolled.
// CHECK-LABEL: @many
// CHECK: scf.for
// CHECK-COUNT-9: math.exp
// CHECK-NOT: math.exp
// CHECK: return
func.func @many(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c65 = arith.constant 65 : i32
  %r = scf.for %i = %c0 to %c65 step %c1 iter_args(%a = %x) -> tensor<4xf32> : i32 {
    %0 = math.exp %a : tensor<4xf32>
    %1 = math.exp %0 : tensor<4xf32>
    %2 = math.exp %1 : tensor<4xf32>
    %3 = math.exp %2 : tensor<4xf32>
    %4 = math.exp %3 : tensor<4xf32>
    %5 = math.exp %4 : tensor<4xf32>
    %6 = math.exp %5 : tensor<4xf32>
    %7 = math.exp %6 : tensor<4xf32>
    %8 = math.exp %7 : tensor<4xf32>
    scf.yield %8 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A count that alone decides has a condition that always holds.
// CHECK-LABEL: @below
// CHECK: scf.while
// CHECK-NEXT: graph.condition
// CHECK-NEXT: arith.cmpi slt
// CHECK-NEXT: arith.andi
// CHECK-NEXT: scf.condition
func.func @below(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %n : tensor<i64>
  %r:2 = scf.while (%i = %c0, %a = %x) : (index, tensor<4xf32>) -> (index, tensor<4xf32>) {
    %c = arith.cmpi slt, %i, %k : index
    scf.condition(%c) %i, %a : index, tensor<4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<4xf32>):
    %j = arith.addi %i, %c1 : index
    %b = math.exp %a : tensor<4xf32>
    scf.yield %j, %b : index, tensor<4xf32>
  }
  return %r#1 : tensor<4xf32>
}

// -----

// The limit of a count is read, too. One below 0 is none.
// CHECK-LABEL: @limit
// CHECK: arith.maxsi
// CHECK: %[[K:.*]] = graph.size
// CHECK: scf.while
// CHECK-NEXT: graph.condition
// CHECK-NEXT: arith.cmpi slt, %{{.*}}, %[[K]]
func.func @limit(%x: tensor<4xf32>, %t: tensor<i1>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %e : i64 to index
  %r:3 = scf.while (%i = %c0, %u = %t, %a = %x) : (index, tensor<i1>, tensor<4xf32>) -> (index, tensor<i1>, tensor<4xf32>) {
    %d = graph.condition %u : tensor<i1>
    %l = arith.cmpi slt, %i, %k : index
    %c = arith.andi %d, %l : i1
    scf.condition(%c) %i, %u, %a : index, tensor<i1>, tensor<4xf32>
  } do {
  ^bb0(%i: index, %u: tensor<i1>, %a: tensor<4xf32>):
    %j = arith.addi %i, %c1 : index
    %b = math.exp %a : tensor<4xf32>
    scf.yield %j, %u, %b : index, tensor<i1>, tensor<4xf32>
  }
  return %r#2 : tensor<4xf32>
}

// -----

// What nobody reads is not carried.
// CHECK-LABEL: @unread
// CHECK: scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<4xf32>) {
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (tensor<i1>, tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>) {
func.func @unread(%x: tensor<4xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %u = ub.poison : tensor<?xf32>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %u, %b = %x, %d = %y) -> (tensor<?xf32>, tensor<4xf32>, tensor<?xf32>) {
    %v = ub.poison : tensor<?xf32>
    %e = math.exp %b : tensor<4xf32>
    scf.yield %v, %e, %y : tensor<?xf32>, tensor<4xf32>, tensor<?xf32>
  }
  %s:2 = scf.while (%a = %x, %d = %y) : (tensor<4xf32>, tensor<?xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
    %t = tensor.extract %a[%c0] : tensor<4xf32>
    %c = arith.cmpf ogt, %t, %z : f32
    scf.condition(%c) %a, %d : tensor<4xf32>, tensor<?xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %d: tensor<?xf32>):
    %e = arith.negf %a : tensor<4xf32>
    scf.yield %e, %y : tensor<4xf32>, tensor<?xf32>
  }
  return %r#1, %s#0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Nor what is the same in all iterations; a condition may read it.
// CHECK-LABEL: @same
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %[[X]]) -> (tensor<4xf32>) {
// CHECK: arith.addf %[[A]], %[[Y]]
// CHECK: return %{{.*}}, %[[Y]]
func.func @same(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    %e = arith.addf %a, %b : tensor<4xf32>
    scf.yield %e, %b : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Memory grows only where a loop carries it: that is not unrolled.
// CHECK-LABEL: @collects
// CHECK: scf.while
// CHECK: graph.resize_rows
func.func @collects(%x: tensor<4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty(%c1) : tensor<?x4xf32>
  %r:2 = scf.while (%i = %c0, %a = %e) : (index, tensor<?x4xf32>) -> (index, tensor<?x4xf32>) {
    %c = arith.cmpi slt, %i, %c2 : index
    scf.condition(%c) %i, %a : index, tensor<?x4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<?x4xf32>):
    %n = arith.addi %i, %c1 : index
    %m = arith.addi %i, %c2 : index
    %b = tensor.insert_slice %x into %a[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    %g = graph.resize_rows %b to %m : tensor<?x4xf32> -> tensor<?x4xf32>
    scf.yield %n, %g : index, tensor<?x4xf32>
  }
  return %r#1 : tensor<?x4xf32>
}
