// Cumulative sums: a program scans its rows whole where it can hold them, else
// piece by piece.
// RUN: tilewright-opt %s --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// What follows a scan works on its tile, and what precedes is computed in it.
// CHECK-LABEL: tile.kernel
// CHECK: tile.load %{{.*}} -> tensor<[[ROWS:[0-9]+]]x100xf16>
// CHECK: arith.extf
// CHECK: tile.scan %{{.*}} axis 2 {
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf
// CHECK: tensor<[[ROWS]]x1x100xf32> -> tensor<[[ROWS]]x1x100xf32>
// CHECK-NOT: scf.for
// CHECK: arith.truncf
// CHECK: tile.store
#x = affine_map<(i, k, j) -> (i, j)>
#y = affine_map<(i, k, j) -> (i, k)>
#id = affine_map<(i, j) -> (i, j)>
func.func @rows(%x: tensor<64x100xf16>) -> tensor<64x100xf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x100xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<64x100xf32>) -> tensor<64x100xf32>
  %s = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<64x100xf16>) outs(%init : tensor<64x100xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %k = linalg.index 1 : index
    %j = linalg.index 2 : index
    %taken = arith.cmpi sle, %j, %k : index
    %next = arith.addf %acc, %wide : f32
    %r = arith.select %taken, %next, %acc : f32
    linalg.yield %r : f32
  } -> tensor<64x100xf32>
  %h = tensor.empty() : tensor<64x100xf16>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<64x100xf32>) outs(%h : tensor<64x100xf16>) {
  ^bb0(%in: f32, %out: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  } -> tensor<64x100xf16>
  return %n : tensor<64x100xf16>
}

// -----

// Along columns, from the end on: the tile turns to the scan and back.
// CHECK-LABEL: tile.kernel
// CHECK: tile.scan %{{.*}} axis 2 reverse {
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.muli
// CHECK: tile.transpose
// CHECK: tile.store
#x = affine_map<(k, i, j) -> (j, i)>
#y = affine_map<(k, i, j) -> (k, i)>
func.func @columns(%x: tensor<50x64xi32>) -> tensor<50x64xi32> {
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<50x64xi32>
  %init = linalg.fill ins(%one : i32) outs(%e : tensor<50x64xi32>) -> tensor<50x64xi32>
  %s = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<50x64xi32>) outs(%init : tensor<50x64xi32>) {
  ^bb0(%in: i32, %acc: i32):
    %k = linalg.index 0 : index
    %j = linalg.index 2 : index
    %taken = arith.cmpi sge, %j, %k : index
    %next = arith.muli %acc, %in : i32
    %r = arith.select %taken, %next, %acc : i32
    linalg.yield %r : i32
  } -> tensor<50x64xi32>
  return %s : tensor<50x64xi32>
}

// -----

// Without its own point: the elements before are scanned, and there is none
// before the first.
// CHECK-LABEL: tile.kernel
// CHECK: %[[BEFORE:.*]] = arith.constant -1 : index
// CHECK: tile.load %{{.*}} at [%[[BEFORE]]] pad
// CHECK: %[[IN:.*]] = arith.select
// CHECK: tile.scan %[[IN]] axis 1 {
#x = affine_map<(k, j) -> (j)>
#y = affine_map<(k, j) -> (k)>
func.func @exclusive(%x: tensor<100xf32>) -> tensor<100xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<100xf32>) -> tensor<100xf32>
  %s = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<100xf32>) outs(%init : tensor<100xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %k = linalg.index 0 : index
    %j = linalg.index 1 : index
    %taken = arith.cmpi slt, %j, %k : index
    %next = arith.addf %acc, %in : f32
    %r = arith.select %taken, %next, %acc : f32
    linalg.yield %r : f32
  } -> tensor<100xf32>
  return %s : tensor<100xf32>
}

// -----

// A row that no program holds is walked piece by piece. The last prefix of a
// piece goes into those of the next.
// CHECK-LABEL: tile.kernel
// CHECK: scf.for %[[AT:.*]] = %{{.*}} iter_args(%[[CARRY:.*]] = %
// CHECK: tile.load %{{.*}} at [%[[AT]]]
// CHECK: tile.scan
// CHECK: %[[BEFORE:.*]] = tile.broadcast %[[CARRY]]
// CHECK: %[[PREFIXES:.*]] = arith.addf %[[BEFORE]], %
// CHECK: %[[LAST:.*]] = tile.slice %[[PREFIXES]] [{{[0-9]+}}, 0]
// CHECK: tile.store
// CHECK: scf.yield %[[LAST]]
#x = affine_map<(k, j) -> (j)>
#y = affine_map<(k, j) -> (k)>
func.func @long(%x: tensor<10000xf32>) -> tensor<10000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10000xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<10000xf32>) -> tensor<10000xf32>
  %s = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<10000xf32>) outs(%init : tensor<10000xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %k = linalg.index 0 : index
    %j = linalg.index 1 : index
    %taken = arith.cmpi sle, %j, %k : index
    %next = arith.addf %acc, %in : f32
    %r = arith.select %taken, %next, %acc : f32
    linalg.yield %r : f32
  } -> tensor<10000xf32>
  return %s : tensor<10000xf32>
}

// -----

// From the end on, of any length: the last piece comes first, and what is behind
// the end is left out.
// CHECK-LABEL: tile.kernel
// CHECK: scf.for %[[AT:.*]] = %{{.*}} iter_args(
// CHECK: %[[START:.*]] = arith.subi %{{.*}}, %[[AT]]
// CHECK: tile.load %{{.*}} at [%[[START]]]
// CHECK: arith.cmpi slt
// CHECK: %[[IN:.*]] = arith.select
// CHECK: tile.scan %[[IN]] axis 1 reverse
// CHECK: tile.slice %{{.*}} [0, 0]
// CHECK: tile.store %{{.*}} at [%[[START]]]
#x = affine_map<(k, j) -> (j)>
#y = affine_map<(k, j) -> (k)>
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#x, #y], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %k = linalg.index 0 : index
    %j = linalg.index 1 : index
    %taken = arith.cmpi sge, %j, %k : index
    %next = arith.addf %acc, %in : f32
    %r = arith.select %taken, %next, %acc : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
