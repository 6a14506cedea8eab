// RUN: tilewright-opt %s --squeeze-slices --split-input-file | FileCheck %s
// RUN: tilewright-opt %s --squeeze-slices --form-groups --split-input-file | FileCheck %s --check-prefix=GROUP

// What a step of a loop reads of all inputs: the kernel that adds it loads it at
// the loop's position.
// CHECK-LABEL: @step
// CHECK: scf.for %[[T:.*]] = %c0
// CHECK-NOT: tensor.reshape
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[%[[T]], 0, 0] [1, 1, 64] [1, 1, 1] : tensor<?x1x64xf32> to tensor<1x64xf32>
// CHECK: linalg.generic {{.*}} ins(%[[S]], %{{.*}} : tensor<1x64xf32>, tensor<1x64xf32>)
// GROUP-LABEL: @step
// GROUP: scf.for
// GROUP: graph.group
// GROUP: tensor.extract_slice
// GROUP: linalg.generic
// GROUP-NOT: graph.group
// GROUP: return
#id = affine_map<(i, j) -> (i, j)>
func.func @step(%x: tensor<?x1x64xf32>, %h: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %steps = tensor.dim %x, %c0 : tensor<?x1x64xf32>
  %y = scf.for %t = %c0 to %steps step %c1 iter_args(%s = %h) -> (tensor<1x64xf32>) {
    %part = tensor.extract_slice %x[%t, 0, 0] [1, 1, 64] [1, 1, 1]
        : tensor<?x1x64xf32> to tensor<1x1x64xf32>
    %shape = tensor.from_elements %c1, %c64 : tensor<2xindex>
    %row = tensor.reshape %part(%shape) : (tensor<1x1x64xf32>, tensor<2xindex>) -> tensor<1x64xf32>
    %e = tensor.empty() : tensor<1x64xf32>
    %next = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%row, %s : tensor<1x64xf32>, tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %u = arith.addf %p, %q : f32
      linalg.yield %u : f32
    } -> tensor<1x64xf32>
    scf.yield %next : tensor<1x64xf32>
  }
  return %y : tensor<1x64xf32>
}

// -----

// One open size follows from the others.
// CHECK-LABEL: @open
// CHECK-NOT: tensor.reshape
// CHECK: %[[R:.*]] = tensor.extract_slice %arg0[0, 3, 0] [%{{.*}}, 1, 8] [1, 1, 1] : tensor<?x5x8xf32> to tensor<?x8xf32>
// CHECK: return %[[R]]
func.func @open(%x: tensor<?x5x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %x, %c0 : tensor<?x5x8xf32>
  %part = tensor.extract_slice %x[0, 3, 0] [%n, 1, 8] [1, 1, 1]
      : tensor<?x5x8xf32> to tensor<?x1x8xf32>
  %shape = tensor.from_elements %n, %c8 : tensor<2xindex>
  %rows = tensor.reshape %part(%shape) : (tensor<?x1x8xf32>, tensor<2xindex>) -> tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}

// -----

// Two open sizes that stay where they are, and two that change places.
// CHECK-LABEL: @several
// CHECK: %[[R:.*]] = tensor.extract_slice %arg0[2, 0, 0] [1, %{{.*}}, %{{.*}}] [1, 1, 1] : tensor<4x?x?xf32> to tensor<?x?xf32>
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[3, 0, 0] {{.*}} to tensor<1x?x?xf32>
// CHECK: %[[T:.*]] = tensor.reshape %[[S]]
// CHECK: return %[[R]], %[[T]]
func.func @several(%x: tensor<4x?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c1 : tensor<4x?x?xf32>
  %m = tensor.dim %x, %c2 : tensor<4x?x?xf32>
  %part = tensor.extract_slice %x[2, 0, 0] [1, %n, %m] [1, 1, 1]
      : tensor<4x?x?xf32> to tensor<1x?x?xf32>
  %same = tensor.from_elements %n, %m : tensor<2xindex>
  %r = tensor.reshape %part(%same) : (tensor<1x?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %next = tensor.extract_slice %x[3, 0, 0] [1, %n, %m] [1, 1, 1]
      : tensor<4x?x?xf32> to tensor<1x?x?xf32>
  %other = tensor.from_elements %m, %n : tensor<2xindex>
  %t = tensor.reshape %next(%other) : (tensor<1x?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r, %t : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A copy that something else reads serves the reshape, too.
// CHECK-LABEL: @shared
// CHECK: tensor.reshape
func.func @shared(%x: tensor<4x1x8xf32>) -> (tensor<1x1x8xf32>, tensor<1x8xf32>) {
  %shape = arith.constant dense<[1, 8]> : tensor<2xindex>
  %part = tensor.extract_slice %x[2, 0, 0] [1, 1, 8] [1, 1, 1]
      : tensor<4x1x8xf32> to tensor<1x1x8xf32>
  %r = tensor.reshape %part(%shape) : (tensor<1x1x8xf32>, tensor<2xindex>) -> tensor<1x8xf32>
  return %part, %r : tensor<1x1x8xf32>, tensor<1x8xf32>
}

// -----

// Reshapes that do more, and one of what is no slice.
// CHECK-LABEL: @others
// CHECK-COUNT-4: tensor.reshape
func.func @others(%x: tensor<6x1x8xf32>)
    -> (tensor<8x1xf32>, tensor<1x1x8xf32>, tensor<2x4xf32>, tensor<6x8xf32>) {
  %a = arith.constant dense<[8, 1]> : tensor<2xindex>
  %b = arith.constant dense<[1, 1, 8]> : tensor<3xindex>
  %c = arith.constant dense<[2, 4]> : tensor<2xindex>
  %d = arith.constant dense<[6, 8]> : tensor<2xindex>
  %first = tensor.extract_slice %x[1, 0, 0] [1, 1, 8] [1, 1, 1]
      : tensor<6x1x8xf32> to tensor<1x1x8xf32>
  %p = tensor.reshape %first(%a) : (tensor<1x1x8xf32>, tensor<2xindex>) -> tensor<8x1xf32>
  %second = tensor.extract_slice %x[2, 0, 0] [1, 1, 8] [1, 1, 1]
      : tensor<6x1x8xf32> to tensor<1x8xf32>
  %q = tensor.reshape %second(%b) : (tensor<1x8xf32>, tensor<3xindex>) -> tensor<1x1x8xf32>
  %third = tensor.extract_slice %x[3, 0, 0] [1, 1, 8] [1, 1, 1]
      : tensor<6x1x8xf32> to tensor<1x1x8xf32>
  %r = tensor.reshape %third(%c) : (tensor<1x1x8xf32>, tensor<2xindex>) -> tensor<2x4xf32>
  %s = tensor.reshape %x(%d) : (tensor<6x1x8xf32>, tensor<2xindex>) -> tensor<6x8xf32>
  return %p, %q, %r, %s : tensor<8x1xf32>, tensor<1x1x8xf32>, tensor<2x4xf32>, tensor<6x8xf32>
}
