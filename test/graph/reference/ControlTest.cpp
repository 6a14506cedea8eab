#include "test/graph/reference/TestRun.h"

#include <catch2/catch.hpp>

namespace tilewright::graph::reference::test {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

TEST_CASE("a loop carries tensors and numbers through many iterations") {
  // Lazy tensors must not wait for 100,000 iterations at the end.
  const char *const text = R"(
func.func @main(%x: tensor<2xf32>, %n: index) -> (tensor<2xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %c0)
      -> (tensor<2xf32>, index) {
    %b = arith.addf %a, %x : tensor<2xf32>
    %l = arith.addi %k, %i : index
    scf.yield %b, %l : tensor<2xf32>, index
  }
  return %r#0, %r#1 : tensor<2xf32>, index
})";
  TestRun run(text, {floats({2}, {1, 2}), integer(100000)});
  CHECK(run.floats() == Floats{100001, 200002});
  CHECK(run.integers(1) == Integers{4999950000});
  TestRun none(text, {floats({2}, {1, 2}), integer(0)});
  CHECK(none.floats() == Floats{1, 2});
  CHECK(none.integers(1) == Integers{0});
}

TEST_CASE("the numbers of a loop may be unsigned, and end with their type") {
  const char *const text = R"(
func.func @main(%low: i32, %high: i32, %step: i32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for unsigned %i = %low to %high step %step iter_args(%k = %c0)
      -> (index) : i32 {
    %l = arith.addi %k, %c1 : index
    scf.yield %l : index
  }
  return %r : index
})";
  auto iterations = [&](int64_t low, int64_t high, int64_t step) {
    return TestRun(text, {integer(low), integer(high), integer(step)})
        .integers();
  };
  CHECK(iterations(0x7ffffffe, 0x80000002, 1) == Integers{4});
  CHECK(iterations(0, 0xffffffff, 0x80000000) == Integers{2});
  CHECK(iterations(0x80000002, 0x7ffffffe, 1) == Integers{0});
}

TEST_CASE("a long chain of ops has an end") {
  std::string text = "func.func @main(%x0: tensor<2xf32>) -> tensor<2xf32> {\n";
  const int count = 40000;
  for (int i = 0; i < count; ++i)
    text += "  %x" + std::to_string(i + 1) + " = arith.negf %x" +
            std::to_string(i) + " : tensor<2xf32>\n";
  text += "  return %x" + std::to_string(count) + " : tensor<2xf32>\n}";
  TestRun run(text, {floats({2}, {1, 2})});
  CHECK(run.floats() == Floats{1, 2});
}

TEST_CASE("while, if and index_switch") {
  const char *const text = R"(
func.func @main(%n: index) -> (index, index, index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %r = scf.while (%k = %n) : (index) -> index {
    %on = arith.cmpi slt, %k, %c10 : index
    scf.condition(%on) %k : index
  } do {
  ^bb0(%k: index):
    %l = arith.muli %k, %c2 : index
    scf.yield %l : index
  }
  %c = arith.cmpi eq, %r, %c10 : index
  %i = scf.if %c -> index {
    scf.yield %c1 : index
  } else {
    scf.yield %c2 : index
  }
  %s = scf.index_switch %n -> index
  case 3 {
    scf.yield %c1 : index
  }
  case 5 {
    scf.yield %c10 : index
  }
  default {
    scf.yield %c2 : index
  }
  return %r, %i, %s : index, index, index
})";
  TestRun five(text, {integer(5)});
  CHECK(five.integers(0) == Integers{10});
  CHECK(five.integers(1) == Integers{1});
  CHECK(five.integers(2) == Integers{10});
  TestRun three(text, {integer(3)});
  CHECK(three.integers(0) == Integers{12});
  CHECK(three.integers(1) == Integers{2});
  CHECK(three.integers(2) == Integers{1});
  TestRun seven(text, {integer(7)});
  CHECK(seven.integers(2) == Integers{2});
}

TEST_CASE("only the branch that is taken runs") {
  const char *const text = R"(
func.func @main(%c: i1, %n: i64) -> i64 {
  %c7 = arith.constant 7 : i64
  %r = scf.if %c -> i64 {
    %d = arith.divsi %c7, %n : i64
    scf.yield %d : i64
  } else {
    scf.yield %c7 : i64
  }
  return %r : i64
})";
  CHECK(TestRun(text, {integer(0), integer(0)}).integers() == Integers{7});
  CHECK(TestRun(text, {integer(1), integer(2)}).integers() == Integers{3});
  CHECK(TestRun(text, {integer(1), integer(0)}).fault() ==
        "func.return: element [] of result 0 is poison\n"
        "note: this operation is not defined for its operands\n");
}

TEST_CASE("the iterations of a forall see what was before") {
  // Each one writes its element, from the other one.
  TestRun run(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c1 = arith.constant 1 : index
  %r = scf.forall (%i) = (0) to (2) step (1) shared_outs(%o = %x)
      -> (tensor<2xf32>) {
    %j = arith.subi %c1, %i : index
    %s = tensor.extract_slice %o[%j] [1] [1] : tensor<2xf32> to tensor<1xf32>
    %t = arith.addf %s, %s : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [1] [1]
          : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %r : tensor<2xf32>
})",
              {floats({2}, {1, 10})});
  CHECK(run.floats() == Floats{20, 2});
}

TEST_CASE("calls, of functions that call themselves too") {
  const char *const text = R"(
func.func private @factorial(%n: i64) -> i64 {
  %c1 = arith.constant 1 : i64
  %c = arith.cmpi sle, %n, %c1 : i64
  %r = scf.if %c -> i64 {
    scf.yield %c1 : i64
  } else {
    %m = arith.subi %n, %c1 : i64
    %f = func.call @factorial(%m) : (i64) -> i64
    %p = arith.muli %f, %n : i64
    scf.yield %p : i64
  }
  return %r : i64
}
func.func @main(%n: i64) -> i64 {
  %r = func.call @factorial(%n) : (i64) -> i64
  return %r : i64
})";
  CHECK(TestRun(text, {integer(5)}).integers() == Integers{120});
  CHECK(TestRun(text, {integer(100000)}).fault() ==
        "func.call: 200 calls of functions are in each other\n");
}

TEST_CASE("a loop without an end reaches the limit of ops") {
  TestRun run(R"(
func.func @main(%c: i1) -> i1 {
  %r = scf.while (%k = %c) : (i1) -> i1 {
    scf.condition(%c) %k : i1
  } do {
  ^bb0(%k: i1):
    scf.yield %k : i1
  }
  return %r : i1
})",
              {integer(1)}, {.mostOps = 1000});
  CHECK(run.fault() == "scf.while: the limit of 1000 ops is reached\n");
}

TEST_CASE("affine expressions round down, also of negative numbers") {
  TestRun run(R"(
func.func @main(%n: index, %m: index) -> (index, index, index, index) {
  %a = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%n)
  %b = affine.apply affine_map<(d0)[s0] -> (d0 mod 4 + s0 ceildiv 4)>(%n)[%m]
  %c = affine.min affine_map<(d0)[s0] -> (d0, s0, 3)>(%n)[%m]
  %d = affine.max affine_map<(d0)[s0] -> (d0, s0, 3)>(%n)[%m]
  return %a, %b, %c, %d : index, index, index, index
})",
              {integer(-5), integer(9)});
  CHECK(run.integers(0) == Integers{-2});
  CHECK(run.integers(1) == Integers{3 + 3});
  CHECK(run.integers(2) == Integers{-5});
  CHECK(run.integers(3) == Integers{9});
}

} // namespace tilewright::graph::reference::test
