// RUN: tilewright-opt %s --inserts-to-scatters --split-input-file | FileCheck %s

// A number that was read is the index itself. A whole dimension is a loop, what
// the source lacks is a coordinate of its own, also a constant one.
// CHECK-LABEL: @row
// CHECK-SAME: %[[P:[a-z0-9]+]]: tensor<i32>
// CHECK: %[[ONE:.*]] = arith.constant dense<1> : tensor<i64>
// CHECK: %[[Y:.*]] = graph.scatter "set" %arg0 into %arg2 at(%[[ONE]], %[[P]] : tensor<i64>, tensor<i32>)
// CHECK-SAME: target #[[$TARGET:.*]] index_maps [#[[$NONE:.*]], #[[$NONE]]]
// CHECK: return %[[Y]]
func.func @row(%x: tensor<1x4xf32>, %p: tensor<i32>,
               %s: tensor<2x9x4xf32> {graph.state = "s"})
    -> (tensor<2x9x4xf32> {graph.updates = "s"}) {
  %n = tensor.extract %p[] : tensor<i32>
  %at = arith.index_cast %n : i32 to index
  %y = tensor.insert_slice %x into %s[1, %at, 0] [1, 1, 4] [1, 1, 1]
      : tensor<1x4xf32> into tensor<2x9x4xf32>
  return %y : tensor<2x9x4xf32>
}

// -----

// Several rows have an index each; of a chain each slice is a scatter.
// CHECK-LABEL: @chain
// CHECK: linalg.index
// CHECK: %[[A:.*]] = graph.scatter "set" %arg0 into %arg2
// CHECK: %[[B:.*]] = tensor.from_elements %{{.*}} : tensor<i64>
// CHECK: graph.scatter "set" %arg1 into %[[A]] at(%[[B]] : tensor<i64>)
func.func @chain(%x: tensor<3xf32>, %z: tensor<1xf32>,
                 %s: tensor<9xf32> {graph.state = "s"}, %n: index)
    -> (tensor<9xf32> {graph.updates = "s"}) {
  %a = tensor.insert_slice %x into %s[%n] [3] [1] : tensor<3xf32> into tensor<9xf32>
  %b = tensor.insert_slice %z into %a[%n] [1] [1] : tensor<1xf32> into tensor<9xf32>
  return %b : tensor<9xf32>
}

// -----

// An offset that is a size is checked before the run, as of other slices.
// CHECK-LABEL: @size
// CHECK-COUNT-2: cf.assert
// CHECK: graph.scatter
func.func @size(%x: tensor<1xf32>, %of: tensor<?xf32>,
                %s: tensor<9xf32> {graph.state = "s"})
    -> (tensor<9xf32> {graph.updates = "s"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %of, %c0 : tensor<?xf32>
  %a = tensor.insert_slice %x into %s[%n] [1] [1] : tensor<1xf32> into tensor<9xf32>
  return %a : tensor<9xf32>
}

// -----

// What is no new value of a state stays; so does what has steps, or what is
// inserted into something else than the state.
// CHECK-LABEL: @others
// CHECK-COUNT-3: tensor.insert_slice
// CHECK-NOT: graph.scatter
func.func @others(%x: tensor<2xf32>, %t: tensor<9xf32>,
                  %s: tensor<9xf32> {graph.state = "s"},
                  %r: tensor<9xf32> {graph.state = "r"})
    -> (tensor<9xf32>, tensor<9xf32> {graph.updates = "s"},
        tensor<9xf32> {graph.updates = "r"}) {
  %a = tensor.insert_slice %x into %s[1] [2] [1] : tensor<2xf32> into tensor<9xf32>
  %b = tensor.insert_slice %x into %s[1] [2] [3] : tensor<2xf32> into tensor<9xf32>
  %c = tensor.insert_slice %x into %t[1] [2] [1] : tensor<2xf32> into tensor<9xf32>
  return %a, %b, %c : tensor<9xf32>, tensor<9xf32>, tensor<9xf32>
}
