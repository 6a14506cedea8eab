#include "graph/analysis/SizeBounds.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

#include <random>

using namespace tilewright::graph;

namespace {
struct Fixture {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Sizes z{&context};
  Expr n = z.symbols.dimension("N"), m = z.symbols.dimension("M");
};

/// The value for these dimensions; a positive part has that of its definition.
int64_t evaluate(const Sizes &z, Expr e, llvm::ArrayRef<int64_t> dimensions) {
  llvm::SmallVector<mlir::AffineExpr> values;
  e.walk([&](Expr part) {
    auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(part);
    if (!symbol)
      return;
    unsigned position = symbol.getPosition();
    Expr inner = z.symbols.positivePartOf(symbol);
    int64_t value = inner ? std::max<int64_t>(0, evaluate(z, inner, dimensions))
                          : dimensions[position];
    values.resize(std::max<size_t>(values.size(), position + 1),
                  mlir::getAffineConstantExpr(0, e.getContext()));
    values[position] = mlir::getAffineConstantExpr(value, e.getContext());
  });
  return *constantOf(e.replaceSymbols(values));
}
} // namespace

TEST_CASE_METHOD(Fixture, "equal sizes are the same expression") {
  CHECK(z.add(n, m) == z.add(m, n));
  CHECK(z.mul(z.add(n, 1), 2) == z.add(z.add(n, n), 2));
  CHECK(z.sub(z.mul(n, m), z.mul(m, n)) == z.constant(0));
  // Two convolutions of stride 2 and one of stride 4.
  Expr half = z.add(z.floorDiv(z.add(n, -1), 2), 1);
  Expr quarter = z.add(z.floorDiv(z.add(half, -1), 2), 1);
  CHECK(quarter == z.ceilDiv(n, 4));
  CHECK(z.floorDiv(z.mul(n, 6), 4) == z.floorDiv(z.mul(n, 3), 2));
  CHECK(z.floorDiv(z.add(z.mul(n, 4), 3), 4) == n);
}

TEST_CASE_METHOD(Fixture, "a product divides by its factors") {
  Expr total = z.product({n, m, z.constant(8), z.constant(15)});
  CHECK(z.exactDiv(total, z.mul(n, 120)) == m);
  CHECK(z.exactDiv(z.mul(z.add(n, 1), z.add(m, 2)), z.add(m, 2)) ==
        z.add(n, 1));
  CHECK_FALSE(z.exactDiv(total, z.constant(7)));
  CHECK_FALSE(z.exactDiv(n, m));
}

TEST_CASE_METHOD(Fixture, "bounds decide comparisons") {
  CHECK(less(z, n, z.add(n, 1)) == true);
  CHECK(less(z, z.constant(-1), n) == true);
  CHECK_FALSE(less(z, z.constant(0), n));
  CHECK_FALSE(less(z, n, m));
  CHECK(equal(z, n, z.constant(-1)) == false);
  CHECK_FALSE(equal(z, n, z.constant(4)));
  CHECK(z.max(n, z.constant(0)) == n);
  CHECK(z.min(n, z.add(n, 3)) == n);
}

TEST_CASE_METHOD(Fixture, "minima and maxima are sizes") {
  Expr five = z.constant(5), least = z.min(n, five);
  CHECK(z.str(least) == "(N - max(N - 5, 0))");
  // The same however they are written.
  CHECK(z.add(least, z.max(n, five)) == z.add(n, five));
  CHECK(z.min(z.mul(n, 2), z.constant(10)) == z.mul(least, 2));
  CHECK(z.max(z.sub(five, n), z.constant(0)) == z.sub(z.max(n, five), n));
  CHECK(z.sub(z.min(z.add(n, 3), z.add(m, 3)), z.min(m, n)) == z.constant(3));
  CHECK(z.min(z.min(n, five), z.constant(7)) == least);
}

TEST_CASE_METHOD(Fixture, "bounds look at both cases of a maximum") {
  Expr least = z.min(n, z.constant(5)), most = z.max(n, m);
  CHECK(lowerBound(z, least) == 0);
  CHECK(upperBound(z, least) == 5);
  CHECK(less(z, most, n) == false);
  CHECK(less(z, most, m) == false);
  CHECK(less(z, z.min(n, m), z.add(m, 1)) == true);
  CHECK_FALSE(less(z, most, z.add(n, 1)));
}

TEST_CASE_METHOD(Fixture, "sizes that are constant unless a dimension is 0") {
  // x[-1:] has one element.
  Expr start = z.max(z.add(n, -1), z.constant(0));
  CHECK(constantUnlessEmpty(z, z.sub(n, start)) == 1);
  CHECK_FALSE(constantUnlessEmpty(z, start));
  CHECK(lowerBoundUnlessEmpty(z, n) == 1);
}

TEST_CASE_METHOD(Fixture, "overflow is noticed") {
  z.mul(z.constant(int64_t(1) << 40), z.constant(int64_t(1) << 40));
  CHECK(z.fault() == "a size overflows 64 bits");
}

TEST_CASE_METHOD(Fixture, "a division by 0 is noticed") {
  CHECK(z.fault().empty());
  SECTION("of a quotient") { z.floorDiv(n, 0); }
  SECTION("rounded up") { z.ceilDiv(n, z.constant(0)); }
  SECTION("of a remainder") { z.mod(n, z.sub(m, m)); }
  CHECK(z.fault() == "a size is divided by 0");
}

TEST_CASE_METHOD(Fixture, "what is asked of sizes is no fault of theirs") {
  Expr top = z.constant(INT64_MAX), low = z.constant(INT64_MIN);
  CHECK(less(z, low, top) == true);
  CHECK(equal(z, top, low) == false);
  CHECK_FALSE(less(z, z.add(n, low), top));
  CHECK(lowerBound(z, z.min(z.positivePart(z.sub(n, top)), z.constant(1))) ==
        0);
  CHECK(z.fault().empty());
}

TEST_CASE_METHOD(Fixture, "text is in the manifest's language") {
  CHECK(z.str(z.floorDiv(z.add(n, 1), 2)) == "floordiv(N + 1, 2)");
  CHECK(z.str(z.add(n, -1)) == "(N - 1)");
  CHECK(z.str({n, z.constant(3)}) == "[N, 3]");
}

// Canonical forms compute what the operations say, for random expressions.
TEST_CASE_METHOD(Fixture, "canonical forms keep their values") {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  auto floorOf = [](int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  };
  for (int round = 0; round < 400; ++round) {
    int64_t symbols[] = {pick(0, 40), pick(0, 40)};
    Expr e = pick(0, 1) ? n : m;
    int64_t value = symbols[e == n ? 0 : 1];
    for (int step = 0; step < 6; ++step) {
      int64_t c = pick(1, 6);
      switch (pick(0, 7)) {
      case 0:
        e = z.add(e, n), value += symbols[0];
        break;
      case 1:
        e = z.add(e, -c), value -= c;
        break;
      case 2:
        e = z.mul(e, c), value *= c;
        break;
      case 3:
        e = z.floorDiv(e, c), value = floorOf(value, c);
        break;
      case 4:
        e = z.ceilDiv(e, c), value = floorOf(value + c - 1, c);
        break;
      case 5:
        e = z.min(e, z.add(m, c)), value = std::min(value, symbols[1] + c);
        break;
      case 6:
        e = z.max(e, z.mul(n, c)), value = std::max(value, symbols[0] * c);
        break;
      default:
        e = z.mod(e, z.constant(c)), value -= floorOf(value, c) * c;
      }
    }
    INFO("round " << round << ": " << z.str(e));
    CHECK(evaluate(z, e, symbols) == value);
    if (auto low = lowerBound(z, e))
      CHECK(*low <= value);
    if (auto high = upperBound(z, e))
      CHECK(*high >= value);
  }
}
