#include "frontends/onnx/Sizes.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

#include <random>

using namespace tilewright::onnx;

namespace {
struct Fixture {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Sizes z{&context};
  Expr n = z.symbol("N"), m = z.symbol("M");
};

int64_t evaluate(Expr e, llvm::ArrayRef<int64_t> symbols) {
  llvm::SmallVector<mlir::AffineExpr> values;
  for (int64_t v : symbols)
    values.push_back(mlir::getAffineConstantExpr(v, e.getContext()));
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
  CHECK(z.less(n, z.add(n, 1)) == true);
  CHECK(z.less(z.constant(0), n) == true);
  CHECK_FALSE(z.less(n, m));
  CHECK(z.equal(n, z.constant(-1)) == false);
  CHECK_FALSE(z.equal(n, z.constant(4)));
  CHECK(z.max(n, z.constant(1)) == n);
  CHECK(z.min(n, z.add(n, 3)) == n);
  CHECK_FALSE(z.min(n, z.constant(512)));
}

TEST_CASE_METHOD(Fixture, "overflow is noticed") {
  z.mul(z.constant(int64_t(1) << 40), z.constant(int64_t(1) << 40));
  CHECK(z.overflowed());
}

TEST_CASE_METHOD(Fixture, "text is in the manifest's language") {
  CHECK(z.str(z.floorDiv(z.add(n, 1), 2)) == "floordiv((N + 1), 2)");
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
    int64_t symbols[] = {pick(1, 40), pick(1, 40)};
    Expr e = pick(0, 1) ? n : m;
    int64_t value = symbols[e == n ? 0 : 1];
    for (int step = 0; step < 6; ++step) {
      int64_t c = pick(1, 6);
      switch (pick(0, 5)) {
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
      default:
        e = z.mod(e, z.constant(c)), value -= floorOf(value, c) * c;
      }
    }
    INFO("round " << round << ": " << z.str(e));
    CHECK(evaluate(e, symbols) == value);
    if (auto low = z.lowerBound(e))
      CHECK(*low <= value);
    if (auto high = z.upperBound(e))
      CHECK(*high >= value);
  }
}
