// RUN: tilewright-opt %s --move-concats --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>

// What is computed of the concatenation is computed of its inputs. The operand that
// follows it is sliced, the one that all parts have alike is not.
// CHECK-LABEL: @moved
// CHECK-NOT: tensor.concat
// CHECK: %[[S:.*]] = tensor.extract_slice %arg2[0] [3] [1]
// CHECK: %[[A:.*]] = linalg.generic {{.*}} ins(%arg0, %[[S]], %arg3 :
// CHECK: %[[T:.*]] = tensor.extract_slice %arg2[3] [5] [1]
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%arg1, %[[T]], %arg3 :
// CHECK: %[[C:.*]] = tensor.concat dim(1) %[[A]], %[[B]] : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[C]]
func.func @moved(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>, %r: tensor<8xf32>, %s: tensor<4xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %c = tensor.concat dim(1) %x, %y : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  %a = linalg.generic {indexing_maps = [#id, #row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %r, %s : tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32, %o: f32):
    %u = arith.addf %p, %q : f32
    %v = arith.mulf %u, %t : f32
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %a : tensor<4x8xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Its own size need not be known. Behind the second op, too.
// CHECK-LABEL: @dynamic
// CHECK-COUNT-4: linalg.generic
// CHECK: tensor.concat dim(0) %{{.*}}, %{{.*}} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
// CHECK-NEXT: return
func.func @dynamic(%x: tensor<?xf32>, %y: tensor<2xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %c = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<2xf32>) -> tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%c : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = math.exp %p : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = arith.negf %p : f32
    linalg.yield %u : f32
  } -> tensor<?xf32>
  return %b : tensor<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The index along it is one of the whole; a second reader needs it whole; and of an
// operand of unknown size no slice is known to exist.
// CHECK-LABEL: @left
// CHECK-COUNT-3: tensor.concat
// CHECK-NOT: tensor.concat
func.func @left(%x: tensor<2xf32>, %y: tensor<?xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %c = tensor.concat dim(0) %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %d = tensor.concat dim(0) %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %f = tensor.concat dim(0) %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%c : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %l = arith.sitofp %k : i32 to f32
    %u = arith.addf %p, %l : f32
    linalg.yield %u : f32
  } -> tensor<4xf32>
  %h = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%d : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %u = arith.negf %p : f32
    linalg.yield %u : f32
  } -> tensor<4xf32>
  %j = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%f, %y : tensor<4xf32>, tensor<?xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %u = arith.addf %p, %q : f32
    linalg.yield %u : f32
  } -> tensor<4xf32>
  return %d, %g, %h, %j : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The table that a rotary embedding reads twice: of a product by it two halves
// are read, and each is computed of the table itself.
// CHECK-LABEL: @halves
// CHECK-SAME: %[[X:.*]]: tensor<6x8xf32>, %[[C:.*]]: tensor<4xf32>
// CHECK-DAG: %[[LOW:.*]] = tensor.extract_slice %[[X]][0, 0] [6, 4] [1, 1]
// CHECK-DAG: %[[HIGH:.*]] = tensor.extract_slice %[[X]][0, 4] [6, 4] [1, 1]
// CHECK-DAG: linalg.generic {{.*}} ins(%[[LOW]], %[[C]]
// CHECK-DAG: linalg.generic {{.*}} ins(%[[HIGH]], %[[C]]
// CHECK-NOT: tensor.concat
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @halves(%x: tensor<6x8xf32>, %c: tensor<4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %cc = tensor.concat dim(0) %c, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %e = tensor.empty() : tensor<6x8xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %cc : tensor<6x8xf32>, tensor<8xf32>) outs(%e : tensor<6x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<6x8xf32>
  %l = tensor.extract_slice %p[0, 0] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
  %h = tensor.extract_slice %p[0, 4] [6, 4] [1, 1] : tensor<6x8xf32> to tensor<6x4xf32>
  return %l, %h : tensor<6x4xf32>, tensor<6x4xf32>
}

// -----

// A slice within the second input, and one across both.
// CHECK-LABEL: @slices
// CHECK-SAME: %[[X:.*]]: tensor<6xf32>, %[[Y:.*]]: tensor<9xf32>
// CHECK: %[[C:.*]] = tensor.concat
// CHECK: tensor.extract_slice %[[Y]][1] [4] [2]
// CHECK: tensor.extract_slice %[[C]][5] [4] [1]
func.func @slices(%x: tensor<6xf32>, %y: tensor<9xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c = tensor.concat dim(0) %x, %y : (tensor<6xf32>, tensor<9xf32>) -> tensor<15xf32>
  %a = tensor.extract_slice %c[7] [4] [2] : tensor<15xf32> to tensor<4xf32>
  %b = tensor.extract_slice %c[5] [4] [1] : tensor<15xf32> to tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// The inputs are not put together in a loop, only because the reader is there.
// CHECK-LABEL: @loop
// CHECK: tensor.concat
// CHECK: scf.for
// CHECK-NOT: tensor.concat
// CHECK: return
func.func @loop(%x: tensor<2xf32>, %y: tensor<2xf32>, %t: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %t : tensor<i64>
  %e = tensor.empty() : tensor<4xf32>
  %c = tensor.concat dim(0) %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %r = scf.for %n = %c0 to %k step %c1 iter_args(%z = %e) -> tensor<4xf32> {
    %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%c, %z : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %u = arith.addf %p, %q : f32
      linalg.yield %u : f32
    } -> tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
