// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

func.func @sort_c1() {
  // expected-error @below {{has no input (sort_c1)}}
  "graph.sort"() {axis = 0} : () -> ()
  return
}

// -----

func.func @sort_c1_shapes(%x: tensor<4x8xf32>, %y: tensor<4x9xi32>) {
  // expected-error @below {{inputs have types 'tensor<4x8xf32>' and 'tensor<4x9xi32>', expected one shape (sort_c1)}}
  %k, %v = graph.sort %x, %y axis 1 : tensor<4x8xf32>, tensor<4x9xi32>
  return
}

// -----

func.func @sort_c2(%x: tensor<4x8xf32>) {
  // expected-error @below {{axis is 2, the inputs have 2 dimensions (sort_c2)}}
  %k = graph.sort %x axis 2 : tensor<4x8xf32>
  return
}

// -----

func.func @sort_c3(%x: tensor<4xf32>) {
  // expected-error @below {{results do not have the inputs' types (sort_c3)}}
  %k = "graph.sort"(%x) {axis = 0} : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @sort_c4(%x: tensor<4xf32>) {
  // expected-error @below {{has keys of type 'f32', expected integers (sort_c4)}}
  %k = graph.sort %x axis 0 unsigned : tensor<4xf32>
  return
}

// -----

func.func @scan_c1() {
  // expected-error @below {{has no input (scan_c1)}}
  "graph.scan"() ({
  ^bb0:
    graph.yield
  }) {axis = 0} : () -> ()
  return
}

// -----

func.func @scan_c2(%x: tensor<4xi32>) {
  // expected-error @below {{axis is 1, the inputs have 1 dimensions (scan_c2)}}
  %y = graph.scan %x axis 1 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    graph.yield %s : i32
  } : tensor<4xi32>
  return
}

// -----

func.func @scan_c3(%x: tensor<4xi32>) {
  // expected-error @below {{results do not have the inputs' types (scan_c3)}}
  %y = "graph.scan"(%x) ({
  ^bb0(%a: i32, %b: i32):
    graph.yield %a : i32
  }) {axis = 0} : (tensor<4xi32>) -> tensor<4xi64>
  return
}

// -----

func.func @scan_c4(%x: tensor<4xi32>) {
  // expected-error @below {{the body does not combine two elements of each input (scan_c4)}}
  %y = graph.scan %x axis 0 {
  ^bb0(%a: i64, %b: i64):
    %s = arith.addi %a, %b : i64
    graph.yield %s : i64
  } : tensor<4xi32>
  return
}

// -----

func.func @scan_c4_outside(%x: tensor<4xi32>, %z: i32) {
  %y = graph.scan %x axis 0 {
  ^bb0(%a: i32, %b: i32):
    // expected-error @below {{reads a value from outside of the body (scan_c4)}}
    %s = arith.addi %a, %z : i32
    graph.yield %s : i32
  } : tensor<4xi32>
  return
}

// -----

func.func @digit_counts_c1(%k: tensor<4x9xi8>) {
  // expected-error @below {{reads digit 1 of keys of type 'tensor<4x9xi8>' (digit_counts_c1)}}
  %c = graph.digit_counts %k digit 1 block 4 : tensor<4x9xi8> -> tensor<4x256x3xi64>
  return
}

// -----

func.func @digit_counts_c1_floats(%k: tensor<4x9xf32>) {
  // expected-error @below {{reads digit 0 of keys of type 'tensor<4x9xf32>' (digit_counts_c1)}}
  %c = graph.digit_counts %k digit 0 block 4 : tensor<4x9xf32> -> tensor<4x256x3xi64>
  return
}

// -----

func.func @digit_counts_c2(%k: tensor<4x9xi8>) {
  // expected-error @below {{has counts of type 'tensor<4x256x2xi64>' for keys of type 'tensor<4x9xi8>' (digit_counts_c2)}}
  %c = graph.digit_counts %k digit 0 block 4 : tensor<4x9xi8> -> tensor<4x256x2xi64>
  return
}

// -----

func.func @digit_counts_c3(%k: tensor<4x9xi8>) {
  // expected-error @below {{has blocks of 0 keys, expected at least 1 (digit_counts_c3)}}
  %c = graph.digit_counts %k digit 0 block 0 : tensor<4x9xi8> -> tensor<4x256x3xi64>
  return
}

// -----

func.func @digit_scatter_c1(%k: tensor<9xi16>, %v: tensor<9xi32>, %o: tensor<256x3xi64>) {
  // expected-error @below {{reads digit 2 of keys of type 'tensor<9xi16>' (digit_scatter_c1)}}
  %sk, %sv, %e = graph.digit_scatter %k, %v to %o digit 2 block 4
      : tensor<9xi16>, tensor<9xi32>, tensor<256x3xi64> -> tensor<3x256xi64>
  return
}

// -----

func.func @digit_scatter_c2(%k: tensor<9xi8>, %v: tensor<9xi32>, %o: tensor<3x256xi64>) {
  // expected-error @below {{has offsets of type 'tensor<3x256xi64>' for keys of type 'tensor<9xi8>' (digit_scatter_c2)}}
  %sk, %sv, %e = graph.digit_scatter %k, %v to %o digit 0 block 4
      : tensor<9xi8>, tensor<9xi32>, tensor<3x256xi64> -> tensor<3x256xi64>
  return
}

// -----

func.func @digit_scatter_c3(%k: tensor<9xi8>, %v: tensor<9xi32>, %o: tensor<256x3xi64>) {
  // expected-error @below {{has blocks of -1 keys, expected at least 1 (digit_scatter_c3)}}
  %sk, %sv, %e = graph.digit_scatter %k, %v to %o digit 0 block -1
      : tensor<9xi8>, tensor<9xi32>, tensor<256x3xi64> -> tensor<3x256xi64>
  return
}

// -----

func.func @digit_scatter_c4(%k: tensor<9xi8>, %v: tensor<9xf32>, %o: tensor<256x3xi64>) {
  // expected-error @below {{has values of type 'tensor<9xf32>' for keys of type 'tensor<9xi8>' (digit_scatter_c4)}}
  %sk, %sv, %e = graph.digit_scatter %k, %v to %o digit 0 block 4
      : tensor<9xi8>, tensor<9xf32>, tensor<256x3xi64> -> tensor<3x256xi64>
  return
}

// -----

func.func @digit_scatter_c5(%k: tensor<9xi8>, %v: tensor<9xi32>, %o: tensor<256x3xi64>) {
  // expected-error @below {{has ends of type 'tensor<256x3xi64>' for keys of type 'tensor<9xi8>' (digit_scatter_c5)}}
  %sk, %sv, %e = graph.digit_scatter %k, %v to %o digit 0 block 4
      : tensor<9xi8>, tensor<9xi32>, tensor<256x3xi64> -> tensor<256x3xi64>
  return
}

// -----

func.func @require_c1(%x: tensor<4xf32>) {
  // expected-error @below {{has elements of type 'f32', expected integers (require_c1)}}
  graph.require %x, "no" : tensor<4xf32>
  return
}

// -----

func.func @require_c2(%x: tensor<4xi32>, %n: index) {
  // expected-error @below {{has 1 bounds, expected none or two (require_c2)}}
  graph.require %x in(%n), "no" : tensor<4xi32>
  return
}
