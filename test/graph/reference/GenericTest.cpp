#include "test/graph/reference/TestRun.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <ctime>
#include <random>

namespace tilewright::graph::reference::test {

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

/// Sums of rows, from %y on.
static const char *const kRowSums = R"(
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
})";

TEST_CASE("a reduction starts from its init, and goes from first to last") {
  // In f32 (1 + 2^24) - 2^24 is 0, and (2^24 - 2^24) + 1 is 1.
  const float big = 16777216;
  TestRun run(kRowSums, {floats({2, 3}, {big, -big, 1, 1, big, -big}),
                         floats({2}, {0, 0})});
  CHECK(run.floats() == Floats{1, 0});
  TestRun fromOne(kRowSums, {floats({1, 2}, {big, -big}), floats({1}, {1})});
  CHECK(fromOne.floats() == Floats{0});
}

TEST_CASE("a reduction of nothing is its init") {
  TestRun run(kRowSums, {floats({2, 0}, {}), floats({2}, {3, 4})});
  CHECK(run.floats() == Floats{3, 4});
}

TEST_CASE("an element is computed without the others") {
  const int64_t n = 1000;
  TestRun run(kRowSums,
              {floats({n, n}, Floats(n * n, 1)), floats({n}, Floats(n, 0))});
  const uint64_t before = run.ops();
  CHECK(run.element(0, {7})->toDouble() == 1000);
  CHECK(run.ops() - before == 1000);
  // It is remembered.
  CHECK(run.element(0, {7})->toDouble() == 1000);
  CHECK(run.ops() - before == 1000);
}

TEST_CASE("the maximum and where it is: two accumulators in one body") {
  TestRun run(R"(
func.func @main(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
  %m0 = arith.constant dense<0xFF800000> : tensor<2xf32>
  %i0 = arith.constant dense<-1> : tensor<2xi64>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xf32>) outs(%m0, %i0 : tensor<2xf32>, tensor<2xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64):
    %k = linalg.index 1 : index
    %n = arith.index_cast %k : index to i64
    %g = arith.cmpf ogt, %a, %b : f32
    %m = arith.select %g, %a, %b : f32
    %i = arith.select %g, %n, %c : i64
    linalg.yield %m, %i : f32, i64
  } -> (tensor<2xf32>, tensor<2xi64>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xi64>
})",
              {floats({2, 3}, {1, 5, 2, -1, -3, -1})});
  CHECK(run.integers(1) == Integers{1, 0});
  CHECK(run.floats(0) == Floats{5, -1});
}

TEST_CASE("results that are indexed differently and read each other") {
  // In row-major order: c sums columns of x, and r the column sums so far.
  TestRun run(R"(
func.func @main(%x: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %z = arith.constant dense<0.0> : tensor<2xf32>
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<2x2xf32>) outs(%z, %z : tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %c: f32, %r: f32):
    %s = arith.addf %c, %a : f32
    %t = arith.addf %r, %s : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xf32>
})",
              {floats({2, 2}, {1, 2, 3, 4})});
  CHECK(run.floats(0) == Floats{4, 6});
  CHECK(run.floats(1) == Floats{3, 10});
}

TEST_CASE("named ops: a convolution with a stride, a product of bytes") {
  TestRun conv(
      R"(
func.func @main(%x: tensor<1x1x5xf32>, %w: tensor<1x1x2xf32>)
    -> tensor<1x1x2xf32> {
  %z = arith.constant dense<0.5> : tensor<1x1x2xf32>
  %r = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>,
      dilations = dense<1> : tensor<1xi64>}
      ins(%x, %w : tensor<1x1x5xf32>, tensor<1x1x2xf32>)
      outs(%z : tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return %r : tensor<1x1x2xf32>
})",
      {floats({1, 1, 5}, {1, 2, 3, 4, 5}), floats({1, 1, 2}, {10, 100})});
  CHECK(conv.floats() == Floats{210.5, 430.5});
  TestRun product(R"(
func.func @main(%x: tensor<1x2xi8>, %y: tensor<2x1xi8>) -> tensor<1x1xi32> {
  %z = arith.constant dense<7> : tensor<1x1xi32>
  %r = linalg.matmul ins(%x, %y : tensor<1x2xi8>, tensor<2x1xi8>)
      outs(%z : tensor<1x1xi32>) -> tensor<1x1xi32>
  return %r : tensor<1x1xi32>
})",
                  {integers({1, 2}, {0x80, 2}), integers({2, 1}, {0x7f, 3})});
  CHECK(product.integers() == Integers{(-128 * 127 + 6 + 7) & 0xffffffff});
}

TEST_CASE("softmax, pack and unpack") {
  TestRun run(R"(
func.func @main(%x: tensor<1x2xf32>, %y: tensor<3x2xf32>)
    -> (tensor<1x2xf32>, tensor<2x2x2xf32>, tensor<3x2xf32>) {
  %e = tensor.empty() : tensor<1x2xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<1x2xf32>)
      outs(%e : tensor<1x2xf32>) -> tensor<1x2xf32>
  %p = arith.constant 9.0 : f32
  %f = tensor.empty() : tensor<2x2x2xf32>
  %k = linalg.pack %y padding_value(%p : f32) outer_dims_perm = [1, 0]
      inner_dims_pos = [0] inner_tiles = [2]
      into %f : tensor<3x2xf32> -> tensor<2x2x2xf32>
  %g = tensor.empty() : tensor<3x2xf32>
  %u = linalg.unpack %k outer_dims_perm = [1, 0] inner_dims_pos = [0]
      inner_tiles = [2] into %g : tensor<2x2x2xf32> -> tensor<3x2xf32>
  return %s, %k, %u : tensor<1x2xf32>, tensor<2x2x2xf32>, tensor<3x2xf32>
})",
              {floats({1, 2}, {0, 0}), floats({3, 2}, {1, 2, 3, 4, 5, 6})});
  CHECK(run.floats(0) == Floats{0.5, 0.5});
  CHECK(run.floats(1) == Floats{1, 3, 5, 9, 2, 4, 6, 9});
  CHECK(run.floats(2) == Floats{1, 2, 3, 4, 5, 6});
}

//===----------------------------------------------------------------------===//
// The fast ways of single ops
//===----------------------------------------------------------------------===//

namespace {
struct OpCase {
  std::string op, type, result;
};
} // namespace

static std::vector<OpCase> fastOps() {
  std::vector<OpCase> cases;
  for (const char *type : {"f16", "bf16", "f32", "f64"}) {
    for (const char *op : {"addf", "subf", "mulf", "divf", "maximumf",
                           "minimumf", "maxnumf", "minnumf"})
      cases.push_back({op, type, type});
    for (const char *predicate :
         {"oeq", "ogt", "oge", "olt", "ole", "une", "uno", "ueq"})
      cases.push_back({std::string("cmpf ") + predicate + ",", type, "i1"});
  }
  for (const char *type : {"i8", "i16", "i32", "i64", "index"}) {
    for (const char *op : {"addi", "subi", "muli", "andi", "ori", "xori"})
      cases.push_back({op, type, type});
    for (const char *predicate :
         {"eq", "ne", "slt", "sle", "sgt", "sge", "ult"})
      cases.push_back({std::string("cmpi ") + predicate + ",", type, "i1"});
  }
  for (const char *to : {"f32", "f64"})
    for (const char *from : {"f16", "bf16"})
      cases.push_back({"extf", from, to});
  cases.push_back({"extf", "f32", "f64"});
  for (const char *to : {"f16", "bf16"})
    for (const char *from : {"f32", "f64"})
      cases.push_back({"truncf", from, to});
  cases.push_back({"truncf", "f64", "f32"});
  for (const char *from : {"i8", "i16", "i32"})
    cases.push_back({"extui", from, "i64"});
  for (const auto &[from, to] : {std::pair{"f32", "i32"}, {"i64", "f64"}})
    cases.push_back({"bitcast", from, to});
  return cases;
}

/// Each op twice: on scalars of a body, and on tensors, which have no fast way.
static std::string bothWays(const OpCase &of, int64_t size) {
  const bool isCast = of.op == "extf" || of.op == "truncf" ||
                      of.op == "extui" || of.op == "bitcast";
  const std::string n = "tensor<" + std::to_string(size) + "x";
  const std::string type = n + of.type + ">", result = n + of.result + ">";
  return "#m = affine_map<(i) -> (i)>\nfunc.func @main(%a: " + type +
         ", %b: " + type + ") -> (" + result + ", " + result + ") {\n" +
         "  %e = tensor.empty() : " + result + "\n" +
         "  %x = linalg.generic {indexing_maps = [#m, #m, #m], "
         "iterator_types = [\"parallel\"]} ins(%a, %b : " +
         type + ", " + type + ") outs(%e : " + result +
         ") {\n  ^bb0(%c: " + of.type + ", %d: " + of.type +
         ", %o: " + of.result + "):\n    %r = " + "arith." + of.op +
         (isCast ? " %c : " : " %c, %d : ") + of.type +
         (isCast ? " to " + of.result : "") +
         "\n    linalg.yield %r : " + of.result + "\n  } -> " + result +
         "\n  %y = arith." + of.op +
         (isCast ? " %a : " + type + " to " + result : " %a, %b : " + type) +
         "\n  return %x, %y : " + result + ", " + result + "\n}";
}

static unsigned widthOf(const std::string &type) {
  for (unsigned width : {8, 16, 32})
    if (type.ends_with(std::to_string(width)))
      return width;
  return 64;
}

/// Numbers that are special, and others.
static std::vector<uint64_t> someNumbers(const std::string &type) {
  const unsigned width = widthOf(type);
  const uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  std::vector<uint64_t> bits = {0, 1, mask, mask / 2, mask / 2 + 1};
  // Near the least and the greatest numbers of types of 16 bits, and between
  // two of them.
  for (double x :
       {1.0, -1.0, 0.1, 1e38, double(INFINITY), -double(INFINITY), double(NAN),
        1e-310, 1e-40, 3e-8, 6.1e-5, 65504.0, 65519.9, 65520.0, 1 + 0x1p-11,
        1 + 3 * 0x1p-11, 1 + 0x1p-8, 1 + 0x1p-11 + 0x1p-40}) {
    const uint64_t single = std::bit_cast<uint32_t>(float(x));
    bits.push_back(width == 64   ? std::bit_cast<uint64_t>(x)
                   : width == 32 ? single
                                 : (single >> 16) & mask);
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 30; ++i)
    bits.push_back(random() & mask);
  return bits;
}

static bool isNan(uint64_t bits, const std::string &type) {
  if (type == "f16")
    return (bits & 0x7fff) > 0x7c00;
  if (type == "bf16")
    return (bits & 0x7fff) > 0x7f80;
  if (type == "f32")
    return std::isnan(std::bit_cast<float>(uint32_t(bits)));
  return type == "f64" && std::isnan(std::bit_cast<double>(bits));
}

TEST_CASE("fast ways of ops are the ways of the interpreter of tiles") {
  for (const OpCase &of : fastOps()) {
    Array a{{0}, {}}, b{{0}, {}};
    for (uint64_t x : someNumbers(of.type))
      for (uint64_t y : someNumbers(of.type)) {
        a.bits.push_back(x);
        b.bits.push_back(y);
      }
    a.shape[0] = b.shape[0] = int64_t(a.bits.size());
    TestRun run(bothWays(of, a.shape[0]), {a, b});
    Integers fast = run.integers(0), slow = run.integers(1);
    REQUIRE(fast.size() == a.bits.size());
    REQUIRE(slow.size() == a.bits.size());
    for (size_t i = 0; i < fast.size(); ++i) {
      const bool areEqual =
          fast[i] == slow[i] || (isNan(uint64_t(fast[i]), of.result) &&
                                 isNan(uint64_t(slow[i]), of.result));
      if (!areEqual)
        FAIL(of.op << " " << of.type << " of " << a.bits[i] << ", " << b.bits[i]
                   << ": " << fast[i] << ", expected " << slow[i]);
    }
  }
}

TEST_CASE("more than five million ops a second") {
  // Ten times as many are usual; the clock is that of this process.
  const int64_t n = 128;
  TestRun run(R"(
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>)
    -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
})",
              {floats({n, n}, Floats(n * n, 1)),
               floats({n, n}, Floats(n * n, 2)),
               floats({n, n}, Floats(n * n, 0))});
  const std::clock_t begin = std::clock();
  CHECK(run.floats() == Floats(n * n, 2 * n));
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  const double rate = double(run.ops()) / seconds;
  INFO(rate / 1e6 << " million ops a second");
#ifdef NDEBUG
  CHECK(rate > 5e6);
#endif
}

} // namespace tilewright::graph::reference::test
