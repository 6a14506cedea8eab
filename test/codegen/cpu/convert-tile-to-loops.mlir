// RUN: tilewright-opt %s --split-input-file --pass-pipeline="builtin.module(tile.kernel(choose-buffers),convert-tile-to-loops,canonicalize)" | FileCheck %s

// A tile that has no memory is computed where it is read: one loop over vectors
// loads, negates and stores, within the loop over programs.
// CHECK-LABEL: func.func @fused
// CHECK-SAME: (%[[ARGS:[^:]*]]: !llvm.ptr, %{{[^:]*}}: !llvm.ptr, %[[FIRST:[^:]*]]: i64, %[[LAST:[^:]*]]: i64,
// CHECK-SAME: tile.scratch = 0
// CHECK-DAG: %[[X:.*]] = llvm.load %[[ARGS]]
// CHECK-DAG: %[[BEGIN:.*]] = arith.index_cast %[[FIRST]]
// CHECK-DAG: %[[END:.*]] = arith.index_cast %[[LAST]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %[[END]] step %c1
// CHECK: scf.for %[[I:.*]] = %c0 to %c64 step %c4
// CHECK: %[[AT:.*]] = arith.index_cast %[[I]]
// CHECK: %[[P:.*]] = llvm.getelementptr %[[X]][%[[AT]]]
// CHECK: %[[A:.*]] = llvm.load %[[P]] {{.*}} -> vector<4xf32>
// CHECK: %[[N:.*]] = arith.negf %[[A]] : vector<4xf32>
// CHECK: llvm.store %[[N]]
// CHECK-NOT: scf.for
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @fused(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %n = arith.negf %a : tensor<64xf32>
  tile.store %n, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
}
}

// -----

// The store may change %x, which is stored after it: its tile is copied to the
// thread's scratch memory, 64 elements of 4 bytes, and read from there.
// CHECK-LABEL: func.func @buffered
// CHECK-SAME: %[[SCRATCH:[^:]*]]: !llvm.ptr {llvm.noalias})
// CHECK-SAME: tile.scratch = 256
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[IN:.*]] = llvm.getelementptr %[[SCRATCH]][%{{.*}}f32
// CHECK: llvm.store %{{.*}}, %[[IN]]
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: %[[OUT:.*]] = llvm.getelementptr %[[SCRATCH]][%{{.*}}f32
// CHECK: llvm.load %[[OUT]]
// CHECK: llvm.store
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @buffered(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>, %z: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  %b = tile.load %y[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  tile.store %b, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
  tile.store %a, %z[%c0] : tensor<64xf32>, !tile.view<64xf32>
}
}

// -----

// Elements that fill no vector are a shorter one, not single elements.
// CHECK-LABEL: func.func @rest
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: llvm.store {{.*}} : vector<4xf32>
// CHECK: llvm.load {{.*}} -> vector<2xf32>
// CHECK: llvm.store {{.*}} : vector<2xf32>
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @rest(%x: !tile.view<6xf32>, %y: !tile.view<6xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0] : !tile.view<6xf32> -> tensor<6xf32>
  tile.store %a, %y[%c0] : tensor<6xf32>, !tile.view<6xf32>
}
}

// -----

// A gather knows its base apart from the offsets of its lanes.
// CHECK-LABEL: func.func @gather
// CHECK: %[[BASE:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %{{.*}} : vector<4xi64>
// CHECK: %[[P:.*]] = llvm.getelementptr %[[BASE]][%[[BYTES]]] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, i8
// CHECK: llvm.intr.masked.gather %[[P]]
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @gather(%p: !tile.ptr<f32>, %n: !tile.view<64xi64>, %y: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %i = tile.load %n[%c0] : !tile.view<64xi64> -> tensor<64xi64>
  %a = tile.offset %p, %i : !tile.ptr<f32>, tensor<64xi64>
  %v = tile.load_ptr %a : tensor<64x!tile.ptr<f32>>
  tile.store %v, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
}
}

// -----

// What is one for all elements of a row is computed once for the row, its load
// too: it is another argument than what is stored.
// CHECK-LABEL: func.func @one_for_a_row
// CHECK: scf.for
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c8
// CHECK: llvm.load {{.*}} -> f32
// CHECK: math.sqrt {{.*}} : f32
// CHECK: scf.for
// CHECK-NOT: math.sqrt
// CHECK: llvm.load {{.*}} -> vector<4xf32>
// CHECK: llvm.store
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @one_for_a_row(%x: !tile.view<8x16xf32>, %s: !tile.view<8xf32>, %y: !tile.view<8x16xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x[%c0, %c0] : !tile.view<8x16xf32> -> tensor<8x16xf32>
  %b = tile.load %s[%c0] : !tile.view<8xf32> -> tensor<8xf32>
  %r = math.sqrt %b : tensor<8xf32>
  %c = tile.reshape %r : tensor<8xf32> -> tensor<8x1xf32>
  %d = tile.broadcast %c : tensor<8x1xf32> -> tensor<8x16xf32>
  %e = arith.mulf %a, %d : tensor<8x16xf32>
  tile.store %e, %y[%c0, %c0] : tensor<8x16xf32>, !tile.view<8x16xf32>
}
}

// -----

// Every second element is two loads of neighbours, the second up to the last
// element.
// CHECK-LABEL: func.func @every_second
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[P:.*]][3]
// CHECK: %[[LOW:.*]] = llvm.load %[[P]] {{.*}} -> vector<4xf32>
// CHECK: %[[HIGH:.*]] = llvm.load %[[NEXT]]
// CHECK: vector.shuffle %[[LOW]], %[[HIGH]] [0, 2, 5, 7]
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @every_second(%x: !tile.view<64xf32>, %y: !tile.view<32xf32>) {
  %c0 = arith.constant 0 : index
  %a = tile.load %x at [%c0] step [2] : !tile.view<64xf32> -> tensor<32xf32>
  tile.store %a, %y[%c0] : tensor<32xf32>, !tile.view<32xf32>
}
}

// -----

// Rows behind the end of %y are not stored: neither their accumulators are
// filled nor are blocks of them multiplied. Of a block that is not whole, rows
// are multiplied by eights, fours and twos.
// CHECK-LABEL: func.func @rows
// CHECK: %[[LEFT:.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: %[[INSIDE:.*]] = arith.maxsi %[[LEFT]], %c0
// CHECK: %[[END:.*]] = arith.minui %{{.*}}, %c32
// CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c1
// CHECK: scf.for %[[ROW:.*]] = %c0 to
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[ROW]], %{{.*}} : index
// CHECK: scf.if %[[EXISTS]]
// CHECK: math.fma
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %[[ROW]] to %[[EIGHTS:.*]] step %c8
// CHECK: scf.for %{{.*}} = %[[EIGHTS]] to %[[FOURS:.*]] step %c4
// CHECK: scf.for %{{.*}} = %[[FOURS]] to %[[TWOS:.*]] step %c2
// CHECK: scf.for %{{.*}} = %[[TWOS]] to %{{.*}} step %c1
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @rows(%x: !tile.view<?x16xf32>, %w: !tile.view<16x4xf32>, %y: !tile.view<?x4xf32>) grid affine_map<()[m, k, k1, n1, m1, n] -> (m ceildiv 32)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<32x4xf32>
  %a = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x16xf32> -> tensor<32x16xf32>
  %b = tile.load %w[%c0, %c0] : !tile.view<16x4xf32> -> tensor<16x4xf32>
  %d = tile.dot %a, %b, %zero : tensor<32x16xf32>, tensor<16x4xf32> -> tensor<32x4xf32>
  tile.store %d, %y[%i, %c0] : tensor<32x4xf32>, !tile.view<?x4xf32>
}
}

// -----

// The sum of all rows tells, too.
// CHECK-LABEL: func.func @all_rows
// CHECK-NOT: scf.if
// CHECK: math.fma
// CHECK-NOT: scf.if
// CHECK: return
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @all_rows(%x: !tile.view<?x16xf32>, %w: !tile.view<16x4xf32>, %y: !tile.view<?x4xf32>, %s: !tile.view<4xf32>) grid affine_map<()[m, k, k1, n1, m1, n, n2] -> (m ceildiv 32)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<32x4xf32>
  %a = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x16xf32> -> tensor<32x16xf32>
  %b = tile.load %w[%c0, %c0] : !tile.view<16x4xf32> -> tensor<16x4xf32>
  %d = tile.dot %a, %b, %zero : tensor<32x16xf32>, tensor<16x4xf32> -> tensor<32x4xf32>
  tile.store %d, %y[%i, %c0] : tensor<32x4xf32>, !tile.view<?x4xf32>
  %sum = tile.reduce %d axis 0 {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tile.yield %r : f32
  } : tensor<32x4xf32> -> tensor<4xf32>
  tile.store %sum, %s[%c0] : tensor<4xf32>, !tile.view<4xf32>
}
}

// -----

// Vectors of columns behind the end of %y are left out where accumulators are
// filled, where a panel is packed and where it is multiplied. A panel of two
// vectors is whole, or its vectors are packed and multiplied one by one.
// CHECK-LABEL: func.func @columns
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c4
// CHECK: llvm.store
// CHECK: %[[END:.*]] = arith.minui %{{.*}}, %c8 : index
// CHECK: arith.cmpi ugt, %[[END]], %c0 : index
// CHECK: arith.cmpi ugt, %[[END]], %c4 : index
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.load
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c4
// CHECK: llvm.intr.masked.load
// CHECK: arith.cmpi ugt, %[[END]], %c0 : index
// CHECK: arith.cmpi ugt, %[[END]], %c4 : index
// CHECK: math.fma
// CHECK: math.fma
// CHECK: } else {
// CHECK: scf.for %{{.*}} = %c0 to %[[END]] step %c4
// CHECK: math.fma
// CHECK-NOT: math.fma
// CHECK: return
module attributes {tile.target = #tile.target<"cpu", {triple = "x86_64", cpu = "x86-64", features = "", required = "", vector_bits = 128 : i64, vector_registers = 16 : i64, masks_lanes = 0 : i64, threads = 1 : i64}>} {
tile.kernel @columns(%x: !tile.view<1x16xf32>, %w: !tile.view<16x?xf32>, %y: !tile.view<1x?xf32>) grid affine_map<()[m, k, k1, n, m1, n1] -> (n ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %zero = arith.constant dense<0.0> : tensor<1x8xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<1x16xf32> -> tensor<1x16xf32>
  %b = tile.load %w[%c0, %i] pad 0.0 : !tile.view<16x?xf32> -> tensor<16x8xf32>
  %d = tile.dot %a, %b, %zero : tensor<1x16xf32>, tensor<16x8xf32> -> tensor<1x8xf32>
  tile.store %d, %y[%c0, %i] : tensor<1x8xf32>, !tile.view<1x?xf32>
}
}
