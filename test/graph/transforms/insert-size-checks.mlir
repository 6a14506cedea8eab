// RUN: tilewright-opt %s --insert-size-checks --split-input-file --verify-diagnostics | FileCheck %s

#id = affine_map<(i) -> (i)>

// Two tensors that one loop walks have one length: known when the program runs,
// and so checked there, once for both ops that want it.
// CHECK-LABEL: @loops
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg0
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg1
// CHECK: graph.check %[[M]] equals %[[N]], "Add_1: dimension 0 of operand 1 and its counterpart in operand 0 have one size"
// CHECK-NOT: graph.check
// CHECK: linalg.generic
func.func @loops(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32> loc("Add_1")
  %b = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.mulf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<?xf32> loc("Mul_2")
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// -----

#window = affine_map<(i, j) -> (i + j)>
#out = affine_map<(i, j) -> (i)>
#in = affine_map<(i, j) -> (j)>

// What a window reads ends within the tensor.
// CHECK: #[[END:.*]] = affine_map<()[s0] -> (s0 + 2)>
// CHECK-LABEL: @window
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg0
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg1
// CHECK-DAG: %[[E:.*]] = affine.apply #[[END]]()[%[[M]]]
// CHECK: graph.check %[[E]] at_most %[[N]], "Pool_1: what is read of dimension 0 of operand 0 lies in the tensor"
// CHECK-NOT: graph.check
func.func @window(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %w = tensor.empty() : tensor<3xf32>
  %a = linalg.generic {indexing_maps = [#window, #in, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<?xf32>, tensor<3xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.addf %p, %r : f32
    linalg.yield %s : f32
  } -> tensor<?xf32> loc("Pool_1")
  return %a : tensor<?xf32>
}

// -----

// A slice lies in the tensor with both ends, a cast says a size, a reshape keeps
// all elements, and so do inputs side by side have one height.
// CHECK-DAG: #[[END:.*]] = affine_map<()[s0] -> (s0 + 4)>
// CHECK-DAG: #[[TWICE:.*]] = affine_map<()[s0] -> (s0 * 2)>
// CHECK-LABEL: @tensors
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg0
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg1
// CHECK-DAG: %[[E:.*]] = affine.apply #[[END]]()[%[[M]]]
// CHECK: graph.check %[[E]] at_most %[[N]], "Slice_1: the slice of dimension 0 lies in the tensor"
// CHECK: graph.check %[[N]] equals %c8, "Cast_2: dimension 0 has the size that its type says"
// CHECK: %[[T:.*]] = affine.apply #[[TWICE]]()[%[[N]]]
// CHECK: graph.check %[[T]] equals %[[M]], "Reshape_3: a reshape keeps the number of elements"
// CHECK: graph.check %[[M]] equals %[[N]], "Concat_4: dimension 0 of all inputs has one size"
// CHECK-NOT: graph.check
func.func @tensors(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>)
    -> (tensor<4x2xf32>, tensor<8x2xf32>, tensor<?xf32>, tensor<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %y, %c0 : tensor<?x2xf32>
  %s = tensor.extract_slice %x[%m, 0] [4, 2] [1, 1] : tensor<?x2xf32> to tensor<4x2xf32> loc("Slice_1")
  %c = tensor.cast %x : tensor<?x2xf32> to tensor<8x2xf32> loc("Cast_2")
  %l = tensor.from_elements %m : tensor<1xindex>
  %r = tensor.reshape %x(%l) : (tensor<?x2xf32>, tensor<1xindex>) -> tensor<?xf32> loc("Reshape_3")
  %t = tensor.concat dim(1) %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32> loc("Concat_4")
  return %s, %c, %r, %t : tensor<4x2xf32>, tensor<8x2xf32>, tensor<?xf32>, tensor<?x4xf32>
}

// -----

// What the module's author asserts of sizes has the author's words.
// CHECK: #[[NEXT:.*]] = affine_map<()[s0] -> (s0 + 1)>
// CHECK-LABEL: @assertion
// CHECK-DAG: %[[N:.*]] = tensor.dim %arg0
// CHECK-DAG: %[[M:.*]] = tensor.dim %arg0, %c1
// CHECK-DAG: %[[E:.*]] = affine.apply #[[NEXT]]()[%[[N]]]
// CHECK: graph.check %[[E]] at_most %[[M]], "more columns than rows"
// CHECK-NOT: cf.assert
func.func @assertion(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %less = arith.cmpi slt, %n, %m : index
  cf.assert %less, "more columns than rows"
  return %x : tensor<?x?xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What types say, and what has one name, needs no check.
// CHECK-LABEL: @known
// CHECK-NOT: graph.check
func.func @known(%x: tensor<?xf32> {graph.dims = ["N"]}, %y: tensor<?xf32> {graph.dims = ["N"]},
                 %z: tensor<8xf32>) -> (tensor<?xf32>, tensor<4xf32>) {
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f32):
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %s = tensor.extract_slice %z[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %a, %s : tensor<?xf32>, tensor<4xf32>
}

// -----

// What cannot hold is an error here and now.
func.func @elements(%x: tensor<4xf32>) -> tensor<?xf32> {
  %c5 = arith.constant 5 : index
  %l = tensor.from_elements %c5 : tensor<1xindex>
  // expected-error @+1 {{expected that a reshape keeps the number of elements: 5, found 4}}
  %r = tensor.reshape %x(%l) : (tensor<4xf32>, tensor<1xindex>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @data(%x: tensor<i1>) {
  %b = tensor.extract %x[] : tensor<i1>
  // expected-error @+1 {{expected an assertion that compares sizes, which are known when the model runs and before its kernels do}}
  cf.assert %b, "true"
  return
}

// -----

func.func @differ(%x: tensor<?xf32>, %y: tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %d = arith.cmpi ne, %n, %m : index
  // expected-error @+1 {{expected an assertion that sizes are equal or in order, found one that they differ}}
  cf.assert %d, "different"
  return
}

// -----

// What is known is an error now, where something is read; also behind a cast that
// hides it from the verifier.
func.func @slice(%x: tensor<5xf32>, %n: tensor<?xf32>) -> tensor<4xf32> {
  %c = tensor.cast %x : tensor<5xf32> to tensor<?xf32>
  // expected-error @below {{expected that the slice of dimension 0 lies in the tensor: at most 5, found 6}}
  %s = tensor.extract_slice %c[2] [4] [1] : tensor<?xf32> to tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// CHECK-LABEL: @nothing
// CHECK-NOT: graph.check
func.func @nothing(%x: tensor<5xf32>) -> tensor<0xf32> {
  %c = tensor.cast %x : tensor<5xf32> to tensor<?xf32>
  %s = tensor.extract_slice %c[7] [0] [1] : tensor<?xf32> to tensor<0xf32>
  return %s : tensor<0xf32>
}

// -----

// What is known before a loop is checked once, before it runs; what depends on
// its iteration is checked in each. What only one side of a branch needs is
// checked there.
// CHECK-LABEL: @regions
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]]
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[Y]]
// CHECK: graph.check %[[N]] equals %[[M]]
// CHECK: %[[K:.*]] = graph.size
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[K]]
// CHECK-NEXT: %[[END:.*]] = affine.apply #{{.*}}()[%[[I]]]
// CHECK-NEXT: graph.check %[[END]] at_most %[[N]]
// CHECK-NOT: graph.check
// CHECK: scf.if
// CHECK-NEXT: graph.check %[[K]] at_most %[[M]]
// CHECK-NOT: graph.check
func.func @regions(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %t: tensor<i64>, %u: tensor<i1>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = graph.size %t : tensor<i64>
  %c = graph.condition %u : tensor<i1>
  %m = tensor.dim %y, %c0 : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> (tensor<?x4xf32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%y, %row : tensor<?x4xf32>, tensor<4xf32>) outs(%a : tensor<?x4xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %v = arith.addf %p, %q : f32
      linalg.yield %v : f32
    } -> tensor<?x4xf32>
    scf.yield %s : tensor<?x4xf32>
  }
  %o = scf.if %c -> tensor<?x4xf32> {
    %ok = arith.cmpi sle, %k, %m : index
    cf.assert %ok, "few steps"
    scf.yield %r : tensor<?x4xf32>
  } else {
    scf.yield %x : tensor<?x4xf32>
  }
  return %o : tensor<?x4xf32>
}

// -----

// Rows of a tensor that a loop walks along, from either end, are in it in all
// iterations; two rows are not in the last one.
// CHECK-LABEL: @walk
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[N:.*]] step
// CHECK-NOT: graph.check
// CHECK: %[[END:.*]] = affine.apply #{{.*}}()[%[[I]]]
// CHECK-NEXT: graph.check %[[END]] at_most %{{.*}} "{{.*}}the slice of dimension 0 lies in the tensor"
// CHECK-NOT: graph.check
func.func @walk(%x: tensor<?x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %last = affine.apply affine_map<()[n] -> (n - 1)>()[%n]
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %y) -> (tensor<2x4xf32>) {
    %back = arith.subi %last, %i : index
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %other = tensor.extract_slice %x[%back, 0] [1, 4] [1, 1] : tensor<?x4xf32> to tensor<4xf32>
    %both = tensor.extract_slice %x[%i, 0] [2, 4] [1, 1] : tensor<?x4xf32> to tensor<2x4xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%row, %other, %both : tensor<4xf32>, tensor<4xf32>, tensor<2x4xf32>) outs(%a : tensor<2x4xf32>) {
    ^bb0(%p: f32, %q: f32, %t: f32, %o: f32):
      %u = arith.addf %p, %q : f32
      %v = arith.addf %u, %t : f32
      linalg.yield %v : f32
    } -> tensor<2x4xf32>
    scf.yield %s : tensor<2x4xf32>
  }
  return %r : tensor<2x4xf32>
}

// -----

// A loop with steps of an unknown size has to end.
// CHECK-LABEL: @step
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]]
// CHECK: graph.check %[[ONE]] at_most %[[N]], {{.*}} the step of a loop is positive
// CHECK: scf.for
func.func @step(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %c9 step %n iter_args(%a = %x) -> tensor<?xf32> {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
