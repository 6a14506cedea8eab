#include "test/graph/reference/TestRun.h"

#include <catch2/catch.hpp>

namespace tilewright::graph::reference::test {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

TEST_CASE("slices: strides, a dropped dimension, backwards") {
  TestRun run(
      R"(
func.func @main(%x: tensor<3x5xf32>, %n: index)
    -> (tensor<?xf32>, tensor<2x2xf32>, tensor<3xf32>) {
  %a = tensor.extract_slice %x[1, 1] [1, %n] [1, 2]
      : tensor<3x5xf32> to tensor<?xf32>
  %b = tensor.extract_slice %x[0, 3] [2, 2] [2, 1]
      : tensor<3x5xf32> to tensor<2x2xf32>
  %c = tensor.extract_slice %x[2, 4] [1, 3] [1, -2]
      : tensor<3x5xf32> to tensor<3xf32>
  return %a, %b, %c : tensor<?xf32>, tensor<2x2xf32>, tensor<3xf32>
})",
      {floats({3, 5}, {0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 20, 21, 22, 23, 24}),
       integer(2)});
  CHECK(run.floats(0) == Floats{11, 13});
  CHECK(run.shape(0) == Integers{2});
  CHECK(run.floats(1) == Floats{3, 4, 23, 24});
  CHECK(run.floats(2) == Floats{24, 22, 20});
}

TEST_CASE("inserts: a slice with strides, an element, and the rest stays") {
  TestRun run(R"(
func.func @main(%x: tensor<2xf32>, %y: tensor<2x5xf32>, %i: index)
    -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  %a = tensor.insert_slice %x into %y[1, 1] [1, 2] [1, 3]
      : tensor<2xf32> into tensor<2x5xf32>
  %c = arith.constant 9.0 : f32
  %b = tensor.insert %c into %y[%i, %i] : tensor<2x5xf32>
  return %a, %b : tensor<2x5xf32>, tensor<2x5xf32>
})",
              {floats({2}, {7, 8}),
               floats({2, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), integer(1)});
  CHECK(run.floats(0) == Floats{0, 1, 2, 3, 4, 5, 7, 7, 8, 8});
  CHECK(run.floats(1) == Floats{0, 1, 2, 3, 4, 5, 9, 7, 8, 9});
}

TEST_CASE("padding by index and of negative width, concatenation") {
  TestRun run(R"(
func.func @main(%x: tensor<2xi64>, %n: index)
    -> (tensor<5xi64>, tensor<?xi64>, tensor<4xi64>) {
  %a = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i64
    tensor.yield %k : i64
  } : tensor<2xi64> to tensor<5xi64>
  %c = arith.constant 9 : i64
  %b = tensor.pad %x low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : i64
  } : tensor<2xi64> to tensor<?xi64>
  %d = tensor.concat dim(0) %b, %x
      : (tensor<?xi64>, tensor<2xi64>) -> tensor<4xi64>
  return %a, %b, %d : tensor<5xi64>, tensor<?xi64>, tensor<4xi64>
})",
              {integers({2}, {50, 60}), integer(-1)});
  CHECK(run.integers(0) == Integers{0, 50, 60, 3, 4});
  CHECK(run.integers(1) == Integers{60, 9});
  CHECK(run.integers(2) == Integers{60, 9, 50, 60});
}

TEST_CASE("other shapes, and sizes") {
  TestRun run(R"(
func.func @main(%x: tensor<?x2xf32>, %s: tensor<2xi64>)
    -> (tensor<?xf32>, tensor<?x3x2xf32>, tensor<?x?xf32>, index, index) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %d = tensor.dim %x, %c0 : tensor<?x2xf32>
  %k = tensor.rank %x : tensor<?x2xf32>
  %n = arith.divsi %d, %c3 : index
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %b = tensor.expand_shape %x [[0, 1], [2]] output_shape [%n, 3, 2]
      : tensor<?x2xf32> into tensor<?x3x2xf32>
  %c = tensor.reshape %x(%s)
      : (tensor<?x2xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %a, %b, %c, %d, %k
      : tensor<?xf32>, tensor<?x3x2xf32>, tensor<?x?xf32>, index, index
})",
              {floats({3, 2}, {1, 2, 3, 4, 5, 6}), integers({2}, {2, 3})});
  CHECK(run.shape(0) == Integers{6});
  CHECK(run.shape(1) == Integers{1, 3, 2});
  CHECK(run.shape(2) == Integers{2, 3});
  CHECK(run.element(2, {1, 0})->toDouble() == 4);
  CHECK(run.integers(3) == Integers{3});
  CHECK(run.integers(4) == Integers{2});
}

TEST_CASE("generate, splat, from_elements, bitcast, constants") {
  TestRun run(R"(
func.func @main(%x: tensor<2xf32>, %n: index)
    -> (tensor<?x2xindex>, tensor<?xf32>, tensor<1x2xf32>, tensor<2xi32>,
        tensor<2xf32>) {
  %a = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %k = arith.muli %i, %n : index
    %l = arith.addi %k, %j : index
    tensor.yield %l : index
  } : tensor<?x2xindex>
  %c = arith.constant 1.5 : f32
  %e = tensor.extract %x[%n] : tensor<2xf32>
  %s = tensor.splat %e[%n] : tensor<?xf32>
  %f = tensor.from_elements %c, %e : tensor<1x2xf32>
  %b = tensor.bitcast %x : tensor<2xf32> to tensor<2xi32>
  %d = arith.constant dense<[3.0, 4.0]> : tensor<2xf32>
  return %a, %s, %f, %b, %d : tensor<?x2xindex>, tensor<?xf32>,
      tensor<1x2xf32>, tensor<2xi32>, tensor<2xf32>
})",
              {floats({2}, {1, 2}), integer(1)});
  CHECK(run.integers(0) == Integers{0, 1});
  CHECK(run.floats(1) == Floats{2});
  CHECK(run.floats(2) == Floats{1.5, 2});
  CHECK(run.integers(3) == Integers{0x3f800000, 0x40000000});
  CHECK(run.floats(4) == Floats{3, 4});
}

TEST_CASE("gather and scatter of rows") {
  TestRun run(R"(
func.func @main(%x: tensor<3x2xf32>, %n: tensor<2x1xi64>, %u: tensor<2x2xf32>)
    -> (tensor<2x2xf32>, tensor<2x1x2xf32>, tensor<3x2xf32>) {
  %a = tensor.gather %x[%n] gather_dims([0])
      : (tensor<3x2xf32>, tensor<2x1xi64>) -> tensor<2x2xf32>
  %b = tensor.gather %x[%n] gather_dims([0])
      : (tensor<3x2xf32>, tensor<2x1xi64>) -> tensor<2x1x2xf32>
  %s = tensor.scatter %u into %x[%n] scatter_dims([0]) unique
      : (tensor<2x2xf32>, tensor<3x2xf32>, tensor<2x1xi64>) -> tensor<3x2xf32>
  return %a, %b, %s : tensor<2x2xf32>, tensor<2x1x2xf32>, tensor<3x2xf32>
})",
              {floats({3, 2}, {0, 1, 10, 11, 20, 21}), integers({2, 1}, {2, 0}),
               floats({2, 2}, {5, 6, 7, 8})});
  CHECK(run.floats(0) == Floats{20, 21, 0, 1});
  CHECK(run.floats(1) == Floats{20, 21, 0, 1});
  CHECK(run.floats(2) == Floats{7, 8, 10, 11, 5, 6});
}

} // namespace tilewright::graph::reference::test
