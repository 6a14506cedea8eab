#include "graph/reference/Tensor.h"
#include "test/graph/reference/TestRun.h"

#include <catch2/catch.hpp>

namespace tilewright::graph::reference::test {

using Floats = std::vector<float>;

TEST_CASE("indices outside of a tensor are faults") {
  const char *const extract = R"(
func.func @main(%x: tensor<3xf32>, %i: index) -> f32 {
  %a = tensor.extract %x[%i] : tensor<3xf32>
  return %a : f32
})";
  const Array x = floats({3}, {1, 2, 3});
  CHECK(TestRun(extract, {x, integer(2)}).floats() == Floats{3});
  for (int64_t outside : {3, -1})
    CHECK(TestRun(extract, {x, integer(outside)}).fault() ==
          "func.return: element [] of result 0 is poison\n"
          "note: this reads outside of its tensor\n");
  const char *const slice = R"(
func.func @main(%x: tensor<3xf32>, %i: index, %n: index) -> tensor<?xf32> {
  %a = tensor.extract_slice %x[%i] [%n] [1] : tensor<3xf32> to tensor<?xf32>
  return %a : tensor<?xf32>
})";
  CHECK(TestRun(slice, {x, integer(1), integer(2)}).floats() == Floats{2, 3});
  CHECK(TestRun(slice, {x, integer(3), integer(0)}).fault().empty());
  CHECK(TestRun(slice, {x, integer(2), integer(2)}).fault() ==
        "tensor.extract_slice: dimension 0 of the slice is from 2 to 3, the "
        "tensor has shape [3]\n");
  CHECK(TestRun(slice, {x, integer(0), integer(-1)}).fault() ==
        "tensor.extract_slice: size 0 is -1\n");
  TestRun gather(R"(
func.func @main(%x: tensor<3xf32>, %n: tensor<1x1xi32>) -> tensor<1xf32> {
  %a = tensor.gather %x[%n] gather_dims([0])
      : (tensor<3xf32>, tensor<1x1xi32>) -> tensor<1xf32>
  return %a : tensor<1xf32>
})",
                 {x, integers({1, 1}, {0xffffffff})});
  CHECK(gather.fault() ==
        "tensor.gather: index -1 of dimension 0 of a tensor of shape [3]\n");
}

TEST_CASE("shapes that do not fit are faults") {
  const char *const add = R"(
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %a = arith.addf %x, %y : tensor<?xf32>
  return %a : tensor<?xf32>
})";
  CHECK(TestRun(add, {floats({1}, {1}), floats({2}, {1, 2})}).fault() ==
        "arith.addf: operands have shapes [1] and [2]\n");
  CHECK(TestRun(add, {floats({1, 1}, {1}), floats({1}, {1})})
            .fault()
            .starts_with("func.func: argument 0 is 'tensor<?xf32>', found 1 "
                         "elements of shape [1, 1]\n"));
  TestRun cast(R"(
func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
  %a = tensor.cast %x : tensor<?xf32> to tensor<3xf32>
  return %a : tensor<3xf32>
})",
               {floats({2}, {1, 2})});
  CHECK(cast.fault() == "tensor.cast: a result has shape [2], its type is "
                        "'tensor<3xf32>'\n");
  TestRun product(R"(
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
})",
                  {floats({1, 2}, {1, 2}), floats({1, 2}, {1, 2})});
  CHECK(product.fault() ==
        "linalg.matmul: loop 2 has sizes 2 and 1 by its operands\n");
}

TEST_CASE("an operand has the elements that loops lead to, used or not") {
  const char *const window = R"(
#window = affine_map<(i, k) -> (2 * i - k + 1)>
#row = affine_map<(i, k) -> (k)>
#result = affine_map<(i, k) -> (i)>
func.func @main(%x: tensor<?xf32>, %k: tensor<?xf32>, %y: tensor<2xf32>)
    -> tensor<2xf32> {
  %r = linalg.generic {indexing_maps = [#window, #row, #result],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %k : tensor<?xf32>, tensor<?xf32>) outs(%y : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    linalg.yield %b : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
})";
  const Array y = floats({2}, {0, 0}), k = floats({2}, {1, 2});
  CHECK(TestRun(window, {floats({4}, {0, 0, 0, 0}), k, y}).fault().empty());
  CHECK(TestRun(window, {floats({3}, {0, 0, 0}), k, y}).fault() ==
        "linalg.generic: subscripts 0 to 3 of dimension 0 of operand 0, whose "
        "size is 3\n");
  CHECK(TestRun(window, {floats({9}, {0, 0, 0, 0, 0, 0, 0, 0, 0}),
                         floats({3}, {1, 2, 3}), y})
            .fault() ==
        "linalg.generic: subscripts -1 to 3 of dimension 0 of operand 0, whose "
        "size is 9\n");
  // An empty loop ends before its first point, and others go on.
  const Array none = floats({0}, {});
  CHECK(TestRun(window, {floats({4}, {0, 0, 0, 0}), none, y}).fault().empty());
  CHECK(TestRun(window, {none, none, y}).fault() ==
        "linalg.generic: subscripts 2 to 3 of dimension 0 of operand 0, whose "
        "size is 0\n");
}

TEST_CASE("integers divided by zero, checks that do not hold") {
  TestRun division(R"(
func.func @main(%x: tensor<2xi64>, %y: tensor<2xi64>) -> tensor<2xi64> {
  %r = arith.remsi %x, %y : tensor<2xi64>
  return %r : tensor<2xi64>
})",
                   {integers({2}, {7, 8}), integers({2}, {4, 0})});
  CHECK(division.element(0, {0})->toInt() == 3);
  CHECK(division.element(0, {1})->isPoison());
  CHECK(division.fault() ==
        "func.return: element [1] of result 0 is poison\n"
        "note: this operation is not defined for its operands\n");
  const char *const checks = R"(
func.func @main(%n: index, %x: tensor<2xi32>, %c: i1) {
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  graph.check %n at_most %c2, "n is small"
  graph.check %n equals %c2, "n is two"
  graph.require %x in(%c2, %c9), "x is between" : tensor<2xi32>
  graph.require %x, "x is not zero" : tensor<2xi32>
  cf.assert %c, "c holds"
  return
})";
  auto fault = [&](int64_t n, std::vector<int64_t> x, int64_t c) {
    return TestRun(checks,
                   {integer(n), integers({2}, std::move(x)), integer(c)})
        .fault();
  };
  CHECK(fault(2, {2, 8}, 1).empty());
  CHECK(fault(3, {2, 8}, 1) ==
        "graph.check: n is small: found 3, expected at most 2\n");
  CHECK(fault(1, {2, 8}, 1) == "graph.check: n is two: found 1, expected 2\n");
  CHECK(fault(2, {2, 9}, 1) ==
        "graph.require: x is between: element [1] is 9\n");
  CHECK(fault(2, {1, 8}, 1) ==
        "graph.require: x is between: element [0] is 1\n");
  CHECK(fault(2, {2, 8}, 0) == "cf.assert: c holds\n");
}

TEST_CASE("what nothing wrote is poison") {
  const char *const text = R"(
func.func @main(%x: tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<2xf32>
  %a = tensor.insert_slice %x into %e[1] [1] [1] : tensor<1xf32> into tensor<2xf32>
  %b = arith.negf %a : tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
})";
  TestRun run(text, {floats({1}, {5})});
  CHECK(run.element(0, {1})->toDouble() == 5);
  CHECK(run.element(1, {1})->toDouble() == -5);
  CHECK(run.element(1, {1})->toDouble() == -5);
  CHECK(run.fault() == "func.return: element [0] of result 0 is poison\n"
                       "note: nothing wrote this element here\n"
                       "func.return: element [0] of result 1 is poison\n"
                       "note: nothing wrote this element here\n");
}

TEST_CASE("poison spreads, and is a fault where it decides") {
  const char *const text = R"(
func.func @main(%n: i32, %c: i1) -> (i32, i32, tensor<1xi32>) {
  %c40 = arith.constant 40 : i32
  %p = arith.shli %n, %c40 : i32
  %q = arith.addi %p, %n : i32
  %r = arith.select %c, %q, %n : i32
  %t = tensor.from_elements %q : tensor<1xi32>
  return %q, %r, %t : i32, i32, tensor<1xi32>
})";
  TestRun run(text, {integer(1), integer(0)});
  CHECK(run.element(0, {})->isPoison());
  CHECK(run.element(1, {})->toInt() == 1);
  CHECK(run.fault().starts_with(
      "func.return: element [] of result 0 is poison\nnote: this operation is "
      "not defined for its operands\n"));
  TestRun decides(R"(
func.func @main(%n: i32) -> tensor<?xf32> {
  %c40 = arith.constant 40 : i32
  %p = arith.shli %n, %c40 : i32
  %i = arith.index_cast %p : i32 to index
  %e = tensor.empty(%i) : tensor<?xf32>
  return %e : tensor<?xf32>
})",
                  {integer(1)});
  CHECK(decides.fault().starts_with(
      "tensor.empty: uses poison as index, size or condition\n"));
}

TEST_CASE("an op that is not known is named") {
  TestRun run(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = graph.launch @k(%x) writes [0] "k" : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
})",
              {floats({2}, {1, 2})});
  CHECK(run.fault() ==
        "graph.launch: the reference of graphs does not know this op\n");
}

TEST_CASE("values that are no numbers of 64 bits, nor tensors of them") {
  const std::string expected = "expected integers and floats of at most 64 "
                               "bits, f128, and tensors of them of "
                               "known rank, found ";
  TestRun vector("func.func @main(%x: vector<4xf32>) { return }",
                 {floats({4}, {1, 2, 3, 4})});
  CHECK(vector.fault() == "func.func: " + expected + "'vector<4xf32>'\n");
  TestRun wide("func.func @main() {\n  %c = arith.constant 1 : i128\n"
               "  return\n}");
  CHECK(wide.fault() == "arith.constant: " + expected + "'i128'\n");
}

TEST_CASE("tensors of very many elements are read where they are asked for") {
  const std::string text = R"(
func.func @main(%n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %e = tensor.generate %n, %n {
  ^bb0(%i: index, %j: index):
    %k = arith.index_cast %j : index to i64
    %f = arith.sitofp %k : i64 to f32
    tensor.yield %f : f32
  } : tensor<?x?xf32>
  %a = arith.addf %e, %e : tensor<?x?xf32>
  %b = graph.sort %a axis 1 : tensor<?x?xf32>
  return %a, %b : tensor<?x?xf32>, tensor<?x?xf32>
})";
  const int64_t size = int64_t(1) << 40;
  TestRun run(text, {integer(size)});
  CHECK(run.element(0, {size / 2, 5})->toDouble() == 10);
  CHECK_FALSE(run.element(1, {0, 0}));
  TestRun loop(R"(
func.func @main(%n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %a = tensor.splat %f[%n] : tensor<?xf32>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%b = %a) -> tensor<?xf32> {
    %c = arith.addf %b, %b : tensor<?xf32>
    scf.yield %c : tensor<?xf32>
  }
  return %r : tensor<?xf32>
})",
               {integer(size)});
  CHECK(loop.fault() == "scf.for: needs 1099511627776 elements in memory at "
                        "once, the limit is 134217728\n");
}

TEST_CASE("memory that is bounded forgets and computes again") {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ElementMemory memory(256);
  int computed = 0;
  ComputedTensor tensor(mlir::IndexType::get(&context), {1000}, memory,
                        [&](Index index) {
                          ++computed;
                          return Scalar::ofBits(uint64_t(index[0]) * 2);
                        });
  auto at = [&](int64_t index) { return tensor.at(index)->bits(); };
  CHECK(at(3) == 6);
  CHECK(at(3) == 6);
  CHECK(computed == 1);
  // There is room for one page of 256 elements.
  CHECK(at(300) == 600);
  CHECK(computed == 2);
  CHECK(at(3) == 6);
  CHECK(computed == 3);
}

} // namespace tilewright::graph::reference::test
