// A concatenation: a kernel for each input or for neighbours of one size, which
// stores their parts of the result.
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

// -----

// Inputs of one size, made of the same halves: one kernel, which loads each half
// once (a rotary embedding).
// CHECK-LABEL: func.func @halves
// CHECK: graph.launch @k0
// CHECK-NOT: graph.launch
// CHECK-LABEL: tile.kernel @k0
// CHECK-SAME: (%[[R:[a-z0-9]+]]: !tile.view<6x64xf32>, %[[X:[a-z0-9]+]]: !tile.view<6x64xf32>)
// CHECK: %[[H:.*]] = tile.load %[[X]] at [%c0, %c32
// CHECK: %[[N:.*]] = arith.negf %[[H]]
// CHECK: %[[L:.*]] = tile.load %[[X]] at [%c0, %c0
// CHECK-NOT: tile.load
// CHECK: tile.store %[[N]], %[[R]] at [%c0, %c0
// CHECK: tile.store %[[L]], %[[R]] at [%c0, %c32
func.func @halves(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %e = tensor.empty() : tensor<6x32xf32>
  %l = tensor.extract_slice %x[0, 0] [6, 32] [1, 1] : tensor<6x64xf32> to tensor<6x32xf32>
  %h = tensor.extract_slice %x[0, 32] [6, 32] [1, 1] : tensor<6x64xf32> to tensor<6x32xf32>
  %n = linalg.negf ins(%h : tensor<6x32xf32>) outs(%e : tensor<6x32xf32>) -> tensor<6x32xf32>
  %c = tensor.concat dim(1) %n, %l : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x64xf32>
  return %c : tensor<6x64xf32>
}

// -----

// Of many inputs of one size, four at a time.
// CHECK-LABEL: func.func @many
// CHECK-COUNT-2: graph.launch
// CHECK-NOT: graph.launch
func.func @many(%x: tensor<4xf32>) -> tensor<20xf32> {
  %c = tensor.concat dim(0) %x, %x, %x, %x, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<20xf32>
  return %c : tensor<20xf32>
}

// -----

// Tiles of inputs that share a kernel divide their size.
// CHECK-LABEL: tile.kernel @k0
// CHECK: tile.load {{.*}} -> tensor<1x30x64xf32>
func.func @divisor(%x: tensor<2x150x64xf32>, %y: tensor<2x150x64xf32>) -> tensor<2x300x64xf32> {
  %c = tensor.concat dim(1) %x, %y : (tensor<2x150x64xf32>, tensor<2x150x64xf32>) -> tensor<2x300x64xf32>
  return %c : tensor<2x300x64xf32>
}

// -----

// Of a size that no tile divides, and with another in between, each has its
// kernel.
// CHECK-LABEL: func.func @prime
// CHECK-COUNT-2: graph.launch
// CHECK-NOT: graph.launch
func.func @prime(%x: tensor<2x131x64xf32>) -> tensor<2x262x64xf32> {
  %c = tensor.concat dim(1) %x, %x : (tensor<2x131x64xf32>, tensor<2x131x64xf32>) -> tensor<2x262x64xf32>
  return %c : tensor<2x262x64xf32>
}

// -----

// CHECK-LABEL: func.func @between
// CHECK-COUNT-3: graph.launch
// CHECK-NOT: graph.launch
func.func @between(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<11xf32> {
  %c = tensor.concat dim(0) %x, %y, %x : (tensor<4xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<11xf32>
  return %c : tensor<11xf32>
}
