// RUN: tilewright-opt %s -convert-graph-to-vectors -split-input-file \
// RUN:   -verify-diagnostics | FileCheck %s
// On a machine of 4 lanes, with one plane of 4 x 4 and no sxm.

#none = affine_map<() -> ()>
#one = affine_map<(d0) -> (d0)>
#window = affine_map<(d0, d1) -> (d0 + d1)>
#taps = affine_map<(d0, d1) -> (d1)>
#windows = affine_map<(d0, d1) -> (d0)>
module attributes {spatial.precision = "f32", spatial.machine = "{\22format\22: \22tilewright-machine\22, \22version\22: 1, \22name\22: \22small\22, \22class\22: \22static\22, \22clock_hz\22: 1000000000.0, \22lanes\22: 4, \22stream_bytes\22: 4, \22streams\22: {\22east\22: 8, \22west\22: 8}, \22units\22: [{\22kind\22: \22mxm\22}, {\22kind\22: \22mem\22, \22count\22: 4}, {\22kind\22: \22vxm\22}], \22mem\22: {\22banks\22: 2, \22rows\22: 64, \22read_delay\22: 2, \22write_delay\22: 1, \22indexed_delay\22: 3}, \22mxm\22: {\22planes\22: 1, \22rows\22: 4, \22columns\22: 4, \22buffers\22: 2, \22load_streams\22: 2, \22delay\22: 3, \22accumulators\22: 8, \22types\22: {\22f32\22: 1}}, \22vxm\22: {\22alus\22: 4, \22default_delay\22: 1, \22delays\22: {}}, \22chips\22: 1}"} {
  // CHECK-LABEL: func.func @main(
  // Its first reader asks for windows.
  // CHECK-SAME:    %[[X:.*]]: !spatial.vectors<2 x f32> {{{.*}}name = "x"
  // CHECK-SAME:    %[[S:.*]]: !spatial.vectors<1 x f32> {{{.*}}name = "s"
  func.func @main(%x: tensor<4xf32> {graph.name = "x"},
                  %s: tensor<f32> {graph.name = "s"})
      -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) {
    %least = arith.constant 0xFF800000 : f32
    %c3 = arith.constant 3 : i32
    %c1 = arith.constant 1 : i32

    // A tensor without dimensions has one element.
    // CHECK:         %[[A:.*]] = spatial.alu add f32(%[[S]][0], %[[S]][0])
    %scalar = tensor.empty() : tensor<f32>
    %a = linalg.generic {indexing_maps = [#none, #none], iterator_types = []}
        ins(%s : tensor<f32>) outs(%scalar : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %r = arith.addf %in, %in : f32
      linalg.yield %r : f32
    } -> tensor<f32>

    // Elements at their own indices are the input, which a result is a copy of;
    // others are elements of the input, too.
    %four = tensor.empty() : tensor<4xf32>
    %b = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
        outs(%four : tensor<4xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %r = tensor.extract %x[%i] : tensor<4xf32>
      linalg.yield %r : f32
    } -> tensor<4xf32>

    // Elements 0, 0, 0, 1: an index that is divided without sign is known.
    %c = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
        outs(%four : tensor<4xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i32
      %k = arith.divui %j, %c3 : i32
      %l = arith.remui %k, %c3 : i32
      %m = arith.index_cast %l : i32 to index
      %r = tensor.extract %x[%m] : tensor<4xf32>
      linalg.yield %r : f32
    } -> tensor<4xf32>

    // A window has a size and no elements. What pads the input is infinite: a
    // product of its own tells where that goes.
    // CHECK:         spatial.constant dense<{{.*}}0xFF800000
    // CHECK:         spatial.alu mul f32({{.*}}, 0x7FF0000000000000
    // CHECK:         spatial.alu max f32
    // CHECK:         %[[D:.*]] = spatial.alu max f32
    // CHECK-NOT:     spatial.alu max
    // CHECK:         %[[B:.*]] = spatial.alu move f32
    // CHECK:         %[[C:.*]] = spatial.alu move f32
    %padded = tensor.pad %x low[1] high[0] {
    ^bb0(%i: index):
      tensor.yield %least : f32
    } : tensor<4xf32> to tensor<5xf32>
    %size = tensor.empty() : tensor<3xf32>
    %three = tensor.empty() : tensor<3xf32>
    %fill = linalg.fill ins(%least : f32) outs(%three : tensor<3xf32>)
        -> tensor<3xf32>
    %d = linalg.generic {indexing_maps = [#window, #taps, #windows],
        iterator_types = ["parallel", "reduction"]}
        ins(%padded, %size : tensor<5xf32>, tensor<3xf32>)
        outs(%fill : tensor<3xf32>) {
    ^bb0(%in: f32, %tap: f32, %acc: f32):
      %r = arith.maximumf %acc, %in : f32
      linalg.yield %r : f32
    } -> tensor<3xf32>
    // CHECK:         return %[[A]], %[[B]], %[[C]], %[[D]]
    return %a, %b, %c, %d
        : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
  }
}

// -----

// What reads elements of a tensor that has no lowering is not reported.
#one = affine_map<(d0) -> (d0)>
module attributes {spatial.precision = "f32", spatial.machine = "{\22format\22: \22tilewright-machine\22, \22version\22: 1, \22name\22: \22small\22, \22class\22: \22static\22, \22clock_hz\22: 1000000000.0, \22lanes\22: 4, \22stream_bytes\22: 4, \22streams\22: {\22east\22: 8, \22west\22: 8}, \22units\22: [{\22kind\22: \22mxm\22}, {\22kind\22: \22mem\22, \22count\22: 4}, {\22kind\22: \22vxm\22}], \22mem\22: {\22banks\22: 2, \22rows\22: 64, \22read_delay\22: 2, \22write_delay\22: 1, \22indexed_delay\22: 3}, \22mxm\22: {\22planes\22: 1, \22rows\22: 4, \22columns\22: 4, \22buffers\22: 2, \22load_streams\22: 2, \22delay\22: 3, \22accumulators\22: 8, \22types\22: {\22f32\22: 1}}, \22vxm\22: {\22alus\22: 4, \22default_delay\22: 1, \22delays\22: {}}, \22chips\22: 1}"} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %four = tensor.empty() : tensor<4xf32>
    // expected-error@+1 {{math.cbrt has no lowering to vectors}}
    %y = linalg.generic {indexing_maps = [#one, #one],
        iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%four : tensor<4xf32>) {
    ^bb0(%a: f32, %out: f32):
      %r = math.cbrt %a : f32
      linalg.yield %r : f32
    } -> tensor<4xf32>
    %z = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
        outs(%four : tensor<4xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %r = tensor.extract %y[%i] : tensor<4xf32>
      linalg.yield %r : f32
    } -> tensor<4xf32>
    return %z : tensor<4xf32>
  }
}
