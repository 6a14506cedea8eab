// Loops and conditions, the grid, tunables, checks.
#include "Run.h"

#include <catch2/catch.hpp>
#include <thread>

using namespace tilewright::authoring;

namespace tilewright::test {

using Ints = std::vector<int64_t>;

/// The numbers that a kernel puts in an array of eight.
template <class F> static Ints put(F f, int64_t n) {
  Ints y(8, -1);
  Kernel k = kernel("k", [=](View<I64, 1> y, Index n) {
    f(n, [&](Index at, Index value) {
      y.store(at, full<I64>({1}, cast<I64>(value)));
    });
  });
  CHECK(run(k, {array(y), n}) == "");
  return y;
}

TEST_CASE("loops") {
  CHECK(put(
            [](Index n, auto put) {
              loop(n, [&](Index i) { put(i, i * i); });
              loop(Range(5, 8), [&](Index i) { put(i, i - 5); });
            },
            3) == Ints{0, 1, 4, -1, -1, 0, 1, 2});
  CHECK(put(
            [](Index n, auto put) {
              loop(Range(1, n, 3), [&](Index i) {
                loop(i, [&](Index j) { put(j, i * 10 + j); });
              });
            },
            8) == Ints{70, 71, 72, 73, 74, 75, 76, -1});
}

TEST_CASE("variables that a body sets before it reads them") {
  CHECK(put(
            [](Index n, auto put) {
              Index square = 7, kept;
              loop(n, [&](Index i) {
                square = i * i;
                kept = square;
                kept += 1;
                loop(1, [&](Index) { put(i, kept); });
              });
              // A body may use its own variables freely.
              auto last = loop(n, Index(0), [&](Index i, Index acc) {
                Index x = i;
                x += acc;
                x *= 2;
                return x;
              });
              put(7, last);
            },
            3) == Ints{1, 2, 5, -1, -1, -1, -1, 2 * (2 * (0 + 1) + 2)});
}

TEST_CASE("tunables and the grid inside of a body") {
  Ints y(4, -1);
  Kernel k = kernel("k", [](View<I64, 1> y) {
    loop(1, [&](Index) {
      int64_t n = tunable("n", {1, 2});
      auto [i] = program(4 / n);
      y.store(i, full<I64>({n}, cast<I64>(i)));
    });
  });
  REQUIRE(run(k, {array(y)}, {{"n", 2}}) == "");
  CHECK(y == Ints{0, 0, 1, 1});
}

TEST_CASE("values of a tunable that are computed") {
  std::vector<int64_t> widths;
  for (int64_t width = 1; width < 40; width *= 2)
    widths.push_back(width);
  Kernel k = kernel("k", [=](View<I64, 1> y) {
    int64_t width = tunable("width", widths);
    y.store(0, full<I64>({8}, width));
  });
  auto named = k.tunables();
  REQUIRE(named.ok());
  CHECK(named->front().values == Ints{1, 2, 4, 8, 16, 32});
  Ints y(8);
  REQUIRE(run(k, {array(y)}, {{"width", 16}}) == "");
  CHECK(y[0] == 16);
}

TEST_CASE("loops that carry values") {
  CHECK(put(
            [](Index n, auto put) {
              auto add = [](Index i, Index sum) { return sum + i; };
              put(0, loop(n, Index(100), add));
              auto [a, b] = loop(
                  n, std::tuple(Index(0), Index(1)),
                  [](Index, Index a, Index b) { return std::tuple(b, a + b); });
              put(1, a);
              put(2, b);
              auto outer = loop(n, Index(0), [&](Index i, Index sum) {
                return loop(Range(i, n), sum,
                            [](Index j, Index s) { return s + j; });
              });
              put(3, outer);
              put(4, loop(Index(0), n, add));
            },
            5) ==
        Ints{110, 5, 8, 0 + 1 * 2 + 2 * 3 + 3 * 4 + 4 * 5, 5, -1, -1, -1});
}

TEST_CASE("a loop carries tiles and pointers") {
  std::vector<float> x = numbers<float>(8), y(4);
  Kernel k = kernel("k", [](Pointer<F32> p, View<F32, 1> y) {
    auto [q, t] = loop(4, std::tuple(p, zeros<F32>(4)),
                       [](Index, Pointer<F32> q, Tile<F32, 1> t) {
                         return std::tuple(q + 1, t + load(q));
                       });
    y.store(0, t * load(q));
  });
  REQUIRE(run(k, {array(x), array(y)}) == "");
  CHECK(y == std::vector<float>(4, (0 + 1 + 2 + 3) * 4));
}

TEST_CASE("loops until a condition fails") {
  CHECK(put(
            [](Index n, auto put) {
              auto once = loopWhile(
                  n, [](Index i) { return i < 100; },
                  [](Index i) { return i * 2; });
              put(0, once);
              auto [i, steps] = loopWhile(
                  std::tuple(n, Index(0)),
                  [](Index i, Index) { return i != 1; },
                  [](Index i, Index steps) {
                    auto next = when(
                        i % 2 == 0, [&] { return i / 2; },
                        [&] { return 3 * i + 1; });
                    return std::tuple(next, steps + 1);
                  });
              put(1, i);
              put(2, steps);
            },
            7) == Ints{112, 1, 16, -1, -1, -1, -1, -1});
}

TEST_CASE("bodies that run where a condition holds") {
  auto kernel = [](Index n, auto put) {
    when(n > 3, [&] { put(0, 1); });
    when((n > 3) & (n != 5), [&] { put(1, 1); }, [&] { put(1, 2); });
    auto [a, b] = when(
        n == 4, [&] { return std::tuple(n, n + 1); },
        [&] { return std::tuple(n * 2, Index(0)); });
    put(2, a);
    put(3, b);
    put(4, when(n < 0, [&] { return n; }, [] { return Index(6); }));
    put(5, where(n > 4, n, 40));
    when(Scalar<Bool>(true), [&] { when(false, [&] { put(6, 1); }); });
  };
  CHECK(put(kernel, 4) == Ints{1, 1, 4, 5, 6, 40, -1, -1});
  CHECK(put(kernel, 5) == Ints{1, 2, 10, 0, 6, 5, -1, -1});
  CHECK(put(kernel, 3) == Ints{-1, 2, 6, 0, 6, 40, -1, -1});
}

/// Which programs run: each adds 1 at its index, as the counts are.
template <class F> static std::vector<int32_t> ran(F grid, Ints dims) {
  std::vector<int32_t> y(64);
  std::vector<float> x(dims[0] * dims[1]);
  Kernel k = kernel("k", [=](Pointer<I32> y, View<F32, 2> x, Scalar<I32> n) {
    auto at = grid(x, n);
    Index index = 0;
    for (size_t d = 0; d < at.size(); ++d)
      index = index * programCount(d) + at[d];
    (void)atomic(Atomic::add, y + index, 1);
  });
  CHECK(run(k, {array(y), array(x, dims), int64_t(3)}) == "");
  return y;
}
static std::vector<int32_t> first(int count) {
  std::vector<int32_t> y(64);
  std::fill(y.begin(), y.begin() + count, 1);
  return y;
}

TEST_CASE("the grid is an expression of sizes and numbers") {
  using X = View<F32, 2>;
  using N = Scalar<I32>;
  auto none = [](X, N) { return std::array<Index, 0>{}; };
  CHECK(ran(none, {5, 7}) == first(1));
  CHECK(ran([](X, N) { return program(6); }, {5, 7}) == first(6));
  CHECK(ran([](X x, N) { return program(ceilDiv(x.dim(0), 2)); }, {5, 7}) ==
        first(3));
  CHECK(ran([](X x, N) { return program(x.dim(0) / 2, x.dim(1) % 4); },
            {5, 7}) == first(6));
  CHECK(ran(
            [](X x, N n) {
              return program(cast<IndexElement>(n), x.dim(1) - 5,
                             floorDiv(x.dim(0), 4) + 1);
            },
            {5, 7}) == first(12));
  CHECK(ran([](X x, N) { return program(x.dim(0) * x.dim(1)); }, {5, 7}) ==
        first(35));
  CHECK(ran([](X x, N) { return program(2 * x.dim(0), 7 % x.dim(0)); },
            {5, 7}) == first(20));
  CHECK(ran([](X x, N) { return program(x.dim(0) - 5); }, {5, 7}) == first(0));
}

TEST_CASE("tunables change shapes") {
  std::vector<float> x = numbers<float>(8), y(8);
  Kernel k = kernel("k", [](View<F32, 1> x, View<F32, 1> y) {
    auto n = tunable("n", {2, 4, 8});
    auto twice = tunable("twice", {0, 1});
    require(n < 8 || twice == 0, "a tile of 8 is not doubled");
    auto [i] = program(ceilDiv(x.dim(0), n));
    auto t = x.load(i, n);
    t = t + sum(t, axis(0));
    y.store(i, twice ? t * 2 : t);
  });
  auto tunables = k.tunables();
  REQUIRE(tunables.ok());
  REQUIRE(tunables->size() == 2);
  CHECK((*tunables)[0].name == "n");
  CHECK((*tunables)[0].values == Ints{2, 4, 8});
  for (auto [n, twice] : {std::pair(2, 0), {4, 1}, {8, 0}}) {
    REQUIRE(run(k, {array(x), array(y)}, {{"n", n}, {"twice", twice}}) == "");
    for (int i = 0; i < 8; ++i) {
      float sum = 0;
      for (int j = i / n * n; j < i / n * n + n; ++j)
        sum += x[j];
      CHECK(y[i] == (x[i] + sum) * (twice ? 2 : 1));
    }
  }
  auto built = k.build({{"n", 4}});
  REQUIRE(built.ok());
  CHECK(built->bindings == Bindings{{"n", 4}, {"twice", 0}});
}

TEST_CASE("checks that fail are faults, with their words") {
  Kernel k = kernel("k", [](Index n) {
    check(n < 10, "n is small");
    check(iota<I32>(4) < cast<I32>(n), "n is above 3");
  });
  CHECK(run(k, {int64_t(5)}) == "");
  CHECK(run(k, {int64_t(10)}).find("n is small") != std::string::npos);
  CHECK(run(k, {int64_t(3)}).find("n is above 3") != std::string::npos);
}

TEST_CASE("a value with an assumption is the value") {
  auto kernel = [](Index n, auto put) {
    put(0, assumeDivisible(n, 4));
    put(1, assumeRange(n, 0, 10));
  };
  CHECK(put(kernel, 8) == Ints{8, 8, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("text of PTX and of prints") {
  Kernel k = kernel("k", [](View<F32, 1> x) {
    auto t = x.load(0, 4);
    auto u = inlinePtx<I32>("cvt.rni.s32.f32 $0, $1;", "=r,f", t);
    auto v = inlinePtx<F32>("add.f32 $0, $1, $2;", "=f,f,f", t, t);
    x.store(0, v + cast<F32>(u));
    print("row", t, Index(3));
  });
  auto text = k.print();
  REQUIRE(text.ok());
  CHECK(text->find("tile.inline_ptx \"cvt.rni.s32.f32 $0, $1;\" constraints "
                   "\"=r,f\" pure") != std::string::npos);
  CHECK(text->find("tile.print \"row\"") != std::string::npos);
}

static void twice(const View<F32, 1> &x) { x.store(0, x.load(0, 4) * 2.0); }

TEST_CASE("a kernel is a function as well as a lambda, and builds the same") {
  std::vector<float> x = numbers<float>(4);
  Kernel k = kernel("twice", twice);
  REQUIRE(run(k, {array(x)}) == "");
  CHECK(x == std::vector<float>{0, 2, 4, 6});
  auto a = k.build(), b = k.build();
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  CHECK(a->module.code == b->module.code);
}

TEST_CASE("several threads build one kernel") {
  Kernel k = kernel("twice", twice);
  auto expected = k.build();
  REQUIRE(expected.ok());
  std::vector<std::string> codes(4);
  std::vector<std::thread> threads;
  for (std::string &code : codes)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        if (auto built = k.build(); built.ok())
          code = built->module.code;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &code : codes)
    CHECK(code == expected->module.code);
}

} // namespace tilewright::test
