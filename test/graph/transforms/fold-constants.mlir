// RUN: tilewright-opt %s --fold-constants --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --fold-constants=most-elements=2 --split-input-file | FileCheck %s --check-prefix=FEW
// RUN: tilewright-opt %s --fold-constants=most-operations=2 --split-input-file | FileCheck %s --check-prefix=FEW

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// What reads constants only is a constant: through bodies, slices and
// concatenations, one after the other.
// CHECK-LABEL: @chain
// CHECK: %[[C:.*]] = arith.constant dense<[3.000000e+00, 5.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK-NOT: tensor.concat
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[C]]
// FEW-LABEL: @chain
// FEW: tensor.concat
func.func @chain(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %p : f32
    %t = arith.addf %s, %one : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %first = tensor.extract_slice %b[0] [1] [1] : tensor<2xf32> to tensor<1xf32>
  %c = tensor.concat dim(0) %b, %first : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
  %f = tensor.empty() : tensor<3xf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %c : tensor<3xf32>, tensor<3xf32>) outs(%f : tensor<3xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// One value for all elements goes into the body.
// CHECK-LABEL: @splat
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel"]} ins(%arg0 : tensor<?xf32>)
// CHECK-NEXT: ^bb0(%[[P:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: arith.mulf %[[P]], %[[TWO]]
func.func @splat(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  %r = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%x, %two : tensor<?xf32>, tensor<f32>) outs(%x : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

#id = affine_map<(i) -> (i)>
#in = affine_map<(i, j) -> (i, j)>
#out = affine_map<(i, j) -> (i)>

// A contraction keeps its operands, an iota is made again, and what depends on
// an input stays.
// CHECK-LABEL: @kept
// CHECK: linalg.index
// CHECK: linalg.generic {{.*}} ins(%arg0, %cst
func.func @kept(%x: tensor<2x4xf32>) -> (tensor<4xi64>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<4xi64>
  %iota = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%e : tensor<4xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<4xi64>
  %w = arith.constant dense<2.0> : tensor<2x4xf32>
  %z = arith.constant dense<0.0> : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#in, #in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<2x4xf32>, tensor<2x4xf32>) outs(%z : tensor<2xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %iota, %r : tensor<4xi64>, tensor<2xf32>
}

// -----

// Elements of a constant that constants replace: of two updates of one element
// the last one counts, a negative index counts from the end, and one that is
// outside changes nothing. What owns an element is not read.
// CHECK-LABEL: @scattered
// CHECK-NOT: graph.scatter
// CHECK: return %[[R:.*]] : tensor<3x2xi16>
// CHECK: scattered: "0x400000000500060003000400
func.func @scattered() -> tensor<3x2xi16> {
  %x = arith.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi16>
  %u = arith.constant dense<[[7, 8], [5, 6], [9, 9], [3, 4]]> : tensor<4x2xi16>
  %i = arith.constant dense<[-3, 0, 3, -1]> : tensor<4xi64>
  %y, %o = graph.scatter "set" %u into %x at(%i : tensor<4xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<4x2xi16>, tensor<3x2xi16> owners tensor<3xi32>
  return %y : tensor<3x2xi16>
}

// -----

// Where owners are read, or an index is an input, a scatter stays.
// CHECK-LABEL: @read
// CHECK: graph.scatter
// CHECK: graph.scatter
func.func @read(%j: tensor<1xi64>) -> (tensor<3xi32>, tensor<3xi16>, tensor<3xi16>) {
  %x = arith.constant dense<[1, 2, 3]> : tensor<3xi16>
  %u = arith.constant dense<[7]> : tensor<1xi16>
  %i = arith.constant dense<[0]> : tensor<1xi64>
  %y, %o = graph.scatter "set" %u into %x at(%i : tensor<1xi64>)
      target affine_map<(d0)[s0] -> (s0)> index_maps [affine_map<(d0) -> (d0)>]
      : tensor<1xi16>, tensor<3xi16> owners tensor<3xi32>
  %z, %p = graph.scatter "set" %u into %x at(%j : tensor<1xi64>)
      target affine_map<(d0)[s0] -> (s0)> index_maps [affine_map<(d0) -> (d0)>]
      : tensor<1xi16>, tensor<3xi16> owners tensor<3xi32>
  return %o, %y, %z : tensor<3xi32>, tensor<3xi16>, tensor<3xi16>
}

// -----

// In a region, too.
// CHECK-LABEL: @branch
// CHECK: scf.if
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00, 1.000000e+00]>
// CHECK-NEXT: scf.yield %[[C]]
func.func @branch(%x: tensor<3xf32>, %t: tensor<i1>) -> tensor<3xf32> {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0]> : tensor<1xf32>
  %c = graph.condition %t : tensor<i1>
  %r = scf.if %c -> tensor<3xf32> {
    %d = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
    scf.yield %d : tensor<3xf32>
  } else {
    scf.yield %x : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// -----

// Sums of the integers of a constant, also of many, through a slice, a reshape
// and a transposition: those of quantized weights in a loop. They start at the
// fill, and wrap. The first ones are those of unsigned integers.
// CHECK-LABEL: @sums
// CHECK-DAG: %[[S:.*]] = arith.constant dense<[446, 575]> : tensor<2xi32>
// CHECK-DAG: %[[U:.*]] = arith.constant dense<[-71, 58]> : tensor<2xi8>
// CHECK: return %[[S]], %[[U]]
// FEW-LABEL: @sums
// FEW: arith.constant dense<[446, 575]>
func.func @sums() -> (tensor<2xi32>, tensor<2xi8>) {
  %w = arith.constant dense_resource<w> : tensor<2x2x64xi8>
  %s = tensor.extract_slice %w[1, 0, 0] [1, 2, 64] [1, 1, 1] : tensor<2x2x64xi8> to tensor<1x2x64xi8>
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %shape = tensor.from_elements %c2, %c64 : tensor<2xindex>
  %m = tensor.reshape %s(%shape) : (tensor<1x2x64xi8>, tensor<2xindex>) -> tensor<2x64xi8>
  %e = tensor.empty() : tensor<64x2xi8>
  %t = linalg.generic {indexing_maps = [affine_map<(k, n) -> (n, k)>, affine_map<(k, n) -> (k, n)>], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<2x64xi8>) outs(%e : tensor<64x2xi8>) {
  ^bb0(%a: i8, %o: i8):
    linalg.yield %a : i8
  } -> tensor<64x2xi8>
  %five = arith.constant 5 : i32
  %i = tensor.empty() : tensor<2xi32>
  %f = linalg.fill ins(%five : i32) outs(%i : tensor<2xi32>) -> tensor<2xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x2xi8>) outs(%f : tensor<2xi32>) {
  ^bb0(%a: i8, %acc: i32):
    %x = arith.extui %a : i8 to i32
    %sum = arith.addi %acc, %x : i32
    linalg.yield %sum : i32
  } -> tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi8>
  %q = linalg.generic {indexing_maps = [affine_map<(n, k) -> (k, n)>, affine_map<(n, k) -> (n)>], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x2xi8>) outs(%zero : tensor<2xi8>) {
  ^bb0(%a: i8, %acc: i8):
    %sum = arith.addi %acc, %a : i8
    linalg.yield %sum : i8
  } -> tensor<2xi8>
  return %r, %q : tensor<2xi32>, tensor<2xi8>
}

{-# dialect_resources: { builtin: { w: "0x010000000909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909090909010203FF0501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040007030A06FE09050108040007030A060209050108040007030A060209050108040007030A060209050108040007030A060209050108040007030A0602090501" } } #-}
