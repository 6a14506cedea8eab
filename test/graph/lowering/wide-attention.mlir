// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(module-to-graph,graph-form,mark-attentions,form-groups,convert-graph-to-tile)' | FileCheck %s

// Two blocks of 64 keys and values, and 64 queries, fit into shared memory.
// CHECK-LABEL: tile.kernel
// CHECK: tile.load %{{.*}} -> tensor<64x256xf16>
// CHECK: scf.for {{.*}} step %c64
#gpu = #tile.target<"sm_80", {multiprocessors = 80 : i64, matrix_products = 1024 : i64, multiprocessor_shared = 167936 : i64}>
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<256x256xf16>, %k: tensor<256x512xf16>, %v: tensor<512x256xf16>) -> tensor<256x256xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %s = linalg.matmul ins(%q, %k : tensor<256x256xf16>, tensor<256x512xf16>) outs(%f : tensor<256x512xf32>) -> tensor<256x512xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %w = arith.truncf %p : tensor<256x512xf32> to tensor<256x512xf16>
    %g = tensor.empty() : tensor<256x256xf32>
    %h = linalg.fill ins(%zero : f32) outs(%g : tensor<256x256xf32>) -> tensor<256x256xf32>
    %y = linalg.matmul ins(%w, %v : tensor<256x512xf16>, tensor<512x256xf16>) outs(%h : tensor<256x256xf32>) -> tensor<256x256xf32>
    return %y : tensor<256x256xf32>
  }
}

// -----

// A smaller one holds blocks of 32.
// CHECK-LABEL: tile.kernel
// CHECK: tile.load %{{.*}} -> tensor<64x256xf16>
// CHECK: scf.for {{.*}} step %c32
#gpu = #tile.target<"sm_86", {multiprocessors = 80 : i64, matrix_products = 1024 : i64, multiprocessor_shared = 102400 : i64}>
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<256x256xf16>, %k: tensor<256x512xf16>, %v: tensor<512x256xf16>) -> tensor<256x256xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %s = linalg.matmul ins(%q, %k : tensor<256x256xf16>, tensor<256x512xf16>) outs(%f : tensor<256x512xf32>) -> tensor<256x512xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %w = arith.truncf %p : tensor<256x512xf32> to tensor<256x512xf16>
    %g = tensor.empty() : tensor<256x256xf32>
    %h = linalg.fill ins(%zero : f32) outs(%g : tensor<256x256xf32>) -> tensor<256x256xf32>
    %y = linalg.matmul ins(%w, %v : tensor<256x512xf16>, tensor<512x256xf16>) outs(%h : tensor<256x256xf32>) -> tensor<256x256xf32>
    return %y : tensor<256x256xf32>
  }
}

// -----

// Of f32, blocks of 16.
// CHECK-LABEL: tile.kernel
// CHECK: tile.load %{{.*}} -> tensor<64x192xf32>
// CHECK: scf.for {{.*}} step %c16
#gpu = #tile.target<"sm_86", {multiprocessors = 80 : i64, matrix_products = 1024 : i64, multiprocessor_shared = 102400 : i64}>
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<256x192xf32>, %k: tensor<192x512xf32>, %v: tensor<512x192xf32>) -> tensor<256x192xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %s = linalg.matmul ins(%q, %k : tensor<256x192xf32>, tensor<192x512xf32>) outs(%f : tensor<256x512xf32>) -> tensor<256x512xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %g = tensor.empty() : tensor<256x192xf32>
    %h = linalg.fill ins(%zero : f32) outs(%g : tensor<256x192xf32>) -> tensor<256x192xf32>
    %y = linalg.matmul ins(%p, %v : tensor<256x512xf32>, tensor<512x192xf32>) outs(%h : tensor<256x192xf32>) -> tensor<256x192xf32>
    return %y : tensor<256x192xf32>
  }
}

// -----

// Then there are fewer queries.
// CHECK-LABEL: tile.kernel
// CHECK: tile.load %{{.*}} -> tensor<16x192xf32>
// CHECK: scf.for {{.*}} step %c16
#gpu = #tile.target<"sm_0", {multiprocessors = 80 : i64, matrix_products = 1024 : i64, multiprocessor_shared = 49152 : i64}>
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<256x192xf32>, %k: tensor<192x512xf32>, %v: tensor<512x192xf32>) -> tensor<256x192xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %s = linalg.matmul ins(%q, %k : tensor<256x192xf32>, tensor<192x512xf32>) outs(%f : tensor<256x512xf32>) -> tensor<256x512xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %g = tensor.empty() : tensor<256x192xf32>
    %h = linalg.fill ins(%zero : f32) outs(%g : tensor<256x192xf32>) -> tensor<256x192xf32>
    %y = linalg.matmul ins(%p, %v : tensor<256x512xf32>, tensor<512x192xf32>) outs(%h : tensor<256x192xf32>) -> tensor<256x192xf32>
    return %y : tensor<256x192xf32>
  }
}

// -----

// Heads of f32 that are wider are not computed block by block.
// CHECK-COUNT-3: tile.kernel
// CHECK-NOT: tile.kernel
#gpu = #tile.target<"sm_80", {multiprocessors = 80 : i64, matrix_products = 1024 : i64, multiprocessor_shared = 167936 : i64}>
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<256x200xf32>, %k: tensor<200x512xf32>, %v: tensor<512x200xf32>) -> tensor<256x200xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<256x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %s = linalg.matmul ins(%q, %k : tensor<256x200xf32>, tensor<200x512xf32>) outs(%f : tensor<256x512xf32>) -> tensor<256x512xf32>
    %p = linalg.softmax dimension(1) ins(%s : tensor<256x512xf32>) outs(%e : tensor<256x512xf32>) -> tensor<256x512xf32>
    %g = tensor.empty() : tensor<256x200xf32>
    %h = linalg.fill ins(%zero : f32) outs(%g : tensor<256x200xf32>) -> tensor<256x200xf32>
    %y = linalg.matmul ins(%p, %v : tensor<256x512xf32>, tensor<512x200xf32>) outs(%h : tensor<256x200xf32>) -> tensor<256x200xf32>
    return %y : tensor<256x200xf32>
  }
}
