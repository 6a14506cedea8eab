// RUN: tilewright-opt %s -pass-pipeline='builtin.module(tile.kernel(use-fast-math,canonicalize,cse))' | FileCheck %s

// The scale of an exponential's argument, and what is subtracted from it, once
// for each different element.
// CHECK-LABEL: tile.kernel @exponentials
tile.kernel @exponentials(%v: !tile.view<4x8xf32>, %c: f32) {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] : !tile.view<4x8xf32> -> tensor<4x8xf32>
  %row = tile.load %v[%c0, %c0] : !tile.view<4x8xf32> -> tensor<4x1xf32>
  %most = tile.broadcast %row : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[LOG:.*]] = arith.constant dense<1.44269502> : tensor<4x8xf32>
  // CHECK-DAG: %[[SCALE:.*]] = arith.constant dense<2.885390e+00> : tensor<4x8xf32>
  // CHECK-DAG: %[[MINUS:.*]] = arith.constant dense<-1.44269502> : tensor<4x1xf32>
  // CHECK: %[[X:.*]] = tile.load %arg0{{.*}} -> tensor<4x8xf32>
  // CHECK: %[[ROW:.*]] = tile.load %arg0{{.*}} -> tensor<4x1xf32>
  // CHECK: %[[OFFSET:.*]] = arith.mulf %[[ROW]], %[[MINUS]] : tensor<4x1xf32>
  // CHECK: %[[Y:.*]] = tile.broadcast %[[OFFSET]]
  // CHECK: %[[A:.*]] = math.fma %[[X]], %[[LOG]], %[[Y]]
  // CHECK: math.exp2 %[[A]] fastmath<afn>
  %d = arith.subf %x, %most fastmath<contract> : tensor<4x8xf32>
  %plain = math.exp %d fastmath<afn> : tensor<4x8xf32>
  tile.store %plain, %v[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
  // CHECK: %[[B:.*]] = math.fma %[[X]], %[[SCALE]], %[[Y]]
  // CHECK: math.exp2 %[[B]] fastmath<afn>
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %p = arith.mulf %x, %two fastmath<contract> : tensor<4x8xf32>
  %q = arith.subf %p, %most fastmath<contract> : tensor<4x8xf32>
  %scaled = math.exp %q fastmath<afn> : tensor<4x8xf32>
  tile.store %scaled, %v[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
  // Without `contract`, or of two tiles that differ everywhere: as it was.
  // CHECK: math.exp %{{.*}} fastmath<afn>
  %r = arith.subf %x, %most : tensor<4x8xf32>
  %kept = math.exp %r fastmath<afn> : tensor<4x8xf32>
  tile.store %kept, %v[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
  // CHECK: math.exp %{{.*}} fastmath<afn>
  %t = arith.subf %x, %plain fastmath<contract> : tensor<4x8xf32>
  %whole = math.exp %t fastmath<afn> : tensor<4x8xf32>
  tile.store %whole, %v[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
  tile.return
}

// The same where the difference is scaled, by one number.
// CHECK-LABEL: tile.kernel @scaled_differences
tile.kernel @scaled_differences(%v: !tile.view<4x8xf32>, %c: f32) {
  %c0 = arith.constant 0 : index
  %x = tile.load %v[%c0, %c0] : !tile.view<4x8xf32> -> tensor<4x8xf32>
  %row = tile.load %v[%c0, %c0] : !tile.view<4x8xf32> -> tensor<4x1xf32>
  %most = tile.broadcast %row : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = arith.subf %x, %most fastmath<contract> : tensor<4x8xf32>
  // CHECK-DAG: %[[LOG:.*]] = arith.constant 1.44269502 : f32
  // CHECK-DAG: %[[MINUS:.*]] = arith.constant -1.44269502 : f32
  // CHECK-DAG: %[[TWO:.*]] = arith.constant dense<2.885390e+00> : tensor<4x8xf32>
  // CHECK-DAG: %[[LESS:.*]] = arith.constant dense<-2.885390e+00> : tensor<4x1xf32>
  // CHECK: %[[X:.*]] = tile.load %arg0{{.*}} -> tensor<4x8xf32>
  // CHECK: %[[ROW:.*]] = tile.load %arg0{{.*}} -> tensor<4x1xf32>
  // CHECK: %[[C:.*]] = arith.mulf %arg1, %[[LOG]] : f32
  // CHECK: %[[SCALE:.*]] = tile.splat %[[C]] : f32 -> tensor<4x8xf32>
  // CHECK: %[[N:.*]] = arith.mulf %arg1, %[[MINUS]] : f32
  // CHECK: %[[ROWS:.*]] = tile.splat %[[N]] : f32 -> tensor<4x1xf32>
  // CHECK: %[[OFFSET:.*]] = arith.mulf %[[ROW]], %[[ROWS]] : tensor<4x1xf32>
  // CHECK: %[[Y:.*]] = tile.broadcast %[[OFFSET]]
  // CHECK: %[[A:.*]] = math.fma %[[X]], %[[SCALE]], %[[Y]]
  // CHECK: math.exp2 %[[A]] fastmath<afn>
  %s = tile.splat %c : f32 -> tensor<4x8xf32>
  %p = arith.mulf %d, %s fastmath<contract> : tensor<4x8xf32>
  %a = math.exp %p fastmath<afn> : tensor<4x8xf32>
  tile.store %a, %v[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
  // CHECK: %[[E:.*]] = arith.mulf %[[ROW]], %[[LESS]]
  // CHECK: %[[Z:.*]] = tile.broadcast %[[E]]
  // CHECK: %[[B:.*]] = math.fma %[[X]], %[[TWO]], %[[Z]]
  // CHECK: math.exp2 %[[B]] fastmath<afn>
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %q = arith.mulf %two, %d fastmath<contract> : tensor<4x8xf32>
  %b = math.exp %q fastmath<afn> : tensor<4x8xf32>
  tile.store %b, %v[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
  // Without `contract`, or of a scale that differs: as it was.
  // CHECK: math.exp %{{.*}} fastmath<afn>
  %r = arith.mulf %d, %s : tensor<4x8xf32>
  %kept = math.exp %r fastmath<afn> : tensor<4x8xf32>
  tile.store %kept, %v[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
  // CHECK: math.exp %{{.*}} fastmath<afn>
  %t = arith.mulf %d, %x fastmath<contract> : tensor<4x8xf32>
  %whole = math.exp %t fastmath<afn> : tensor<4x8xf32>
  tile.store %whole, %v[%c0, %c0] : tensor<4x8xf32>, !tile.view<4x8xf32>
  tile.return
}

// The greatest product with a positive number, also behind a mask.
// CHECK-LABEL: tile.kernel @maxima
tile.kernel @maxima(%v: !tile.view<4x8xf32>, %o: !tile.view<4xf32>, %mask: !tile.view<4x8xi1>, %n0: index) {
  %c0 = arith.constant 0 : index
  %two = arith.constant dense<2.0> : tensor<4x8xf32>
  %minus = arith.constant dense<-2.0> : tensor<4x8xf32>
  %low = arith.constant dense<0xFF800000> : tensor<4x8xf32>
  // CHECK: %[[X:.*]] = tile.load %arg0
  %x = tile.load %v[%c0, %c0] : !tile.view<4x8xf32> -> tensor<4x8xf32>
  // CHECK: %[[M:.*]] = tile.load %arg2
  %m = tile.load %mask[%c0, %c0] : !tile.view<4x8xi1> -> tensor<4x8xi1>
  // CHECK: %[[P:.*]] = arith.mulf %[[X]]
  %p = arith.mulf %two, %x fastmath<contract> : tensor<4x8xf32>
  // CHECK: %[[S:.*]] = arith.select %[[M]], %[[X]], %
  %s = arith.select %m, %p, %low : tensor<4x8xi1>, tensor<4x8xf32>
  // CHECK: %[[R:.*]] = tile.reduce %[[S]]
  %r = tile.reduce %s axis 1 {
  ^bb0(%a: f32, %b: f32):
    %k = arith.maximumf %a, %b : f32
    tile.yield %k : f32
  } : tensor<4x8xf32> -> tensor<4xf32>
  // CHECK: %[[D:.*]] = arith.mulf %[[R]], %
  // CHECK: tile.store %[[D]]
  tile.store %r, %o[%c0] : tensor<4xf32>, !tile.view<4xf32>
  // Behind a condition that masks in one of its branches.
  // CHECK: %[[I:.*]] = scf.if
  // CHECK: scf.yield %[[S]]
  // CHECK: scf.yield %[[X]]
  // CHECK: %[[R:.*]] = tile.reduce %[[I]]
  // CHECK: %[[D:.*]] = arith.mulf %[[R]], %
  // CHECK: tile.store %[[D]]
  %all = arith.cmpi eq, %n0, %c0 : index
  %i = scf.if %all -> (tensor<4x8xf32>) {
    %t = arith.select %m, %p, %low : tensor<4x8xi1>, tensor<4x8xf32>
    scf.yield %t : tensor<4x8xf32>
  } else {
    scf.yield %p : tensor<4x8xf32>
  }
  %w = tile.reduce %i axis 1 {
  ^bb0(%a: f32, %b: f32):
    %k = arith.maximumf %a, %b : f32
    tile.yield %k : f32
  } : tensor<4x8xf32> -> tensor<4xf32>
  tile.store %w, %o[%c0] : tensor<4xf32>, !tile.view<4xf32>
  // Of a negative number the least would be the greatest; sums are rounded.
  // CHECK: %[[N:.*]] = arith.mulf
  // CHECK: tile.reduce %[[N]]
  %n = arith.mulf %minus, %x fastmath<contract> : tensor<4x8xf32>
  %q = tile.reduce %n axis 1 {
  ^bb0(%a: f32, %b: f32):
    %k = arith.maximumf %a, %b : f32
    tile.yield %k : f32
  } : tensor<4x8xf32> -> tensor<4xf32>
  tile.store %q, %o[%c0] : tensor<4xf32>, !tile.view<4xf32>
  // CHECK: tile.reduce %[[P]]
  %t = tile.reduce %p axis 1 {
  ^bb0(%a: f32, %b: f32):
    %k = arith.addf %a, %b : f32
    tile.yield %k : f32
  } : tensor<4x8xf32> -> tensor<4xf32>
  tile.store %t, %o[%c0] : tensor<4xf32>, !tile.view<4xf32>
  tile.return
}

// What was rounded and extended again is what it was, but where a dot
// multiplies it.
// CHECK-LABEL: tile.kernel @rounded
tile.kernel @rounded(%v: !tile.view<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: %[[X:.*]] = tile.load
  %x = tile.load %v[%c0, %c0] : !tile.view<16x16xf32> -> tensor<16x16xf32>
  // CHECK: %[[N:.*]] = arith.truncf %[[X]]
  %n = arith.truncf %x fastmath<contract> : tensor<16x16xf32> to tensor<16x16xf16>
  // CHECK: %[[W:.*]] = arith.extf %[[N]]
  %w = arith.extf %n fastmath<contract> : tensor<16x16xf16> to tensor<16x16xf32>
  // CHECK: %[[S:.*]] = arith.negf %[[X]]
  %s = arith.negf %w : tensor<16x16xf32>
  // CHECK: %[[T:.*]] = tile.transpose %[[W]]
  %t = tile.transpose %w [1, 0] : tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK: tile.dot %[[W]], %[[T]], %[[S]]
  %r = tile.dot %w, %t, %s : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %r, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
  // CHECK: %[[M:.*]] = arith.truncf
  // CHECK: arith.extf %[[M]]
  %m = arith.truncf %r : tensor<16x16xf32> to tensor<16x16xf16>
  %e = arith.extf %m fastmath<contract> : tensor<16x16xf16> to tensor<16x16xf32>
  tile.store %e, %v[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
  tile.return
}
