// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(order-weights)' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -pass-pipeline='builtin.module(order-weights{of-f32=1})' | FileCheck %s --check-prefix=F32

// Weights [filters, channels, window] become [window, filters, channels], once
// for all convolutions that read them.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#image = affine_map<(n, o, w, c, k) -> (n, c, w + k)>
#weights = affine_map<(n, o, w, c, k) -> (o, c, k)>
#result = affine_map<(n, o, w, c, k) -> (n, o, w)>
module attributes {graph.targets = [#gpu]} {
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d1, d3)>
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = arith.constant dense_resource<[[NAME:w[_0-9]*]]> : tensor<2x2x16xf16>
// CHECK-NOT: tensor<2x16x2xf16>
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[MAP]], {{.*}}], {{.*}} ins(%arg0, %[[W]]
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[MAP]], {{.*}}], {{.*}} ins(%arg1, %[[W]]
func.func @main(%x: tensor<1x16x20xf16>, %y: tensor<1x16x20xf16>) -> (tensor<1x2x19xf32>, tensor<1x2x19xf32>) {
  %w = arith.constant dense_resource<w> : tensor<2x16x2xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x2x19xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x19xf32>) -> tensor<1x2x19xf32>
  %a = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x16x20xf16>, tensor<2x16x2xf16>) outs(%start : tensor<1x2x19xf32>) {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x19xf32>
  %b = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%y, %w : tensor<1x16x20xf16>, tensor<2x16x2xf16>) outs(%start : tensor<1x2x19xf32>) {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x19xf32>
  return %a, %b : tensor<1x2x19xf32>, tensor<1x2x19xf32>
}
}

// Element [k, o, c] is what was element [o, c, k]: 32 o + 2 c + k here.
// CHECK: [[NAME]]: "0x400000000000020004000600{{.*}}1C001E0020002200{{.*}}3C003E0001000300

{-#
  dialect_resources: {
    builtin: {
      w: "0x4000000000000100020003000400050006000700080009000A000B000C000D000E000F0010001100120013001400150016001700180019001A001B001C001D001E001F0020002100220023002400250026002700280029002A002B002C002D002E002F0030003100320033003400350036003700380039003A003B003C003D003E003F00"
    }
  }
#-}

// -----

// Not with a CPU among the targets, and not weights that are no constant.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#image = affine_map<(n, o, w, c, k) -> (n, c, w + k)>
#weights = affine_map<(n, o, w, c, k) -> (o, c, k)>
#result = affine_map<(n, o, w, c, k) -> (n, o, w)>
module attributes {graph.targets = [#gpu, #tile.target<"cpu", {threads = 2 : i64}>]} {
// CHECK-LABEL: func.func @main
// CHECK: arith.constant dense_resource<w> : tensor<2x16x2xf16>
func.func @main(%x: tensor<1x16x20xf16>) -> tensor<1x2x19xf32> {
  %w = arith.constant dense_resource<w> : tensor<2x16x2xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x2x19xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x19xf32>) -> tensor<1x2x19xf32>
  %a = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x16x20xf16>, tensor<2x16x2xf16>) outs(%start : tensor<1x2x19xf32>) {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %pw = arith.extf %p : f16 to f32
    %qw = arith.extf %q : f16 to f32
    %m = arith.mulf %pw, %qw : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x19xf32>
  return %a : tensor<1x2x19xf32>
}
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x4000000000000100020003000400050006000700080009000A000B000C000D000E000F0010001100120013001400150016001700180019001A001B001C001D001E001F0020002100220023002400250026002700280029002A002B002C002D002E002F0030003100320033003400350036003700380039003A003B003C003D003E003F00"
    }
  }
#-}

// -----

// Weights of f32 only if matrix units may multiply them.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#image = affine_map<(n, o, w, c, k) -> (n, c, w + k)>
#weights = affine_map<(n, o, w, c, k) -> (o, c, k)>
#result = affine_map<(n, o, w, c, k) -> (n, o, w)>
module attributes {graph.targets = [#gpu]} {
// CHECK-LABEL: func.func @of_f32
// CHECK: arith.constant dense<{{.*}}> : tensor<1x16x2xf32>
// F32-LABEL: func.func @of_f32
// F32: arith.constant dense_resource<weights> : tensor<2x1x16xf32>
// F32: weights: "0x{{.*}}0000803F0000404000
func.func @of_f32(%x: tensor<1x16x20xf32>) -> tensor<1x1x19xf32> {
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]]> : tensor<1x16x2xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x1x19xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x1x19xf32>) -> tensor<1x1x19xf32>
  %a = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x16x20xf32>, tensor<1x16x2xf32>) outs(%start : tensor<1x1x19xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x1x19xf32>
  return %a : tensor<1x1x19xf32>
}
}

// -----

// Of few channels, those of f32, too.
#gpu = #tile.target<"sm_80", {multiprocessors = 108 : i64, matrix_products = 1024 : i64}>
#image = affine_map<(n, o, w, c, k) -> (n, c, w + k)>
#weights = affine_map<(n, o, w, c, k) -> (o, c, k)>
#result = affine_map<(n, o, w, c, k) -> (n, o, w)>
module attributes {graph.targets = [#gpu]} {
// CHECK-LABEL: func.func @few_channels
// CHECK: arith.constant dense_resource<weights{{.*}}> : tensor<2x2x3xf32>
func.func @few_channels(%x: tensor<1x3x20xf32>) -> tensor<1x2x19xf32> {
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0], [9.0, 1.0], [2.0, 3.0]]]> : tensor<2x3x2xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x2x19xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x2x19xf32>) -> tensor<1x2x19xf32>
  %a = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x3x20xf32>, tensor<2x3x2xf32>) outs(%start : tensor<1x2x19xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x2x19xf32>
  return %a : tensor<1x2x19xf32>
}
}

// -----

// For CPUs alone, weights whose neighbours are summed: [outputs, inputs] become
// [inputs, outputs], unless somebody reads them otherwise.
#cpu = #tile.target<"cpu", {threads = 2 : i64}>
#in = affine_map<(m, n, k) -> (m, k)>
#weights = affine_map<(m, n, k) -> (n, k)>
#out = affine_map<(m, n, k) -> (m, n)>
module attributes {graph.targets = [#cpu]} {
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[W:.*]] = arith.constant dense_resource<{{.*}}> : tensor<2x3xf32>
// CHECK-DAG: %[[V:.*]] = arith.constant dense<{{.*}}> : tensor<3x2xf32>
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[MAP]], {{.*}}], {{.*}} ins(%arg0, %[[W]]
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[V]]
// CHECK: return {{.*}}, {{.*}}, %[[V]]
func.func @main(%x: tensor<1x2xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<3x2xf32>) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %v = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]> : tensor<3x2xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x3xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x3xf32>) -> tensor<1x3xf32>
  %a = linalg.generic {indexing_maps = [#in, #weights, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x2xf32>, tensor<3x2xf32>) outs(%start : tensor<1x3xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x3xf32>
  %b = linalg.generic {indexing_maps = [#in, #weights, #out], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v : tensor<1x2xf32>, tensor<3x2xf32>) outs(%start : tensor<1x3xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x3xf32>
  return %a, %b, %v : tensor<1x3xf32>, tensor<1x3xf32>, tensor<3x2xf32>
}
}

// -----

// For a CPU, the neighbours of the result last: also where products read the
// weights of one gate each.
#cpu = #tile.target<"cpu", {threads = 2 : i64}>
#x = affine_map<(n, o, i) -> (n, i)>
#first = affine_map<(n, o, i) -> (o + 1, i)>
#second = affine_map<(n, o, i) -> (o + 2, i)>
#y = affine_map<(n, o, i) -> (n, o)>
module attributes {graph.targets = [#cpu]} {
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1, d2) -> (d2, d1 + 1)>
// CHECK-DAG: #[[SECOND:.*]] = affine_map<(d0, d1, d2) -> (d2, d1 + 2)>
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = arith.constant dense_resource<{{.*}}> : tensor<3x4xf32>
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[FIRST]], {{.*}}], {{.*}} ins(%arg0, %[[W]]
// CHECK: linalg.generic {indexing_maps = [{{.*}}, #[[SECOND]], {{.*}}], {{.*}} ins(%arg0, %[[W]]
func.func @main(%x: tensor<5x3xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>) {
  %w = arith.constant dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0]]> : tensor<4x3xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x2xf32>) -> tensor<5x2xf32>
  %a = linalg.generic {indexing_maps = [#x, #first, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<5x3xf32>, tensor<4x3xf32>) outs(%start : tensor<5x2xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<5x2xf32>
  %b = linalg.generic {indexing_maps = [#x, #second, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<5x3xf32>, tensor<4x3xf32>) outs(%start : tensor<5x2xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<5x2xf32>
  return %a, %b : tensor<5x2xf32>, tensor<5x2xf32>
}
}

// -----

// A slice of a constant, too: the weights of the second direction.
#cpu = #tile.target<"cpu", {threads = 2 : i64}>
#x = affine_map<(n, o, i) -> (n, i)>
#w = affine_map<(n, o, i) -> (o, i)>
#y = affine_map<(n, o, i) -> (n, o)>
module attributes {graph.targets = [#cpu]} {
// CHECK-LABEL: func.func @slice
// CHECK: %[[W:.*]] = arith.constant dense_resource<[[PART:weights[_0-9]*]]> : tensor<3x2xf32>
// CHECK-NOT: tensor.extract_slice
// CHECK: linalg.generic {{.*}} ins(%arg0, %[[W]]
func.func @slice(%x: tensor<5x3xf32>) -> tensor<5x2xf32> {
  %both = arith.constant dense<[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0]]]> : tensor<2x2x3xf32>
  %w = tensor.extract_slice %both[1, 0, 0] [1, 2, 3] [1, 1, 1] : tensor<2x2x3xf32> to tensor<2x3xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<5x2xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x2xf32>) -> tensor<5x2xf32>
  %a = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<5x3xf32>, tensor<2x3xf32>) outs(%start : tensor<5x2xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<5x2xf32>
  return %a : tensor<5x2xf32>
}
}

// 6, 9, 7, 10, 8, 11.
// CHECK: [[PART]]: "0x400000000000C04000001041{{.*}}0000E04000002041{{.*}}0000004100003041"

// -----

// On CPUs a step reads the weights of one point, too, of any type.
#image = affine_map<(n, o, w, c, k) -> (n, c, w + k)>
#weights = affine_map<(n, o, w, c, k) -> (o, c, k)>
#result = affine_map<(n, o, w, c, k) -> (n, o, w)>
module attributes {graph.targets = [#tile.target<"cpu", {threads = 2 : i64}>]} {
// CHECK-LABEL: func.func @cpu_window
// CHECK: arith.constant dense_resource<weights{{.*}}> : tensor<2x1x16xf32>
func.func @cpu_window(%x: tensor<1x16x20xf32>) -> tensor<1x1x19xf32> {
  %w = arith.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0], [1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]]> : tensor<1x16x2xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x1x19xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x1x19xf32>) -> tensor<1x1x19xf32>
  %a = linalg.generic {indexing_maps = [#image, #weights, #result], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%x, %w : tensor<1x16x20xf32>, tensor<1x16x2xf32>) outs(%start : tensor<1x1x19xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %r = arith.addf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<1x1x19xf32>
  return %a : tensor<1x1x19xf32>
}
}
