// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(tile.kernel(distribute-programs,canonicalize))' | FileCheck %s

// Nothing is asked for: nothing changes.
// CHECK-LABEL: @plain
// CHECK-SAME:    grid affine_map<()[s0, s1] -> (s0 ceildiv 64, s1)>
// CHECK:         %[[ID:.*]]:2 = tile.program_id
// CHECK:         tile.print "", %[[ID]]#0, %[[ID]]#1
tile.kernel @plain(%v: !tile.view<?x?xf32>) grid affine_map<()[s0, s1] -> (s0 ceildiv 64, s1)>
    attributes {tile.schedule = #tile.schedule<warps = 4>} {
  %x, %y = tile.program_id
  tile.print "", %x, %y : index, index
}

// -----

// One block or more for each multiprocessor, which takes every so many tiles.
// CHECK:         #{{.*}} = affine_map<()[s0] -> (s0 ceildiv 64)>
// CHECK-LABEL: @persistent
// CHECK-SAME:    grid affine_map<()[s0, s1] -> ((s0 ceildiv 64) * s1)>
// CHECK-SAME:    tile.persistent = 2 : i64
// CHECK:         %[[M:.*]] = tile.dim %{{.*}}, 0
// CHECK:         %[[N:.*]] = tile.dim %{{.*}}, 1
// CHECK:         %[[COUNT:.*]] = affine.apply #{{.*}}()[%[[M]]]
// CHECK:         %[[FIRST:.*]] = tile.program_id
// CHECK:         %[[ALL:.*]] = arith.muli %[[COUNT]], %[[N]]
// CHECK:         %[[STEP:.*]] = tile.program_count
// CHECK:         scf.for %[[NUMBER:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]]
// CHECK:           %[[X:.*]] = arith.remui %[[NUMBER]], %[[COUNT]]
// CHECK:           %[[Y:.*]] = arith.divui %[[NUMBER]], %[[COUNT]]
// CHECK:           tile.print "", %[[X]], %[[Y]], %[[COUNT]], %[[N]]
tile.kernel @persistent(%v: !tile.view<?x?xf32>) grid affine_map<()[s0, s1] -> (s0 ceildiv 64, s1)>
    attributes {tile.schedule = #tile.schedule<persistent = 2>} {
  %x, %y = tile.program_id
  %m, %n = tile.program_count
  tile.print "", %x, %y, %m, %n : index, index, index, index
}

// -----

// Four programs along the second dimension follow each other; the last group
// is lower.
// CHECK-LABEL: @group
// CHECK-SAME:    grid affine_map<() -> (70)>
// CHECK-DAG:     %[[SEVEN:.*]] = arith.constant 7 : index
// CHECK-DAG:     %[[FOUR:.*]] = arith.constant 4 : index
// CHECK-DAG:     %[[PROGRAMS:.*]] = arith.constant 40 : index
// CHECK:         %[[NUMBER:.*]] = tile.program_id
// CHECK:         %[[GROUP:.*]] = arith.divui %[[NUMBER]], %[[PROGRAMS]]
// CHECK:         %[[FIRST:.*]] = arith.muli %[[GROUP]], %[[FOUR]]
// CHECK:         %[[LEFT:.*]] = arith.subi %[[SEVEN]], %[[FIRST]]
// CHECK:         %[[HEIGHT:.*]] = arith.minui %[[LEFT]], %[[FOUR]]
// CHECK:         %[[INSIDE:.*]] = arith.remui %[[NUMBER]], %[[PROGRAMS]]
// CHECK:         %[[X:.*]] = arith.divui %[[INSIDE]], %[[HEIGHT]]
// CHECK:         %[[ROW:.*]] = arith.remui %[[INSIDE]], %[[HEIGHT]]
// CHECK:         %[[Y:.*]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK:         tile.print "", %[[X]], %[[Y]]
tile.kernel @group() grid affine_map<()[] -> (10, 7)>
    attributes {tile.schedule = #tile.schedule<group = 4>} {
  %x, %y = tile.program_id
  tile.print "", %x, %y : index, index
}

// -----

// A kernel that loops already keeps its loop.
// CHECK-LABEL: @own
// CHECK-SAME:    tile.persistent = 3 : i64
// CHECK-NOT:     scf.for
// CHECK:         tile.program_count
tile.kernel @own(%n: index) grid affine_map<()[s0] -> (s0)>
    attributes {tile.persistent = 1 : i64, tile.schedule = #tile.schedule<persistent = 3>} {
  %x = tile.program_id
  %m = tile.program_count
  tile.print "", %x, %m : index, index
}
