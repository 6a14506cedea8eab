// RUN: tilewright-opt %s --push-gathers --split-input-file | FileCheck %s

// One element of each row of a difference: it is computed from what the
// difference is of. The other side follows the loop, and is an operand.
// CHECK-LABEL: @element
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK-SAME: ins(%arg2, %arg1 : tensor<4xi64>, tensor<4xf32>)
// CHECK: %[[X:.*]] = tensor.extract %arg0
// CHECK: arith.subf %[[X]], %{{.*}} : f32
func.func @element(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %i: tensor<4xi64>)
    -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<4x8xf32>, tensor<4xf32>)
      outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%i : tensor<4xi64>) outs(%f : tensor<4xf32>) {
  ^bb0(%at: i64, %o: f32):
    %row = linalg.index 0 : index
    %column = arith.index_cast %at : i64 to index
    %v = tensor.extract %d[%row, %column] : tensor<4x8xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// The result of the model is in memory anyway.
// CHECK-LABEL: @result
// CHECK: %[[D:.*]] = linalg.generic
// CHECK: tensor.extract %[[D]]
func.func @result(%x: tensor<8xf32>, %i: tensor<4xi64>)
    -> (tensor<8xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%i : tensor<4xi64>) outs(%f : tensor<4xf32>) {
  ^bb0(%at: i64, %o: f32):
    %column = arith.index_cast %at : i64 to index
    %v = tensor.extract %d[%column] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %d, %r : tensor<8xf32>, tensor<4xf32>
}

// -----

// More elements are gathered than there are.
// CHECK-LABEL: @many
// CHECK: %[[D:.*]] = linalg.generic
// CHECK: tensor.extract %[[D]]
func.func @many(%x: tensor<8xf32>, %i: tensor<9xi64>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %f = tensor.empty() : tensor<9xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%i : tensor<9xi64>) outs(%f : tensor<9xf32>) {
  ^bb0(%at: i64, %o: f32):
    %column = arith.index_cast %at : i64 to index
    %v = tensor.extract %d[%column] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

// A part of what was computed of a vector of indices: its loop has a part of the
// vector, which so is no operand.
// CHECK-LABEL: @part
// CHECK: linalg.generic
// CHECK-SAME: outs
// CHECK: %[[ROW:.*]] = linalg.index 0
// CHECK: %[[AT:.*]] = tensor.extract %{{.*}}[%[[ROW]]] : tensor<4xi64>
func.func @part(%x: tensor<8x3xf32>, %i: tensor<4xi64>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<4x3xf32>
  %g = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r)>, affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<4xi64>) outs(%e : tensor<4x3xf32>) {
  ^bb0(%at: i64, %o: f32):
    %row = arith.index_cast %at : i64 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %x[%row, %column] : tensor<8x3xf32>
    linalg.yield %v : f32
  } -> tensor<4x3xf32>
  %f = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(r, c) -> (r, c)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%f : tensor<2x3xf32>) {
  ^bb0(%o: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %v = tensor.extract %g[%row, %column] : tensor<4x3xf32>
    linalg.yield %v : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// An exponential is cheaper at both places than stored, loaded and loaded; what
// is computed of two of them is not, and is stored: its reader gathers from it.
// CHECK-LABEL: @diamonds
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[Y:.*]] = linalg.generic {{.*}} ins(%[[A]], %arg1
// CHECK: tensor.extract %arg0
// CHECK: math.exp
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK-NOT: math.exp
// CHECK: tensor.extract %[[Y]]
// CHECK-NOT: tensor.extract
func.func @diamonds(%x: tensor<4096xf32>, %i: tensor<4096xindex>)
    -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %a = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%a, %i : tensor<4096xf32>, tensor<4096xindex>)
      outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %at: index, %o: f32):
    %g = tensor.extract %a[%at] : tensor<4096xf32>
    %s = arith.addf %p, %g : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %z = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%y, %i : tensor<4096xf32>, tensor<4096xindex>)
      outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %at: index, %o: f32):
    %g = tensor.extract %y[%at] : tensor<4096xf32>
    %s = arith.addf %p, %g : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  return %z : tensor<4096xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// Here each value is gathered once, but behind an op that reads it in place: it
// would be computed for both all the same.
// CHECK-LABEL: @behind
// CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1
// CHECK: tensor.extract %arg0
// CHECK: linalg.yield
// CHECK: linalg.generic
// CHECK: tensor.extract %[[B]]
// CHECK: math.absf
// CHECK: arith.addf
// CHECK-NOT: tensor.extract
func.func @behind(%x: tensor<4096xf32>, %i: tensor<4096xindex>)
    -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %ax = linalg.generic {indexing_maps = [#id, #id],
                        iterator_types = ["parallel"]}
      ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = math.absf %p : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %b = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%x, %i : tensor<4096xf32>, tensor<4096xindex>)
      outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %at: index, %o: f32):
    %g = tensor.extract %ax[%at] : tensor<4096xf32>
    %h = math.exp %g : f32
    %s = arith.addf %p, %h : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %ab = linalg.generic {indexing_maps = [#id, #id],
                        iterator_types = ["parallel"]}
      ins(%b : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = math.absf %p : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%b, %i : tensor<4096xf32>, tensor<4096xindex>)
      outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %at: index, %o: f32):
    %g = tensor.extract %ab[%at] : tensor<4096xf32>
    %s = arith.addf %p, %g : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  return %c : tensor<4096xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What is read twice at one index is computed there once.
// CHECK-LABEL: @once
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0
// CHECK-NOT: tensor.extract
// CHECK: math.exp
// CHECK-NOT: math.exp
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @once(%x: tensor<4096xf32>, %i: tensor<64xindex>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %f = tensor.empty() : tensor<64xf32>
  %a = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %b = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%a : tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.mulf %p, %p : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id],
                       iterator_types = ["parallel"]}
      ins(%a, %b : tensor<4096xf32>, tensor<4096xf32>)
      outs(%e : tensor<4096xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %g = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%i : tensor<64xindex>) outs(%f : tensor<64xf32>) {
  ^bb0(%at: index, %o: f32):
    %s = tensor.extract %c[%at] : tensor<4096xf32>
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %g : tensor<64xf32>
}

// -----

// A loop would compute the element in each iteration.
// CHECK-LABEL: @loop
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: tensor.extract
func.func @loop(%x: tensor<4x8xf32>, %i: tensor<4xi64>, %t: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %t : tensor<i64>
  %e = tensor.empty() : tensor<4x8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<4x8xf32>
  %r = scf.for %n = %c0 to %k step %c1 iter_args(%y = %f) -> tensor<4xf32> {
    %g = linalg.generic {
        indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]}
        ins(%i : tensor<4xi64>) outs(%f : tensor<4xf32>) {
    ^bb0(%at: i64, %o: f32):
      %row = linalg.index 0 : index
      %column = arith.index_cast %at : i64 to index
      %v = tensor.extract %d[%row, %column] : tensor<4x8xf32>
      linalg.yield %v : f32
    } -> tensor<4xf32>
    scf.yield %g : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A table of quantized weights is not made for the elements that are read of it,
// however many these are.
// CHECK-LABEL: @quantized_table
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0 : tensor<?x?xi64>)
// CHECK: tensor.extract %{{.*}} : tensor<4x8xi8>
// CHECK: arith.sitofp
// CHECK: arith.mulf
func.func @quantized_table(%rows: tensor<?x?xi64>, %init: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %bytes = arith.constant dense<"0x0102030405060708010203040506070801020304050607080102030405060708"> : tensor<4x8xi8>
  %scales = arith.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %empty = tensor.empty() : tensor<4x8xf32>
  %table = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%bytes, %scales : tensor<4x8xi8>, tensor<4x1xf32>) outs(%empty : tensor<4x8xf32>) {
  ^bb0(%x: i8, %scale: f32, %out: f32):
    %f = arith.sitofp %x : i8 to f32
    %r = arith.mulf %f, %scale : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %result = linalg.generic {indexing_maps = [affine_map<(b, s, j) -> (b, s)>, affine_map<(b, s, j) -> (b, s, j)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rows : tensor<?x?xi64>) outs(%init : tensor<?x?x8xf32>) {
  ^bb0(%row: i64, %out: f32):
    %i = arith.index_cast %row : i64 to index
    %j = linalg.index 2 : index
    %e = tensor.extract %table[%i, %j] : tensor<4x8xf32>
    linalg.yield %e : f32
  } -> tensor<?x?x8xf32>
  return %result : tensor<?x?x8xf32>
}
