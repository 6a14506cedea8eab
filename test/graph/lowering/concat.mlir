// A concatenation: one kernel for each input, which stores its part of the result.
// RUN: tilewright-opt %s --generalize-ops --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// The first input is computed, the second copied: then its view comes first, and
// has the sizes of the grid. Both write the memory of the result.
// CHECK-LABEL: func.func @concat
// CHECK: %[[M:.*]] = tensor.empty() : tensor<80x8xf32>
// CHECK: %[[F:.*]] = graph.launch @k0{{[a-z_0-9]*}}(%[[M]], %arg0) writes [0]
// CHECK: graph.launch @k1{{[a-z_0-9]*}}(%arg1, %[[F]]) writes [1]
// CHECK-LABEL: tile.kernel @k0
// CHECK-SAME: (%[[R:[a-z0-9]+]]: !tile.view<80x8xf32>, %[[X:[a-z0-9]+]]: !tile.view<30x8xf32>)
// CHECK: %[[A:.*]] = tile.load %[[X]]
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: tile.store %[[E]], %[[R]] at [%c0, %c0]
// CHECK-LABEL: tile.kernel @k1
// CHECK-SAME: (%[[Y:[a-z0-9]+]]: !tile.view<50x8xf32>, %[[R:[a-z0-9]+]]: !tile.view<80x8xf32>)
// CHECK: %[[B:.*]] = tile.load %[[Y]]
// CHECK: tile.store %[[B]], %[[R]] at [%c30{{[_0-9]*}}, %c0]
func.func @concat(%x: tensor<30x8xf32>, %y: tensor<50x8xf32>) -> tensor<80x8xf32> {
  %e = tensor.empty() : tensor<30x8xf32>
  %a = linalg.exp ins(%x : tensor<30x8xf32>) outs(%e : tensor<30x8xf32>) -> tensor<30x8xf32>
  %c = tensor.concat dim(0) %a, %y : (tensor<30x8xf32>, tensor<50x8xf32>) -> tensor<80x8xf32>
  return %c : tensor<80x8xf32>
}

// -----

// Of sizes that are not known: the length of the computed part is no size of the
// result, and so an argument, by which the grid goes.
// CHECK-LABEL: tile.kernel @k0
// CHECK-SAME: (%{{.*}}: !tile.view<?x?xf32>, %{{.*}}: index, %{{.*}}: !tile.view<?x?xf32>) grid affine_map<()[s0, s1, s2, s3, s4] -> (s1 ceildiv {{[0-9]+}}, s2)>
// CHECK: math.exp
func.func @dynamic(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %a = linalg.exp ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = tensor.concat dim(0) %a, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %c : tensor<?x?xf32>
}
