// RUN: tilewright-opt %s -convert-graph-to-vectors -split-input-file \
// RUN:   -verify-diagnostics | FileCheck %s
// On a machine of 4 lanes, with one plane of 4 x 4.

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>
module attributes {spatial.precision = "f32", spatial.machine = "{\22format\22: \22tilewright-machine\22, \22version\22: 1, \22name\22: \22toy4\22, \22class\22: \22static\22, \22clock_hz\22: 1000000000.0, \22lanes\22: 4, \22stream_bytes\22: 4, \22streams\22: {\22east\22: 8, \22west\22: 8}, \22units\22: [{\22kind\22: \22mxm\22}, {\22kind\22: \22sxm\22}, {\22kind\22: \22mem\22, \22count\22: 2}, {\22kind\22: \22vxm\22}], \22mem\22: {\22banks\22: 2, \22rows\22: 4096, \22read_delay\22: 2, \22write_delay\22: 1, \22indexed_delay\22: 3}, \22mxm\22: {\22planes\22: 1, \22rows\22: 4, \22columns\22: 4, \22buffers\22: 2, \22load_streams\22: 2, \22delay\22: 3, \22accumulators\22: 64, \22types\22: {\22f32\22: 1}}, \22vxm\22: {\22alus\22: 4, \22default_delay\22: 1, \22delays\22: {}}, \22sxm\22: {\22ports\22: 1, \22delay\22: 1, \22transpose\22: 4}, \22chips\22: 1}"} {
  // Each row of x is a vector, as its reader needs it; the weights are loaded
  // as they are.
  // CHECK-LABEL: func.func @main(
  // CHECK-SAME:    %[[X:.*]]: !spatial.vectors<2 x f32> {spatial.interface = {dtype = "f32", layout = array<i32: 0, 1, 2, -1, 3, 4, 5, -1>, name = "x", shape = array<i64: 2, 3>}}
  // CHECK-SAME:    -> (!spatial.vectors<2 x f32>
  // CHECK:         %[[W:.*]] = spatial.constant dense<{{.*}}> : tensor<3x4xf32> -> !spatial.vectors<3 x f32>
  // CHECK:         %[[P:.*]] = spatial.multiply f32 rows 3(%[[X]][0, 1], %[[W]][0])
  // CHECK:         %[[Y:.*]] = spatial.alu max f32(%[[P]][0, 1], 0.000000e+00)
  // CHECK:         return %[[Y]]
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"})
      -> (tensor<2x4xf32> {graph.name = "y"}) {
    %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0],
                               [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<2x4xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4xf32>)
        -> tensor<2x4xf32>
    %p = linalg.generic {indexing_maps = [#rows, #columns, #result],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<2x3xf32>, tensor<3x4xf32>)
        outs(%fill : tensor<2x4xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %acc, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<2x4xf32>
    %y = linalg.generic {indexing_maps = [#same, #same],
        iterator_types = ["parallel", "parallel"]}
        ins(%p : tensor<2x4xf32>) outs(%empty : tensor<2x4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %r = arith.maximumf %a, %zero : f32
      linalg.yield %r : f32
    } -> tensor<2x4xf32>
    return %y : tensor<2x4xf32>
  }
}

// -----

// All ops without a lowering are reported.
#same = affine_map<(d0) -> (d0)>
module attributes {spatial.precision = "f32", spatial.machine = "{\22format\22: \22tilewright-machine\22, \22version\22: 1, \22name\22: \22toy4\22, \22class\22: \22static\22, \22clock_hz\22: 1000000000.0, \22lanes\22: 4, \22stream_bytes\22: 4, \22streams\22: {\22east\22: 8, \22west\22: 8}, \22units\22: [{\22kind\22: \22mxm\22}, {\22kind\22: \22sxm\22}, {\22kind\22: \22mem\22, \22count\22: 2}, {\22kind\22: \22vxm\22}], \22mem\22: {\22banks\22: 2, \22rows\22: 4096, \22read_delay\22: 2, \22write_delay\22: 1, \22indexed_delay\22: 3}, \22mxm\22: {\22planes\22: 1, \22rows\22: 4, \22columns\22: 4, \22buffers\22: 2, \22load_streams\22: 2, \22delay\22: 3, \22accumulators\22: 64, \22types\22: {\22f32\22: 1}}, \22vxm\22: {\22alus\22: 4, \22default_delay\22: 1, \22delays\22: {}}, \22sxm\22: {\22ports\22: 1, \22delay\22: 1, \22transpose\22: 4}, \22chips\22: 1}"} {
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %empty = tensor.empty() : tensor<4xf32>
    // expected-error@+1 {{math.cbrt has no lowering to vectors}}
    %y = linalg.generic {indexing_maps = [#same, #same],
        iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %r = math.cbrt %a : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    // expected-error@+1 {{arith.remf has no lowering to vectors}}
    %z = linalg.generic {indexing_maps = [#same, #same],
        iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %r = arith.remf %a, %a : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    return %y, %z : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A convolution reads the vectors of a line as they lie: the tile within a
// vector is used twice, those between neighbours once each.
#shift = affine_map<(d0, d1) -> (d0 + d1)>
#tap = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
module attributes {spatial.precision = "f32", spatial.machine = "{\22format\22: \22tilewright-machine\22, \22version\22: 1, \22name\22: \22toy4\22, \22class\22: \22static\22, \22clock_hz\22: 1000000000.0, \22lanes\22: 4, \22stream_bytes\22: 4, \22streams\22: {\22east\22: 8, \22west\22: 8}, \22units\22: [{\22kind\22: \22mxm\22}, {\22kind\22: \22sxm\22}, {\22kind\22: \22mem\22, \22count\22: 2}, {\22kind\22: \22vxm\22}], \22mem\22: {\22banks\22: 2, \22rows\22: 4096, \22read_delay\22: 2, \22write_delay\22: 1, \22indexed_delay\22: 3}, \22mxm\22: {\22planes\22: 1, \22rows\22: 4, \22columns\22: 4, \22buffers\22: 2, \22load_streams\22: 2, \22delay\22: 3, \22accumulators\22: 64, \22types\22: {\22f32\22: 1}}, \22vxm\22: {\22alus\22: 4, \22default_delay\22: 1, \22delays\22: {}}, \22sxm\22: {\22ports\22: 1, \22delay\22: 1, \22transpose\22: 4}, \22chips\22: 1}"} {
  // CHECK-LABEL: func.func @main(
  // CHECK-SAME:    %[[X:.*]]: !spatial.vectors<2 x f32>
  // CHECK:         %[[WITHIN:.*]] = spatial.constant dense<{{\[\[}}2.000000e+00, 1.000000e+00, 0.000000e+00, 0.000000e+00], [3.000000e+00, 2.000000e+00, 1.000000e+00, 0.000000e+00], [0.000000e+00, 3.000000e+00, 2.000000e+00, 1.000000e+00], [0.000000e+00, 0.000000e+00, 3.000000e+00, 2.000000e+00]]>
  // CHECK:         %[[P:.*]] = spatial.multiply f32 rows 4(%[[X]][0, 1], %[[WITHIN]][0])
  // CHECK:         %[[NEXT:.*]] = spatial.constant dense<{{\[\[}}0.000000e+00, 0.000000e+00, 0.000000e+00, 3.000000e+00]]>
  // CHECK:         %[[Q:.*]] = spatial.multiply f32 rows 1(%[[X]][1], %[[NEXT]][0], %[[P]][0])
  // CHECK:         %[[BEFORE:.*]] = spatial.constant
  // CHECK:         %[[R:.*]] = spatial.multiply f32 rows 4(%[[X]][0], %[[BEFORE]][0], %[[P]][1])
  // CHECK:         spatial.select_vectors [0, 1] [0, 0](%[[Q]], %[[R]])
  func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
    %w = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %zero = arith.constant 0.0 : f32
    %padded = tensor.pad %x low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<8xf32> to tensor<10xf32>
    %empty = tensor.empty() : tensor<8xf32>
    %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>)
        -> tensor<8xf32>
    %y = linalg.generic {indexing_maps = [#shift, #tap, #out],
        iterator_types = ["parallel", "reduction"]}
        ins(%padded, %w : tensor<10xf32>, tensor<3xf32>)
        outs(%fill : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %acc, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}

// -----

// An input lies as its reader needs it: here, without moves of lanes. The
// lanes of four vectors that are made are transposed, and combined as vectors.
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#columns = affine_map<(d0, d1, d2) -> (d2, d1)>
#result = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {spatial.precision = "f32", spatial.machine = "{\22format\22: \22tilewright-machine\22, \22version\22: 1, \22name\22: \22toy4\22, \22class\22: \22static\22, \22clock_hz\22: 1000000000.0, \22lanes\22: 4, \22stream_bytes\22: 4, \22streams\22: {\22east\22: 8, \22west\22: 8}, \22units\22: [{\22kind\22: \22mxm\22}, {\22kind\22: \22sxm\22}, {\22kind\22: \22mem\22, \22count\22: 2}, {\22kind\22: \22vxm\22}], \22mem\22: {\22banks\22: 2, \22rows\22: 4096, \22read_delay\22: 2, \22write_delay\22: 1, \22indexed_delay\22: 3}, \22mxm\22: {\22planes\22: 1, \22rows\22: 4, \22columns\22: 4, \22buffers\22: 2, \22load_streams\22: 2, \22delay\22: 3, \22accumulators\22: 64, \22types\22: {\22f32\22: 1}}, \22vxm\22: {\22alus\22: 4, \22default_delay\22: 1, \22delays\22: {}}, \22sxm\22: {\22ports\22: 1, \22delay\22: 1, \22transpose\22: 4}, \22chips\22: 1}"} {
  // CHECK-LABEL: func.func @main(
  // CHECK-SAME:    layout = array<i32: 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15>
  // CHECK:         spatial.alu max f32(%{{.*}}[0, 1], %{{.*}}[2, 3])
  // CHECK:         spatial.alu max
  // CHECK:         %[[P:.*]] = spatial.multiply
  // CHECK:         %[[T:.*]] = spatial.transpose 4(%[[P]][0])
  // CHECK:         %[[A:.*]] = spatial.alu max f32(%[[T]][0, 1], %[[T]][2, 3])
  // CHECK:         spatial.alu max f32(%[[A]][0], %[[A]][1])
  // CHECK-NOT:     spatial.map
  func.func @main(%x: tensor<4x4xf32>, %z: tensor<4x4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>) {
    %w = arith.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0],
        [9.0, 10.0, 11.0, 12.0], [1.0, 1.0, 1.0, 1.0]]> : tensor<4x4xf32>
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<4xf32>
    %square = tensor.empty() : tensor<4x4xf32>
    %fill = linalg.fill ins(%least : f32) outs(%empty : tensor<4xf32>)
        -> tensor<4xf32>
    %none = linalg.fill ins(%zero : f32) outs(%square : tensor<4x4xf32>)
        -> tensor<4x4xf32>
    %y = linalg.generic {indexing_maps = [#all, #row],
        iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x4xf32>) outs(%fill : tensor<4xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %m = arith.maximumf %acc, %a : f32
      linalg.yield %m : f32
    } -> tensor<4xf32>
    %p = linalg.generic {indexing_maps = [#rows, #columns, #result],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%z, %w : tensor<4x4xf32>, tensor<4x4xf32>)
        outs(%none : tensor<4x4xf32>) {
    ^bb0(%a: f32, %b: f32, %acc: f32):
      %ab = arith.mulf %a, %b : f32
      %sum = arith.addf %acc, %ab : f32
      linalg.yield %sum : f32
    } -> tensor<4x4xf32>
    %q = linalg.generic {indexing_maps = [#all, #row],
        iterator_types = ["parallel", "reduction"]}
        ins(%p : tensor<4x4xf32>) outs(%fill : tensor<4xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %m = arith.maximumf %acc, %a : f32
      linalg.yield %m : f32
    } -> tensor<4xf32>
    return %y, %q : tensor<4xf32>, tensor<4xf32>
  }
}
