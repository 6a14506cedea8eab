// RUN: tilewright-opt %s --split-reductions --split-input-file | FileCheck %s

// Few results of many elements: parts, each a result of its own, and a second
// step that reduces those in their order. Parts of one length without rest.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2) -> (d0 * 512 + d2, d1)>
// CHECK-DAG: #[[LENGTH:.*]] = affine_map<(d0, d1, d2) -> (d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @columns
// CHECK-SAME: %[[X:.*]]: tensor<8192x4096xf32>, %[[INIT:.*]]: tensor<4096xf32>
// CHECK: %[[PART:.*]] = tensor.empty() : tensor<512xi1>
// CHECK: %[[NOTHING:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<16x4096xf32>)
// CHECK: %[[PARTS:.*]] = linalg.generic
// CHECK-SAME: indexing_maps = [#[[IN]], #[[LENGTH]], #[[OUT]]]
// CHECK-SAME: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%[[X]], %[[PART]] :
// CHECK-SAME: outs(%[[NOTHING]] :
// CHECK-SAME: graph.parts = 0
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-SAME: ins(%[[PARTS]] : tensor<16x4096xf32>) outs(%[[INIT]] : tensor<4096xf32>)
// CHECK: return %[[SUM]]
func.func @columns(%x: tensor<8192x4096xf32>, %init: tensor<4096xf32>) -> tensor<4096xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (k, m)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8192x4096xf32>) outs(%init : tensor<4096xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  return %y : tensor<4096xf32>
}

// -----

// No part count near has no rest: what the last part lacks is padding that the
// maximum ignores.
// CHECK-LABEL: func.func @padded
// CHECK: %[[NOTHING:.*]] = arith.constant 0xFF800000 : f32
// CHECK: tensor.pad %{{.*}} low[0, 0] high[97, 0]
// CHECK: tensor.yield %[[NOTHING]]
// CHECK: linalg.generic
// CHECK-NOT: linalg.index
// CHECK: arith.maximumf
func.func @padded(%x: tensor<8191x1000xf32>, %init: tensor<1000xf32>) -> tensor<1000xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (k, m)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8191x1000xf32>) outs(%init : tensor<1000xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.maximumf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<1000xf32>
  return %y : tensor<1000xf32>
}

// -----

// No padding is neutral to what the body computes: beyond the end it adds
// nothing, and an index is that of the whole loop.
// CHECK-LABEL: func.func @computed
// CHECK: linalg.generic
// CHECK: ^bb0(%[[A:.*]]: f32, %{{.*}}: i1, %[[ACC:.*]]: f32):
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: %[[POINT:.*]] = arith.addi
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[POINT]], %{{.*}} : index
// CHECK: %[[ADDED:.*]] = arith.select %[[INSIDE]], %[[E]], %{{.*}}
// CHECK: arith.addf %[[ACC]], %[[ADDED]]
func.func @computed(%x: tensor<8388593xf32>, %init: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<8388593xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %e = math.exp %a : f32
    %s = arith.addf %acc, %e : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A length that is known only at run time is walked in strides.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2) -> (d1 * 288 + d0, d2)>
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: %[[LENGTH:.*]] = arith.ceildivsi %[[N]], %{{.*}} : index
// CHECK: %[[ALL:.*]] = arith.muli %[[LENGTH]]
// CHECK: %[[REST:.*]] = arith.subi %[[ALL]], %[[N]]
// CHECK: tensor.pad %{{.*}} low[0, 0] high[%[[REST]], 0]
// CHECK: tensor.empty(%[[LENGTH]]) : tensor<?xi1>
// CHECK: graph.parts = 0
func.func @dynamic(%x: tensor<?x1000xf32>, %init: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {indexing_maps = [affine_map<(k, m) -> (k, m)>, affine_map<(k, m) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<?x1000xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Rows enough for all programs; little to read; rows that a consumer reads
// again; a contraction.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: graph.parts
func.func @rows(%x: tensor<8192x4096xf32>, %init: tensor<8192xf32>) -> tensor<8192xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8192x4096xf32>) outs(%init : tensor<8192xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<8192xf32>
  return %y : tensor<8192xf32>
}
func.func @little(%x: tensor<128x128xf32>, %init: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {indexing_maps = [affine_map<(k, m) -> (k, m)>, affine_map<(k, m) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<128x128xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
func.func @norm(%x: tensor<16x8192xf32>, %init: tensor<16xf32>) -> tensor<16x8192xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<16x8192xf32>) outs(%init : tensor<16xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<16xf32>
  %e = tensor.empty() : tensor<16x8192xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>, affine_map<(m, k) -> (m, k)>], iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<16x8192xf32>, tensor<16xf32>) outs(%e : tensor<16x8192xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<16x8192xf32>
  return %z : tensor<16x8192xf32>
}
func.func @contraction(%x: tensor<64x65536xf32>, %w: tensor<65536x64xf32>, %init: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x65536xf32>, tensor<65536x64xf32>) outs(%init : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// -----

// For CPUs alone, parts for their cores.
// CHECK-LABEL: func.func @cores
// CHECK: outs(%{{.*}} : tensor<32xf32>)
module attributes {graph.targets = [#tile.target<"cpu", {threads = 2 : i64}>]} {
func.func @cores(%x: tensor<4194304xf32>, %init: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4194304xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
}

// -----

// Neighbouring loops of unknown length are one, the product of their lengths:
// the first may be a batch of one. The two reductions read one reshape.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2) -> (d1 * 32 + d0, d2)>
// CHECK-LABEL: func.func @merged
// CHECK-SAME: %[[X:.*]]: tensor<?x?x?x512xf32>
// CHECK: %[[ROWS:.*]] = tensor.reshape %[[X]](%{{.*}}) : (tensor<?x?x?x512xf32>, tensor<2xindex>) -> tensor<?x512xf32>
// CHECK: %[[N:.*]] = tensor.dim %[[ROWS]]
// CHECK: tensor.pad %[[ROWS]]
// CHECK: indexing_maps = [#[[IN]],
// CHECK-SAME: iterator_types = ["parallel", "reduction", "reduction"]
// CHECK: graph.parts = 0
// CHECK-NOT: tensor.reshape
// CHECK: tensor.pad %[[ROWS]]
// CHECK: graph.parts = 0
module attributes {graph.targets = [#tile.target<"cpu", {threads = 2 : i64}>]} {
func.func @merged(%x: tensor<?x?x?x512xf32>, %init: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%x : tensor<?x?x?x512xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.minimumf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  %z = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%x : tensor<?x?x?x512xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.maximumf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y, %z : tensor<f32>, tensor<f32>
}
}

// -----

// Of known length they are one with the loop along memory, too: parts are read
// from one end to the other. The columns in between stay.
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0 * 20480 + d1)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0 * 160 + d2, d1)>
// CHECK-LABEL: func.func @merged_known
// CHECK: tensor.reshape %{{.*}} -> tensor<655360xf32>
// CHECK: indexing_maps = [#[[ALL]],
// CHECK: graph.parts = 0
// CHECK-LABEL: func.func @merged_rows
// CHECK: tensor.reshape %{{.*}} -> tensor<2560x256xf32>
// CHECK: indexing_maps = [#[[ROWS]],
// CHECK: graph.parts = 0
module attributes {graph.targets = [#tile.target<"cpu", {threads = 2 : i64}>]} {
func.func @merged_known(%x: tensor<1x40x64x256xf32>, %init: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%x : tensor<1x40x64x256xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
func.func @merged_rows(%x: tensor<40x64x256xf32>, %init: tensor<256xf32>) -> tensor<256xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, a, b) -> (a, b, m)>, affine_map<(m, a, b) -> (m)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<40x64x256xf32>) outs(%init : tensor<256xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<256xf32>
  return %y : tensor<256xf32>
}
}

// -----

// No reshape where the kernel of the reduction may compute its input, where a
// body reads an index, or where other loops are between: of two of unknown
// length the inner one is split.
// CHECK-DAG: #[[IN:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2 * 32 + d0, d3)>
// CHECK-LABEL: func.func @computed_input
// CHECK-NOT: tensor.reshape
// CHECK: indexing_maps = [#[[IN]],
// CHECK-SAME: graph.parts = 0
// CHECK-LABEL: func.func @index
// CHECK-NOT: tensor.reshape
// CHECK: graph.parts = 0
// CHECK-LABEL: func.func @between
// CHECK-NOT: tensor.reshape
// CHECK: graph.parts = 0
module attributes {graph.targets = [#tile.target<"cpu", {threads = 2 : i64}>]} {
func.func @computed_input(%x: tensor<?x?x512xf32>, %e: tensor<?x?x512xf32>, %init: tensor<f32>) -> tensor<f32> {
  %m = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<?x?x512xf32>) outs(%e : tensor<?x?x512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.absf %a : f32
    linalg.yield %s : f32
  } -> tensor<?x?x512xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]} ins(%m : tensor<?x?x512xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.maximumf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
func.func @index(%x: tensor<256x256xf32>, %init: tensor<f32>) -> tensor<f32> {
  %y = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<256x256xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %acc: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %p = arith.mulf %a, %f : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}
func.func @between(%x: tensor<1024x8x1024xf32>, %init: tensor<8xf32>) -> tensor<8xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, a, b) -> (a, m, b)>, affine_map<(m, a, b) -> (m)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : tensor<1024x8x1024xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
}

// -----

// A batch of unknown length may be one: what is known to be long is split.
// CHECK-LABEL: func.func @batch
// CHECK: graph.parts = 0
module attributes {graph.targets = [#tile.target<"cpu", {threads = 2 : i64}>]} {
func.func @batch(%x: tensor<?x65536xf32>, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x65536xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
}
