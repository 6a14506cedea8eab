#include "test/graph/reference/TestRun.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

namespace tilewright::graph::reference::test {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

TEST_CASE("sort: stable, NaN above all, descending, unsigned") {
  TestRun run(R"(
func.func @main(%k: tensor<5xf32>, %v: tensor<5xi64>, %u: tensor<3xi8>)
    -> (tensor<5xi64>, tensor<5xi64>, tensor<5xf32>, tensor<3xi8>,
        tensor<3xi8>) {
  %a:2 = graph.sort %k, %v axis 0 : tensor<5xf32>, tensor<5xi64>
  %b:2 = graph.sort %k, %v axis 0 descending : tensor<5xf32>, tensor<5xi64>
  %c = graph.sort %u axis 0 : tensor<3xi8>
  %d = graph.sort %u axis 0 unsigned : tensor<3xi8>
  return %a#1, %b#1, %a#0, %c, %d : tensor<5xi64>, tensor<5xi64>, tensor<5xf32>,
      tensor<3xi8>, tensor<3xi8>
})",
              {floats({5}, {2, NAN, -1, 2, -1}), integers({5}, {0, 1, 2, 3, 4}),
               integers({3}, {1, 0xff, 0})});
  CHECK(run.integers(0) == Integers{2, 4, 0, 3, 1});
  CHECK(run.integers(1) == Integers{1, 0, 3, 2, 4});
  Floats sorted = run.floats(2);
  CHECK(std::isnan(sorted.back()));
  sorted.pop_back();
  CHECK(sorted == Floats{-1, -1, 2, 2});
  CHECK(run.integers(3) == Integers{0xff, 0, 1});
  CHECK(run.integers(4) == Integers{0, 1, 0xff});
}

TEST_CASE("a long row of equal keys stays as it is") {
  Integers positions(100);
  std::iota(positions.begin(), positions.end(), 0);
  TestRun run(R"(
func.func @main(%k: tensor<100xi64>, %v: tensor<100xi64>) -> tensor<100xi64> {
  %a:2 = graph.sort %k, %v axis 0 : tensor<100xi64>, tensor<100xi64>
  return %a#1 : tensor<100xi64>
})",
              {integers({100}, Integers(100, 7)), integers({100}, positions)});
  CHECK(run.integers() == positions);
}

TEST_CASE("sort along the first of two dimensions") {
  TestRun run(R"(
func.func @main(%k: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %a = graph.sort %k axis 0 : tensor<2x2xf32>
  return %a : tensor<2x2xf32>
})",
              {floats({2, 2}, {3, 1, 2, 4})});
  CHECK(run.floats() == Floats{2, 1, 3, 4});
}

TEST_CASE("top_k: of equal elements the one with the lower index") {
  TestRun run(R"(
func.func @main(%x: tensor<1x4xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>,
                                         tensor<1x2xi64>) {
  %v, %i = graph.top_k %x axis 1
      : tensor<1x4xf32> -> tensor<1x3xf32>, tensor<1x3xi64>
  %w, %j = graph.top_k %x axis 1 smallest
      : tensor<1x4xf32> -> tensor<1x2xf32>, tensor<1x2xi64>
  return %v, %i, %j : tensor<1x3xf32>, tensor<1x3xi64>, tensor<1x2xi64>
})",
              {floats({1, 4}, {5, 1, 5, 2})});
  CHECK(run.floats(0) == Floats{5, 5, 2});
  CHECK(run.integers(1) == Integers{0, 2, 3});
  CHECK(run.integers(2) == Integers{1, 3});
}

/// A combiner that is not commutative: the first of both numbers stays.
TEST_CASE("scan: first those before, then the element; in reverse too") {
  TestRun run(R"(
func.func @main(%x: tensor<3xf32>, %y: tensor<3xi64>)
    -> (tensor<3xf32>, tensor<3xi64>, tensor<3xi64>) {
  %a:2 = graph.scan %x, %y axis 0 {
  ^bb0(%p: f32, %i: i64, %q: f32, %j: i64):
    %s = arith.addf %p, %q : f32
    graph.yield %s, %i : f32, i64
  } : tensor<3xf32>, tensor<3xi64>
  %b = graph.scan %y axis 0 reverse {
  ^bb0(%i: i64, %j: i64):
    graph.yield %i : i64
  } : tensor<3xi64>
  return %a#0, %a#1, %b : tensor<3xf32>, tensor<3xi64>, tensor<3xi64>
})",
              {floats({3}, {1, 2, 4}), integers({3}, {10, 20, 30})});
  CHECK(run.floats(0) == Floats{1, 3, 7});
  CHECK(run.integers(1) == Integers{10, 10, 10});
  CHECK(run.integers(2) == Integers{30, 30, 30});
}

static std::string scatterOf(const std::string &kind, const std::string &type,
                             bool hasOwners) {
  return "func.func @main(%u: tensor<4x1x" + type + ">, %x: tensor<3x1x" +
         type + ">, %i: tensor<4xi64>) -> tensor<3x1x" + type + "> {\n  %y" +
         (hasOwners ? ", %o" : "") + " = graph.scatter \"" + kind +
         "\" %u into %x at(%i : tensor<4xi64>)\n"
         "      target affine_map<(d0, d1)[s0] -> (s0, d1)>\n"
         "      index_maps [affine_map<(d0, d1) -> (d0)>]\n      : "
         "tensor<4x1x" +
         type + ">, tensor<3x1x" + type + ">" +
         (hasOwners ? " owners tensor<3xi32>" : "") +
         "\n  return %y : tensor<3x1x" + type + ">\n}";
}

TEST_CASE(
    "scatter: the last one counts, or all; negative and outside indices") {
  const Array indices = integers({4}, {1, 5, -1, 1});
  const Array updates = floats({4, 1}, {10, 20, 30, 40});
  const Array data = floats({3, 1}, {1, 2, 3});
  auto results = [&](const std::string &kind) {
    return TestRun(scatterOf(kind, "f32", kind == "set"),
                   {updates, data, indices})
        .floats();
  };
  CHECK(results("set") == Floats{1, 40, 30});
  CHECK(results("add") == Floats{1, 52, 33});
  CHECK(results("mul") == Floats{1, 800, 90});
  CHECK(results("min") == Floats{1, 2, 3});
  CHECK(results("max") == Floats{1, 40, 30});
  // Signed and unsigned minima of -1 and 7.
  auto ofInts = [&](const std::string &kind) {
    return TestRun(scatterOf(kind, "i32", false),
                   {integers({4, 1}, {0xffffffff, 0, 0, 5}),
                    integers({3, 1}, {7, 7, 7}), integers({4}, {0, 9, 9, 9})})
        .integers();
  };
  CHECK(ofInts("min") == Integers{0xffffffff, 7, 7});
  CHECK(ofInts("umin") == Integers{7, 7, 7});
  CHECK(ofInts("umax") == Integers{0xffffffff, 7, 7});
}

TEST_CASE("counts of digits, and rows in their order") {
  // Keys by their digit 1, in blocks of 2; the offsets are the sums of counts.
  const char *const text = R"(
func.func @main(%k: tensor<3xi16>, %v: tensor<3xi64>, %o: tensor<256x2xi64>)
    -> (tensor<256x2xi64>, tensor<3xi16>, tensor<3xi64>, tensor<2x256xi64>) {
  %c = graph.digit_counts %k digit 1 block 2
      : tensor<3xi16> -> tensor<256x2xi64>
  %a, %b, %e = graph.digit_scatter %k, %v to %o digit 1 block 2
      : tensor<3xi16>, tensor<3xi64>, tensor<256x2xi64> -> tensor<2x256xi64>
  return %c, %a, %b, %e : tensor<256x2xi64>, tensor<3xi16>, tensor<3xi64>,
      tensor<2x256xi64>
})";
  Integers offsets(512);
  offsets[4 * 2] = 0;     // Digit 4, block 0: one key.
  offsets[4 * 2 + 1] = 1; // Digit 4, block 1: one key.
  offsets[5 * 2] = 2;     // Digit 5, block 0: one key.
  TestRun run(text, {integers({3}, {0x0500, 0x0401, 0x0400}),
                     integers({3}, {10, 20, 30}), integers({256, 2}, offsets)});
  Integers counts(512);
  counts[5 * 2] = counts[4 * 2] = counts[4 * 2 + 1] = 1;
  CHECK(run.integers(0) == counts);
  CHECK(run.integers(1) == Integers{0x0401, 0x0400, 0x0500});
  CHECK(run.integers(2) == Integers{20, 30, 10});
  Integers ends(512);
  ends[4] = 1;
  ends[5] = 3;
  ends[256 + 4] = 2;
  CHECK(run.integers(3) == ends);
  offsets[5 * 2] = 3;
  TestRun outside(text,
                  {integers({3}, {0x0500, 0x0401, 0x0400}),
                   integers({3}, {10, 20, 30}), integers({256, 2}, offsets)});
  CHECK(outside.fault().starts_with(
      "graph.digit_scatter: an offset is 3 in a row of 3\n"));
}

TEST_CASE("a group and a composite are their bodies") {
  TestRun run(R"(
func.func @main(%x: tensor<?xf32>, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %a = graph.group(%x : tensor<?xf32>) sizes(%n : index) : tensor<?xf32> {
  ^bb0(%y: tensor<?xf32>, %m: index):
    %s = tensor.extract_slice %y[0] [%m] [1] : tensor<?xf32> to tensor<?xf32>
    %t = arith.addf %s, %s : tensor<?xf32>
    graph.yield %t : tensor<?xf32>
  }
  %b = graph.composite @silu(%a : tensor<?xf32>) sizes(%n) : tensor<?xf32> {
  ^bb0(%y: tensor<?xf32>, %m: index):
    %t = arith.mulf %y, %y : tensor<?xf32>
    graph.yield %t : tensor<?xf32>
  }
  return %a, %b : tensor<?xf32>, tensor<?xf32>
})",
              {floats({3}, {1, 2, 3}), integer(2)});
  CHECK(run.floats(0) == Floats{2, 4});
  CHECK(run.floats(1) == Floats{4, 16});
}

TEST_CASE("sizes and conditions from elements, rows that are resized") {
  const char *const text = R"(
func.func @main(%x: tensor<?x2xf32>, %n: tensor<i64>, %c: tensor<i1>)
    -> (tensor<?x2xf32>, index) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %k = graph.size %n at_least 1 at_most %c3 : tensor<i64>
  %r = graph.resize_rows %x to %k : tensor<?x2xf32> -> tensor<?x2xf32>
  %b = graph.condition %c : tensor<i1>
  %i = scf.if %b -> index {
    scf.yield %c2 : index
  } else {
    scf.yield %c3 : index
  }
  return %r, %i : tensor<?x2xf32>, index
})";
  const Array rows = floats({2, 2}, {1, 2, 3, 4});
  TestRun one(text, {rows, integer(1), integer(1)});
  CHECK(one.floats(0) == Floats{1, 2});
  CHECK(one.integers(1) == Integers{2});
  TestRun three(text, {rows, integer(3), integer(0)});
  CHECK(three.element(0, {1, 1})->toDouble() == 4);
  CHECK(three.integers(1) == Integers{3});
  CHECK(three.fault() == "func.return: element [2, 0] of result 0 is poison\n"
                         "note: nothing wrote this element here\n");
  CHECK(TestRun(text, {rows, integer(0), integer(0)}).fault() ==
        "graph.size: the size is 0, expected at least 1\n");
  CHECK(TestRun(text, {rows, integer(4), integer(0)}).fault() ==
        "graph.size: the size is 4, expected at most 3\n");
}

} // namespace tilewright::graph::reference::test
