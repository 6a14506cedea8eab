// RUN: tilewright-opt %s --form-groups --convert-graph-to-tile --split-input-file | FileCheck %s

// The first kernel copies the data, the second adds rows to the copy: a row
// whose index is beyond it is left out.
// CHECK: %[[Y:.*]] = graph.launch @k0
// CHECK: graph.launch @k1{{.*}}(%{{.*}}, %[[Y]]
// CHECK: tile.kernel @k0
// CHECK-NOT: atomic
// CHECK: tile.store
// CHECK: tile.kernel @k1
// CHECK: %[[INDEX:.*]] = tile.load %{{.*}}xi64
// CHECK: arith.cmpi slt
// CHECK: arith.cmpi ult
// Columns are inside.
// CHECK-NOT: arith.cmpi
// CHECK: tile.atomic_rmw add relaxed device %{{.*}}, %{{.*}} mask
// CHECK-NOT: tile.store
func.func @main(%u: tensor<8x64xf32>, %x: tensor<100x64xf32>,
                %i: tensor<8xi64>) -> tensor<100x64xf32> {
  %y = graph.scatter "add" %u into %x at(%i : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x64xf32>, tensor<100x64xf32>
  return %y : tensor<100x64xf32>
}

// -----

// Of updates of one row the last one counts: kernels clear the owners of rows,
// find them, and store. Nothing walks over the data, which a kernel has written
// and nobody else reads.
// CHECK: %[[D:.*]] = graph.launch @k0
// CHECK: %[[E:.*]] = tensor.empty() : tensor<100xi32>
// CHECK: %[[CLEARED:.*]] = graph.launch @k1{{.*}}%[[E]]
// CHECK: %[[OWNERS:.*]] = graph.launch @k2{{.*}}%[[CLEARED]]
// CHECK: graph.launch @k3{{.*}}%[[D]]{{.*}}%[[OWNERS]]
// CHECK: tile.kernel @k1
// CHECK: tile.store_ptr {{.*}} relaxed device
// CHECK: tile.kernel @k2
// CHECK: tile.atomic_rmw max relaxed device
// CHECK: tile.kernel @k3
// CHECK: arith.cmpi eq
// CHECK: tile.store_ptr
func.func @set(%u: tensor<8x64xf32>, %x: tensor<100x64xf32>, %i: tensor<8xi64>)
    -> tensor<100x64xf32> {
  %e = tensor.empty() : tensor<100x64xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<100x64xf32>) outs(%e : tensor<100x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<100x64xf32>
  %y, %o = graph.scatter "set" %u into %d at(%i : tensor<8xi64>)
      target affine_map<(d0, d1)[s0] -> (s0, d1)>
      index_maps [affine_map<(d0, d1) -> (d0)>]
      : tensor<8x64xf32>, tensor<100x64xf32> owners tensor<100xi32>
  return %y : tensor<100x64xf32>
}

// -----

// The data is read once more: it is copied. A product is tried again where the
// element changed.
// CHECK: graph.launch @k0
// CHECK: tensor.empty() : tensor<100xf32>
// CHECK: tile.kernel @k1
// CHECK-NOT: tile.atomic
// CHECK: tile.store
// CHECK: tile.kernel @k2
// CHECK: scf.while
// CHECK: arith.ori
// CHECK: arith.mulf
// CHECK: tile.atomic_cas relaxed device {{.*}} mask
func.func @product(%u: tensor<8xf32>, %x: tensor<100xf32>, %i: tensor<8xi64>)
    -> (tensor<100xf32>, tensor<100xf32>) {
  %e = tensor.empty() : tensor<100xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<100xf32>) outs(%e : tensor<100xf32>) {
  ^bb0(%in: f32, %out: f32):
    %n = arith.negf %in : f32
    linalg.yield %n : f32
  } -> tensor<100xf32>
  %y = graph.scatter "mul" %u into %d at(%i : tensor<8xi64>)
      target affine_map<(d0)[s0] -> (s0)>
      index_maps [affine_map<(d0) -> (d0)>] : tensor<8xf32>, tensor<100xf32>
  return %y, %d : tensor<100xf32>, tensor<100xf32>
}

// -----

// Indices that follow from sizes and from where a loop is are arguments of the
// kernels: both scatters count them, nobody writes them down.
// CHECK-LABEL: @counted
// CHECK: scf.for %[[T:.*]] = %c0
// CHECK-NOT: tensor<i64>
// CHECK: %[[X:.*]] = graph.launch @k1{{.*}}(%arg0, %{{.*}}, %[[T]])
// CHECK: %[[Y:.*]] = graph.launch @k2{{.*}}(%arg0, %{{.*}}, %[[T]])
// CHECK: scf.yield %[[X]], %[[Y]]
// CHECK: tile.kernel @k1{{.*}}(%{{.*}}: !tile.view<64xf32>, %{{.*}}: !tile.view<?x64xf32>, %{{.*}}: index)
// CHECK: tile.store_ptr
func.func @counted(%u: tensor<64xf32>, %n: tensor<?xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = tensor.dim %n, %c0 : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%steps) : tensor<?x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y:2 = scf.for %t = %c0 to %steps step %c1 iter_args(%a = %f, %b = %f) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
    %i = tensor.empty() : tensor<i64>
    %at = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%i : tensor<i64>) {
    ^bb0(%o: i64):
      %p = arith.index_cast %t : index to i64
      linalg.yield %p : i64
    } -> tensor<i64>
    %r = graph.scatter "set" %u into %a at(%at : tensor<i64>)
        target affine_map<(d0)[s0] -> (s0, d0)> index_maps [affine_map<(d0) -> ()>]
        : tensor<64xf32>, tensor<?x64xf32>
    %s = graph.scatter "set" %u into %b at(%at : tensor<i64>)
        target affine_map<(d0)[s0] -> (s0, d0)> index_maps [affine_map<(d0) -> ()>]
        : tensor<64xf32>, tensor<?x64xf32>
    scf.yield %r, %s : tensor<?x64xf32>, tensor<?x64xf32>
  }
  return %y#0, %y#1 : tensor<?x64xf32>, tensor<?x64xf32>
}
