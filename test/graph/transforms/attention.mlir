// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(mark-attentions,form-groups)' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(mark-attentions{explain=1},form-groups{explain=1})' | FileCheck %s --check-prefix=WHY

// Products, softmax and a mask are one group where all targets are GPUs with
// matrix units.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#keys = affine_map<(d0, d1, d2) -> (d1, d2)>
#values = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: @attention
// WHY-LABEL: @attention
// WHY-NOT: no attention
// CHECK-COUNT-1: graph.group
// CHECK-NOT: graph.group
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<64x32xf16>, %k: tensor<96x32xf16>, %v: tensor<96x32xf16>, %mask: tensor<64x96xf32>) -> tensor<64x32xf32> attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<64x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    %s = linalg.generic {indexing_maps = [#rows, #keys, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<64x32xf16>, tensor<96x32xf16>) outs(%f : tensor<64x96xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %mask : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<64x96xf32>
    %r = tensor.empty() : tensor<64xf32>
    %g = linalg.fill ins(%low : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x96xf32>) outs(%g : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.maximumf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<64x96xf32>, tensor<64xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.subf %a, %b : f32
      %n = math.exp %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %h = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<64x96xf32>) outs(%h : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.addf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %ew = tensor.empty() : tensor<64x96xf16>
    %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<64x96xf32>, tensor<64xf32>) outs(%ew : tensor<64x96xf16>) {
    ^bb0(%a: f32, %b: f32, %o: f16):
      %m = arith.divf %a, %b : f32
      %n = arith.truncf %m : f32 to f16
      linalg.yield %n : f16
    } -> tensor<64x96xf16>
    %eo = tensor.empty() : tensor<64x32xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<64x32xf32>) -> tensor<64x32xf32>
    %out = linalg.generic {indexing_maps = [#rows, #values, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %v : tensor<64x96xf16>, tensor<96x32xf16>) outs(%fo : tensor<64x32xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x32xf32>
    return %out : tensor<64x32xf32>
  }
}

// -----

// Where a CPU is among the targets, each product has its kernel.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#cpu = #tile.target<"cpu">
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#keys = affine_map<(d0, d1, d2) -> (d1, d2)>
#values = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: @attention
// WHY-LABEL: @attention
// WHY: "no attention in one kernel: three kernels are faster on cpu for fewer than 2097152 scores, it has 6144"
// CHECK-COUNT-3: graph.group
// CHECK-NOT: graph.group
module attributes {graph.targets = [#gpu, #cpu]} {
  func.func @attention(%q: tensor<64x32xf16>, %k: tensor<96x32xf16>, %v: tensor<96x32xf16>, %mask: tensor<64x96xf32>) -> tensor<64x32xf32> attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<64x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    %s = linalg.generic {indexing_maps = [#rows, #keys, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<64x32xf16>, tensor<96x32xf16>) outs(%f : tensor<64x96xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %mask : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<64x96xf32>
    %r = tensor.empty() : tensor<64xf32>
    %g = linalg.fill ins(%low : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x96xf32>) outs(%g : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.maximumf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<64x96xf32>, tensor<64xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.subf %a, %b : f32
      %n = math.exp %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %h = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<64x96xf32>) outs(%h : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.addf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %ew = tensor.empty() : tensor<64x96xf16>
    %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<64x96xf32>, tensor<64xf32>) outs(%ew : tensor<64x96xf16>) {
    ^bb0(%a: f32, %b: f32, %o: f16):
      %m = arith.divf %a, %b : f32
      %n = arith.truncf %m : f32 to f16
      linalg.yield %n : f16
    } -> tensor<64x96xf16>
    %eo = tensor.empty() : tensor<64x32xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<64x32xf32>) -> tensor<64x32xf32>
    %out = linalg.generic {indexing_maps = [#rows, #values, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %v : tensor<64x96xf16>, tensor<96x32xf16>) outs(%fo : tensor<64x32xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x32xf32>
    return %out : tensor<64x32xf32>
  }
}

// -----

// Scores that others read are in memory.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#keys = affine_map<(d0, d1, d2) -> (d1, d2)>
#values = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: @attention
// WHY-LABEL: @attention
// WHY: "no attention in one kernel: others read its scores or weights, too"
// CHECK-COUNT-3: graph.group
// CHECK-NOT: graph.group
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<64x32xf16>, %k: tensor<96x32xf16>, %v: tensor<96x32xf16>, %mask: tensor<64x96xf32>) -> (tensor<64x32xf32>, tensor<64x96xf32>) attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<64x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    %s = linalg.generic {indexing_maps = [#rows, #keys, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<64x32xf16>, tensor<96x32xf16>) outs(%f : tensor<64x96xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %mask : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<64x96xf32>
    %r = tensor.empty() : tensor<64xf32>
    %g = linalg.fill ins(%low : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x96xf32>) outs(%g : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.maximumf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<64x96xf32>, tensor<64xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.subf %a, %b : f32
      %n = math.exp %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %h = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<64x96xf32>) outs(%h : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.addf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %ew = tensor.empty() : tensor<64x96xf16>
    %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<64x96xf32>, tensor<64xf32>) outs(%ew : tensor<64x96xf16>) {
    ^bb0(%a: f32, %b: f32, %o: f16):
      %m = arith.divf %a, %b : f32
      %n = arith.truncf %m : f32 to f16
      linalg.yield %n : f16
    } -> tensor<64x96xf16>
    %eo = tensor.empty() : tensor<64x32xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<64x32xf32>) -> tensor<64x32xf32>
    %out = linalg.generic {indexing_maps = [#rows, #values, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %v : tensor<64x96xf16>, tensor<96x32xf16>) outs(%fo : tensor<64x32xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x32xf32>
    return %out, %s : tensor<64x32xf32>, tensor<64x96xf32>
  }
}

// -----

// A softmax along the queries.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#keys = affine_map<(d0, d1, d2) -> (d1, d2)>
#values = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @attention
// WHY-LABEL: @attention
// WHY: "no attention in one kernel: the softmax is not along the keys, or they are not the last dimension of the scores"
// CHECK-COUNT-3: graph.group
// CHECK-NOT: graph.group
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<96x32xf16>, %k: tensor<96x32xf16>, %v: tensor<96x32xf16>, %mask: tensor<96x96xf32>) -> tensor<96x32xf32> attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<96x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<96x96xf32>) -> tensor<96x96xf32>
    %s = linalg.generic {indexing_maps = [#rows, #keys, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<96x32xf16>, tensor<96x32xf16>) outs(%f : tensor<96x96xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<96x96xf32>
    %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %mask : tensor<96x96xf32>, tensor<96x96xf32>) outs(%e : tensor<96x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<96x96xf32>
    %r = tensor.empty() : tensor<96xf32>
    %g = linalg.fill ins(%low : f32) outs(%r : tensor<96xf32>) -> tensor<96xf32>
    %top = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]} ins(%t : tensor<96x96xf32>) outs(%g : tensor<96xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.maximumf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<96xf32>
    %p = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<96x96xf32>, tensor<96xf32>) outs(%e : tensor<96x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.subf %a, %b : f32
      %n = math.exp %m : f32
      linalg.yield %n : f32
    } -> tensor<96x96xf32>
    %h = linalg.fill ins(%zero : f32) outs(%r : tensor<96xf32>) -> tensor<96xf32>
    %sum = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["reduction", "parallel"]} ins(%p : tensor<96x96xf32>) outs(%h : tensor<96xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.addf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<96xf32>
    %ew = tensor.empty() : tensor<96x96xf16>
    %w = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<96x96xf32>, tensor<96xf32>) outs(%ew : tensor<96x96xf16>) {
    ^bb0(%a: f32, %b: f32, %o: f16):
      %m = arith.divf %a, %b : f32
      %n = arith.truncf %m : f32 to f16
      linalg.yield %n : f16
    } -> tensor<96x96xf16>
    %eo = tensor.empty() : tensor<96x32xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<96x32xf32>) -> tensor<96x32xf32>
    %out = linalg.generic {indexing_maps = [#rows, #values, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %v : tensor<96x96xf16>, tensor<96x32xf16>) outs(%fo : tensor<96x32xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<96x32xf32>
    return %out : tensor<96x32xf32>
  }
}

// -----

// Weights that are dropped after the softmax.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#keys = affine_map<(d0, d1, d2) -> (d1, d2)>
#values = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: @attention
// WHY-LABEL: @attention
// WHY: "no attention in one kernel: the weights are no exponentials divided by their sum"
// CHECK-COUNT-3: graph.group
// CHECK-NOT: graph.group
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<64x32xf16>, %k: tensor<96x32xf16>, %v: tensor<96x32xf16>, %mask: tensor<64x96xf32>) -> tensor<64x32xf32> attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<64x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    %s = linalg.generic {indexing_maps = [#rows, #keys, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<64x32xf16>, tensor<96x32xf16>) outs(%f : tensor<64x96xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %mask : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<64x96xf32>
    %r = tensor.empty() : tensor<64xf32>
    %g = linalg.fill ins(%low : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x96xf32>) outs(%g : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.maximumf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<64x96xf32>, tensor<64xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.subf %a, %b : f32
      %n = math.exp %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %h = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<64x96xf32>) outs(%h : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.addf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %ew = tensor.empty() : tensor<64x96xf16>
    %w = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum, %mask : tensor<64x96xf32>, tensor<64xf32>, tensor<64x96xf32>) outs(%ew : tensor<64x96xf16>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %o: f16):
      %l = arith.divf %a, %b : f32
      %m = arith.mulf %l, %c : f32
      %n = arith.truncf %m : f32 to f16
      linalg.yield %n : f16
    } -> tensor<64x96xf16>
    %eo = tensor.empty() : tensor<64x32xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<64x32xf32>) -> tensor<64x32xf32>
    %out = linalg.generic {indexing_maps = [#rows, #values, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %v : tensor<64x96xf16>, tensor<96x32xf16>) outs(%fo : tensor<64x32xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x32xf32>
    return %out : tensor<64x32xf32>
  }
}

// -----

// A shift that some scores go without.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#keys = affine_map<(d0, d1, d2) -> (d1, d2)>
#values = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: @attention
// WHY-LABEL: @attention
// WHY: "no attention in one kernel: what is summed up is no exponential of scores less their maximum"
// CHECK-COUNT-3: graph.group
// CHECK-NOT: graph.group
module attributes {graph.targets = [#gpu]} {
  func.func @attention(%q: tensor<64x32xf16>, %k: tensor<96x32xf16>, %v: tensor<96x32xf16>, %mask: tensor<64x96xf32>) -> tensor<64x32xf32> attributes {graph.symbols = []} {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<64x96xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
    %s = linalg.generic {indexing_maps = [#rows, #keys, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<64x32xf16>, tensor<96x32xf16>) outs(%f : tensor<64x96xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %mask : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<64x96xf32>
    %r = tensor.empty() : tensor<64xf32>
    %g = linalg.fill ins(%low : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %top = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<64x96xf32>) outs(%g : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.maximumf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %p = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%t, %top : tensor<64x96xf32>, tensor<64xf32>) outs(%e : tensor<64x96xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %c = arith.cmpf ogt, %a, %zero : f32
      %d = arith.select %c, %b, %zero : f32
      %m = arith.subf %a, %d : f32
      %n = math.exp %m : f32
      linalg.yield %n : f32
    } -> tensor<64x96xf32>
    %h = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<64x96xf32>) outs(%h : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.addf %o, %a : f32
      linalg.yield %m : f32
    } -> tensor<64xf32>
    %ew = tensor.empty() : tensor<64x96xf16>
    %w = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%p, %sum : tensor<64x96xf32>, tensor<64xf32>) outs(%ew : tensor<64x96xf16>) {
    ^bb0(%a: f32, %b: f32, %o: f16):
      %m = arith.divf %a, %b : f32
      %n = arith.truncf %m : f32 to f16
      linalg.yield %n : f16
    } -> tensor<64x96xf16>
    %eo = tensor.empty() : tensor<64x32xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<64x32xf32>) -> tensor<64x32xf32>
    %out = linalg.generic {indexing_maps = [#rows, #values, #result], iterator_types = ["parallel", "parallel", "reduction"]} ins(%w, %v : tensor<64x96xf16>, tensor<96x32xf16>) outs(%fo : tensor<64x32xf32>) {
    ^bb0(%a: f16, %b: f16, %o: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %m = arith.mulf %x, %y : f32
      %n = arith.addf %o, %m : f32
      linalg.yield %n : f32
    } -> tensor<64x32xf32>
    return %out : tensor<64x32xf32>
  }
}
