// Work, counted by hand.
#include "autotune/cost/Traffic.h"
#include "test/autotune/cost/Kernels.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::autotune;
using namespace tilewright::test;

static Work workOf(const ParsedKernel &kernel,
                   const std::vector<ArgumentShape> &arguments) {
  StatusOr<Work> work = analyzeWork(*kernel, arguments);
  INFO(work.status().message());
  REQUIRE(work.ok());
  return std::move(*work);
}

TEST_CASE("the work of a product of matrices") {
  // 100 x 90 by 90 x 70 in tiles of 32 x 64, 32 of the depth at a time: 4 x 2
  // programs of 3 steps.
  ParsedKernel kernel(gemmText(32, 64, 32));
  Work work =
      workOf(kernel, {view({100, 90}), view({90, 70}), view({100, 70})});
  CHECK(work.programs == 8);
  CHECK_FALSE(work.isGuess());
  REQUIRE(work.dots.size() == 1);
  CHECK(work.dots[0].executions == 24);
  CHECK(work.dots[0].multiplyAdds() == 24.0 * 32 * 64 * 32);
  CHECK(work.dots[0].isInPlace);
  CHECK(work.dots[0].lhs.access == 0);
  CHECK(work.dots[0].rhs.access == 1);
  CHECK(work.dots[0].rhs.hasUnitColumns);
  REQUIRE(work.accesses.size() == 3);
  const Access &a = work.accesses[0], &c = work.accesses[2];
  CHECK(a.bytes() == 32 * 32 * 4);
  CHECK(a.executions == 24);
  CHECK(a.isOperand);
  CHECK(a.isChecked);
  CHECK(a.contiguous == 32);
  // Of 128 rows and 96 columns that its tiles cover, 100 and 90 are there.
  CHECK(a.inside == Approx(100.0 / 128 * 90 / 96));
  // Each element is read once for each column of programs.
  CHECK(a.totalBytes() == Approx(100 * 90 * 4 * 2));
  CHECK(c.isStore);
  CHECK(c.totalBytes() == Approx(100 * 70 * 4));
  CHECK(work.distinctBytes() == Approx((100 * 90 + 90 * 70 + 100 * 70) * 4));
  CHECK(work.operationCount() == 2 * work.dots[0].multiplyAdds());
}

TEST_CASE("what depends on which loop") {
  ParsedKernel kernel(gemmText(32, 64, 32));
  Work work =
      workOf(kernel, {view({128, 96}), view({96, 128}), view({128, 128})});
  // Variables: rows of programs, columns of programs, steps.
  REQUIRE(work.variables.size() == 3);
  CHECK(work.variables[2].trips == 3);
  const Access &a = work.accesses[0], &b = work.accesses[1];
  CHECK(a.dependsOn(0));
  CHECK_FALSE(a.dependsOn(1));
  CHECK(a.dependsOn(2));
  CHECK_FALSE(b.dependsOn(0));
  CHECK(b.offsets[1].strides == std::vector<std::pair<int, int64_t>>{{1, 64}});
  // A program reads 32 whole rows of A and 64 whole columns of B.
  CHECK(a.footprint(work.variables, {false, false, true}) == 32 * 96 * 4);
  CHECK(b.footprint(work.variables, {false, false, true}) == 96 * 64 * 4);
  CHECK(programBytes(work) == (32 * 96 + 96 * 64 + 32 * 64) * 4);
}

TEST_CASE("traffic by the size of a cache") {
  ParsedKernel kernel(gemmText(32, 64, 32));
  Work work =
      workOf(kernel, {view({128, 96}), view({96, 128}), view({128, 128})});
  double a = 128 * 96 * 4, b = 96 * 128 * 4, c = 128 * 128 * 4;
  // All fits: each byte once. Nothing fits: A for each column of programs, B
  // for each row.
  CHECK(fetchedBytes(work, 1e9) == a + b + c);
  CHECK(fetchedBytes(work, 100) == 2 * a + 4 * b + c);
  // One program fits; the next one below has the same columns of B.
  CHECK(fetchedBytes(work, programBytes(work)) == 2 * a + b + c);
}

TEST_CASE("tiles that are read again") {
  ParsedKernel kernel(normText(4, 64));
  Work work = workOf(kernel, {view({16, 192}), view({16, 192})});
  REQUIRE(work.accesses.size() == 3);
  CHECK(work.accesses[1].repeats == 0);
  CHECK(work.accesses[2].repeats == -1);
  double x = 16 * 192 * 4;
  CHECK(fetchedBytes(work, programBytes(work)) == 2 * x);
  CHECK(fetchedBytes(work, 100) == 3 * x);
  // A multiplication and an addition for each element in the first loop, a
  // division in the second, and the sum of the rows' parts.
  CHECK(work.operationCount() == 16 * 192 * 3 + 16 * 3);
}

TEST_CASE("windows overlap, and share what is known of their columns") {
  ParsedKernel kernel(R"(
tile.kernel @k(%X: !tile.view<?x?xf32>, %Y: !tile.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %a = tile.load %X at [%c0, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x16xf32>
  %b = tile.load %X at [%c1, %c0] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x16xf32>
  %c = tile.load %X at [%c0, %c1] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x16xf32>
  %d = tile.load %X at [%c0, %c10] pad 0.0 : !tile.view<?x?xf32> -> tensor<4x16xf32>
  %e = arith.addf %a, %b : tensor<4x16xf32>
  %f = arith.addf %c, %d : tensor<4x16xf32>
  %y = arith.addf %e, %f : tensor<4x16xf32>
  tile.store %y, %Y[%c0, %c0] : tensor<4x16xf32>, !tile.view<?x?xf32>
})");
  Work work = workOf(kernel, {view({8, 32}), view({4, 16})});
  REQUIRE(work.accesses.size() == 5);
  std::vector<int> repeats, checkedLike;
  for (const Access &access : work.accesses) {
    repeats.push_back(access.repeats);
    checkedLike.push_back(access.checkedLike);
  }
  // A row or a column further most of a tile is the same; 9 of 16 columns
  // further it is not.
  CHECK(repeats == std::vector<int>{-1, 0, 0, -1, -1});
  // Only the second has the columns of the first.
  CHECK(checkedLike == std::vector<int>{-1, 0, -1, -1, -1});
}

TEST_CASE("each reader of a tile is a pass over it") {
  ParsedKernel kernel(R"(
tile.kernel @k(%X: !tile.view<8x64xf32>, %Y: !tile.view<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %X[%c0, %c0] : !tile.view<8x64xf32> -> tensor<8x64xf32>
  %q = arith.mulf %x, %x : tensor<8x64xf32>
  %s = tile.reduce %q axis 1 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  } : tensor<8x64xf32> -> tensor<8xf32>
  %r = tile.reshape %s : tensor<8xf32> -> tensor<8x1xf32>
  %d = tile.broadcast %r : tensor<8x1xf32> -> tensor<8x64xf32>
  %y = arith.divf %x, %d : tensor<8x64xf32>
  tile.store %y, %Y[%c0, %c0] : tensor<8x64xf32>, !tile.view<8x64xf32>
})");
  Work work = workOf(kernel, {view({8, 64}), view({8, 64})});
  REQUIRE(work.accesses.size() == 2);
  CHECK(work.accesses[0].passes == 2);
  CHECK(work.accesses[1].passes == 1);
  double x = 8 * 64 * 4;
  CHECK(fetchedBytes(work, 2 * x) == 2 * x);
  CHECK(fetchedBytes(work, x / 2) == 3 * x);
}

TEST_CASE("what is the same along a row is computed once for it") {
  ParsedKernel kernel(R"(
tile.kernel @k(%X: !tile.view<8x64xf32>, %S: !tile.view<8x1xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %X[%c0, %c0] : !tile.view<8x64xf32> -> tensor<8x64xf32>
  %s = tile.load %S[%c0, %c0] : !tile.view<8x1xf32> -> tensor<8x1xf32>
  %n = arith.constant dense<64.0> : tensor<8x64xf32>
  %row = tile.broadcast %s : tensor<8x1xf32> -> tensor<8x64xf32>
  %mean = arith.divf %row, %n : tensor<8x64xf32>
  %y = arith.subf %x, %mean : tensor<8x64xf32>
  tile.store %y, %X[%c0, %c0] : tensor<8x64xf32>, !tile.view<8x64xf32>
})");
  Work work = workOf(kernel, {view({8, 64}), view({8, 1})});
  REQUIRE(work.elements.size() == 2);
  CHECK(work.elements[0].kind == OpClass::divide);
  CHECK(work.elements[0].shape == std::vector<int64_t>{8, 1});
  CHECK(work.elements[1].shape == std::vector<int64_t>{8, 64});
}

TEST_CASE("elements are computed in the order in which they are asked for") {
  ParsedKernel kernel(R"(
tile.kernel @k(%X: !tile.view<4x6x64xf32>, %Y: !tile.view<64x24xf32>) {
  %c0 = arith.constant 0 : index
  %x = tile.load %X[%c0, %c0, %c0] : !tile.view<4x6x64xf32> -> tensor<4x6x64xf32>
  %t = tile.transpose %x [2, 1, 0] : tensor<4x6x64xf32> -> tensor<64x6x4xf32>
  %y = arith.addf %t, %t : tensor<64x6x4xf32>
  %r = tile.reshape %y : tensor<64x6x4xf32> -> tensor<1x64x6x1x4xf32>
  %u = tile.transpose %r [0, 4, 2, 3, 1] : tensor<1x64x6x1x4xf32> -> tensor<1x4x6x1x64xf32>
  %v = tile.reshape %u : tensor<1x4x6x1x64xf32> -> tensor<4x6x64xf32>
  tile.store %v, %X[%c0, %c0, %c0] : tensor<4x6x64xf32>, !tile.view<4x6x64xf32>
  %z = arith.mulf %t, %t : tensor<64x6x4xf32>
  %w = tile.reshape %z : tensor<64x6x4xf32> -> tensor<64x24xf32>
  tile.store %w, %Y[%c0, %c0] : tensor<64x24xf32>, !tile.view<64x24xf32>
})");
  Work work = workOf(kernel, {view({4, 6, 64}), view({64, 24})});
  REQUIRE(work.elements.size() == 2);
  CHECK(work.elements[0].shape == std::vector<int64_t>{4, 6, 64});
  // A reshape that joins dimensions buffers its operand as it is computed.
  CHECK(work.elements[1].shape == std::vector<int64_t>{64, 6, 4});
}

TEST_CASE("windows that overlap") {
  ParsedKernel kernel(convolutionText);
  Work work = workOf(kernel, {view({34, 34}), view({32, 32})});
  CHECK(work.programs == 16);
  const Access &x = work.accesses[0];
  CHECK(x.executions == 16 * 9);
  CHECK(x.inside == 1);
  // 3 x 3 windows of 8 x 8 cover 10 x 10.
  CHECK(x.footprint(work.variables, {false, false, true, true}) == 10 * 10 * 4);
  CHECK(x.footprint(work.variables, {true, true, true, true}) == 34 * 34 * 4);
  CHECK(x.footprint(work.variables, {false, false, false, false}) == 8 * 8 * 4);
}

TEST_CASE("what windows cover ends with the view") {
  ParsedKernel kernel(convolutionText);
  Work work = workOf(kernel, {view({33, 33}), view({32, 32})});
  const Access &x = work.accesses[0];
  CHECK(x.inside < 1);
  CHECK(x.footprint(work.variables, {true, true, true, true}) == 33 * 33 * 4);
}

TEST_CASE("of a branch that nothing decides each side is as likely") {
  ParsedKernel kernel(R"(
tile.kernel @k(%X: !tile.view<?xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  scf.if %p {
    %x = tile.load %X[%c0] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %x, %X[%c0] : tensor<64xf32>, !tile.view<?xf32>
  }
})");
  Work work = workOf(kernel, {view({64}), {}});
  CHECK(work.accesses[0].executions == 0.5);
}

TEST_CASE("a branch that the program's number or an argument decides") {
  ParsedKernel kernel(R"(
tile.kernel @k(%X: !tile.view<?xf32>) grid affine_map<()[a] -> (4)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = tile.program_id
  %n = tile.dim %X, 0 : !tile.view<?xf32>
  %first = arith.cmpi slt, %i, %c1 : index
  %some = arith.cmpi sgt, %n, %c0 : index
  %both = arith.andi %first, %some : i1
  scf.if %both {
    %x = tile.load %X[%c0] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %x, %X[%c0] : tensor<64xf32>, !tile.view<?xf32>
  } else {
    %x = tile.load %X[%c1] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %x, %X[%c1] : tensor<64xf32>, !tile.view<?xf32>
  }
})");
  Work work = workOf(kernel, {view({64})});
  CHECK(work.accesses[0].executions == 1);
  CHECK(work.accesses[2].executions == 3);
  work = workOf(kernel, {view({0})});
  CHECK(work.accesses[0].executions == 0);
  CHECK(work.accesses[2].executions == 4);
}

TEST_CASE("loops whose trips depend on the program, or on nothing known") {
  // Program i makes i + 1 trips; 2.5 on average over four.
  ParsedKernel triangle(R"(
tile.kernel @triangle(%X: !tile.view<?xf32>, %n: index)
    grid affine_map<()[N, n] -> (N ceildiv 64)> {
  %i = tile.program_id
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.addi %i, %n : index
  scf.for %k = %c0 to %end step %c1 {
    %x = tile.load %X[%k] pad 0.0 : !tile.view<?xf32> -> tensor<64xf32>
    tile.store %x, %X[%k] : tensor<64xf32>, !tile.view<?xf32>
  }
})");
  Work known = workOf(triangle, {view({256}), {{}, 1}});
  CHECK(known.accesses[0].executions == 4 * 2.5);
  CHECK_FALSE(known.isGuess());
  Work unknown = workOf(triangle, {view({256}), {}});
  CHECK(unknown.isGuess());
  CHECK(unknown.accesses[0].executions == 4 * LoopNest::guessedTrips);
}

TEST_CASE("arguments that do not fit") {
  ParsedKernel kernel(twiceText(64));
  auto messageOf = [&](const std::vector<ArgumentShape> &arguments) {
    return analyzeWork(*kernel, arguments).status().message();
  };
  CHECK(messageOf({view({64})}) ==
        "kernel 'twice': expected the sizes of 2 arguments, found those of 1");
  CHECK(messageOf({view({64}), view({8, 8})}) ==
        "kernel 'twice': argument 1: expected 1 sizes, found 2");
  CHECK(messageOf({view({64}), view({-3})}) ==
        "kernel 'twice': argument 1, dimension 0: expected a size of 0 or "
        "more, found -3");
}

TEST_CASE("a tunable that is not bound") {
  ParsedKernel kernel(R"(
tile.kernel @k(%X: !tile.view<?xf32>) {
  %s = tile.tunable "stages" of [2, 3]
})");
  CHECK(analyzeWork(*kernel, std::vector{view({64})}).status().message() ==
        "kernel 'k': expected its tunables to be bound, found \"stages\"");
}
