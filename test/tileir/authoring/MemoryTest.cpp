// Views, pointers, atomics.
#include "Run.h"

#include <catch2/catch.hpp>

using namespace tilewright::authoring;

namespace tilewright::test {

using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

TEST_CASE("a tile by its index; what leaves the view is padded or dropped") {
  Floats x = numbers<float>(15), y(15, -1);
  Kernel k = kernel("k", [](View<F32, 2> x, View<F32, 2> y) {
    auto [i, j] = program(ceilDiv(x.dim(0), 2), ceilDiv(x.dim(1), 4));
    auto t = x.load({i, j}, {2, 4}, 100.0);
    y.store({i, j}, t + sum(t, axis(1)));
  });
  REQUIRE(run(k, {array(x, {3, 5}), array(y, {3, 5})}) == "");
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) {
      float row = 0;
      for (int c = j / 4 * 4; c < j / 4 * 4 + 4; ++c)
        row += c < 5 ? x[i * 5 + c] : 100;
      CHECK(y[i * 5 + j] == x[i * 5 + j] + row);
    }
}

TEST_CASE("a tile by the place of its first element, and steps") {
  Floats x = numbers<float>(12, 1), y(12, -1);
  Kernel k = kernel("k", [](View<F32, 1> x, View<F32, 1> y) {
    y.storeAt(1, x.loadAt(-2, 4));             // 0 0 1 2 at 1
    y.storeAt(5, x.loadAt(3, 2, 4, -1.0));     // elements 3 and 7
    y.storeAt(8, x.loadAt(10, 2, 3, -7.0), 2); // 10, and 13: outside
  });
  REQUIRE(run(k, {array(x), array(y)}) == "");
  CHECK(y == Floats{-1, 0, 0, 1, 2, 4, 8, -1, 11, -1, -7, -1});
}

TEST_CASE("views with strides, sizes and pointers of views") {
  Floats x = numbers<float>(12), y(6, -1);
  std::vector<int64_t> sizes(4);
  Kernel k = kernel(
      "k", [](StridedView<F32, 2> x, View<F32, 2> y, View<I64, 1> sizes) {
        y.store({0, 0}, x.load({0, 0}, {2, 3}));
        auto put = [&](int at, Index n) {
          sizes.store(at, full<I64>({1}, cast<I64>(n)));
        };
        put(0, x.dim(0));
        put(1, x.dim(1));
        put(2, x.stride(0));
        put(3, x.stride(1));
        store(y.base() + 5, load(x.base() + 11));
      });
  // Columns as rows, every second one.
  REQUIRE(run(k, {array(x, {2, 3}, {2, 4}), array(y, {2, 3}), array(sizes)}) ==
          "");
  CHECK(y == Floats{0, 4, 8, 2, 6, 11});
  CHECK(sizes == std::vector<int64_t>{2, 3, 2, 4});
}

TEST_CASE("views at pointers") {
  Floats x = numbers<float>(12), y(8, -1);
  Kernel k = kernel("k", [](Pointer<F32> p, View<F32, 2> y, Index n) {
    y.store({0, 0}, viewAt(p + 1, {2, n}).load({0, 0}, {2, 2}));
    y.store({1, 0}, viewAt(p, {2, 2}, {1, n}).load({0, 0}, {2, 2}));
  });
  REQUIRE(run(k, {array(x), array(y, {4, 2}), int64_t(3)}) == "");
  CHECK(y == Floats{1, 2, 4, 5, 0, 3, 1, 4});
}

TEST_CASE("padding of each kind") {
  std::vector<uint8_t> b = {0, 2}, c(4);
  std::vector<int8_t> i = {5}, j(3);
  Kernel k = kernel(
      "k", [](View<Bool, 1> b, View<Bool, 1> c, View<I8, 1> i, View<I8, 1> j) {
        c.store(0, concat(b.load(0, 3), b.load(2, 1, true), 0));
        j.store(0, i.load(0, 3, -128));
      });
  REQUIRE(run(k, {array(b), array(c), array(i), array(j)}) == "");
  CHECK(c == std::vector<uint8_t>{0, 1, 0, 1});
  CHECK(j == std::vector<int8_t>{5, -128, -128});
}

TEST_CASE("which elements of a tile lie in the view") {
  Floats x(15), seen(15);
  std::vector<uint8_t> all(64), some(8), last(1);
  Kernel k =
      kernel("k", [](View<F32, 2> x, View<Bool, 2> all, View<Bool, 1> some,
                     View<Bool, 1> last, View<F32, 1> row) {
        all.store({0, 0}, concat(x.inside({0, 0}, {4, 8}),
                                 x.insideAt({-1, 3}, {4, 8}), 0));
        // Elements -4, -1, 2, ..., 17 of 15.
        some.store(0, row.insideAt(-4, 8, 3));
        last.store(0, row.inside(14, 1));
      });
  REQUIRE(run(k, {array(x, {3, 5}), array(all, {8, 8}), array(some),
                  array(last), array(x)}) == "");
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 8; ++j) {
      CHECK(all[i * 8 + j] == (i < 3 && j < 5));
      CHECK(all[(i + 4) * 8 + j] == (i >= 1 && j + 3 < 5));
    }
  CHECK(some == std::vector<uint8_t>{0, 0, 1, 1, 1, 1, 1, 0});
  CHECK(last == std::vector<uint8_t>{1});
}

TEST_CASE("single elements of views") {
  Ints offsets = {3, 1, 2}, y(4, -1);
  Floats table = numbers<float>(24);
  Kernel k =
      kernel("k", [](View<I32, 1> offsets, View<F32, 3> table, View<I32, 1> y) {
        loop(3, [&](Index i) {
          auto value = table.at(1, i, cast<Index>(offsets.at(i)));
          y.store(i, full<I32>({1}, cast<I32>(value)));
        });
        y.store(3, full<I32>({1}, offsets.at(offsets.dim(-1) - 1)));
      });
  REQUIRE(run(k, {array(offsets), array(table, {2, 3, 4}), array(y)}) == "");
  CHECK(y == Ints{15, 17, 22, 2});
  // Outside of the view.
  offsets[2] = 4;
  CHECK(run(k, {array(offsets), array(table, {2, 3, 4}), array(y)})
            .find("outside") != std::string::npos);
}

TEST_CASE("arrays of pointers") {
  Floats a = {1, 2, 3}, b = {4, 5, 6}, y(6);
  std::vector<int64_t> table(2), bytes(3);
  // Addresses of this run are known only in it: the kernel makes the table.
  Kernel k = kernel("k", [](Pointer<F32> a, Pointer<F32> b, View<I64, 1> table,
                            View<F32, 1> y, View<I64, 1> bytes) {
    table.store(0, full<I64>({1}, addressOf(a)));
    table.store(1, full<I64>({1}, addressOf(b)));
    loop(2, [&](Index i) {
      auto from = pointerAt<F32>(table.at(i));
      y.store(i, viewAt(from, {3}).load(0, 3));
    });
    // One pointer for each lane.
    auto both = pointerAt<F32>(table.load(0, 2)) + 1;
    store(both, load(both) * 10.0);
    auto words = pointerCast<I32>(a + iota<I32>(3));
    store(words, load(words) + 0);
    bytes.store(0, addressOf(a + iota<I32>(3)) - addressOf(a));
  });
  REQUIRE(run(k, {array(a), array(b), array(table), array(y), array(bytes)}) ==
          "");
  CHECK(y == Floats{1, 2, 3, 4, 5, 6});
  CHECK(a == Floats{1, 20, 3});
  CHECK(b == Floats{4, 50, 6});
  CHECK(bytes == std::vector<int64_t>{0, 4, 8});
}

TEST_CASE("compareExchange where a mask allows it") {
  Ints x = {1, 1, 2, 1}, old(4, -1);
  Kernel k = kernel("k", [](Pointer<I32> x, Pointer<I32> old) {
    auto i = iota<I32>(4);
    store(old + i, compareExchange(x + i, 1, i + 10, i != 1));
  });
  REQUIRE(run(k, {array(x), array(old)}) == "");
  CHECK(x == Ints{10, 1, 2, 13});
  CHECK(old == Ints{1, 0, 2, 1});
}

TEST_CASE("tiles of pointers and masks") {
  Floats x = numbers<float>(8), y(8, -1);
  Kernel k = kernel("k", [](Pointer<F32> p, Pointer<F32> q, Index n) {
    auto i = iota<I32>(8);
    auto from = p + i * 2, to = q + i;
    auto inside = i * 2 < 8;
    auto t = load(from, inside, 0.5);
    store(to, t, i != 6);
    store(q + 6, load(p + n));
    store(to + 7, 3.0, i == 0);
    auto u = load(from + (0 - i), true, t);
    store(to, u, i == 1);
  });
  REQUIRE(run(k, {array(x), array(y), int64_t(5)}) == "");
  CHECK(y == Floats{0, 1, 4, 6, 0.5, 0.5, 5, 3});
}

TEST_CASE("masks that are a scalar or a number") {
  Ints x = {1, 2, 3, 4}, y(4, -1);
  Kernel k = kernel("k", [](Pointer<I32> p, Pointer<I32> q, Index n) {
    auto i = iota<I32>(4);
    store(q + i, load(p + i, n > 3, i * 10));
    store(q, 7, n > 100);
    store(q + 1, load(p + 1, false, 9));
  });
  REQUIRE(run(k, {array(x), array(y), int64_t(3)}) == "");
  CHECK(y == Ints{0, 9, 20, 30});
}

TEST_CASE("atomic operations") {
  Ints x = {5, 5, 5, 5, 5, 5, 12}, old(9, -1);
  Kernel k = kernel("k", [](Pointer<I32> p, Pointer<I32> old) {
    using A = Atomic;
    store(old, atomic(A::add, p, 3));
    store(old + 1, atomic(A::max, p + 1, 9, {Order::acqRel, Scope::system}));
    store(old + 2, atomic(A::min, p + 2, -1));
    store(old + 3, atomic(A::exchange, p + 3, 7));
    store(old + 4, atomic(A::bitAnd, p + 4, 12));
    store(old + 5, atomic(A::bitOr, p + 5, 2));
    store(old + 6, atomic(A::bitXor, p + 6, 5));
    store(old + 7, compareExchange(p, 8, 80));
    store(old + 8, compareExchange(p + 1, 8, 80, {Order::acquire}));
    fence({Order::acqRel, Scope::device});
    store(p + 2, load(p, {Order::acquire}) + 1, Ordering{Order::release});
  });
  REQUIRE(run(k, {array(x), array(old)}) == "");
  CHECK(x == Ints{80, 9, 81, 7, 4, 7, 9});
  CHECK(old == Ints{5, 5, 5, 5, 5, 5, 12, 8, 9});
}

TEST_CASE("atomic operations of tiles") {
  std::vector<uint32_t> x(4, 10);
  Ints counts(3);
  Floats sums = {1, 2, 3};
  Kernel k = kernel("k", [](Pointer<U32> p, Pointer<I32> counts,
                            View<F32, 1> sums) {
    auto [i] = program(3);
    auto at = iota<I32>(4);
    // Unsigned: -1 is the largest.
    (void)atomic(Atomic::max, p + at, full<U32>({4}, ~uint32_t(0)), at == 2);
    (void)atomic(Atomic::min, p + at, 3, at == 1);
    (void)atomic(Atomic::add, counts + at % 3, 1);
    sums.reduce(Atomic::add, i, full<F32>({2}, 10.0));
    sums.reduceAt(Atomic::max, i, full<F32>({1}, 5.0));
  });
  REQUIRE(run(k, {array(x), array(counts), array(sums)}) == "");
  CHECK(x == std::vector<uint32_t>{10, 3, ~uint32_t(0), 10});
  CHECK(counts == Ints{6, 3, 3});
  CHECK(sums == Floats{11, 12, 13});
}

TEST_CASE("reads without padding are checked where a build asks for it") {
  Floats x(8), y(8);
  Kernel k = kernel("k", [](View<F32, 1> x, View<F32, 1> y, Index i) {
    y.store(0, x.load(i, 4, inBounds));
  });
  auto at = [&](int64_t i) {
    return run(k, {array(x), array(y), i}, {}, {.checkBounds = true});
  };
  CHECK(at(1) == "");
  CHECK(at(2).find("the tile leaves the view along dimension 0") !=
        std::string::npos);
  CHECK(at(-1).find("the tile leaves the view") != std::string::npos);
  // By one element.
  x.pop_back();
  CHECK(at(0) == "");
  CHECK(at(1).find("the tile leaves the view") != std::string::npos);
}

TEST_CASE("elements outside of a tile are checked where a build asks for it") {
  Floats x = numbers<float>(8), y(8);
  Kernel one = kernel("k", [](View<F32, 1> x, View<F32, 1> y, Index i) {
    y.store(0, full<F32>({1}, extract(x.load(0, 8), i)));
  });
  Kernel many = kernel("k", [](View<F32, 1> x, View<F32, 1> y, Index i) {
    auto at = full<I32>({2}, cast<I32>(i));
    y.store(0, gather(x.load(0, 8), at, 0));
  });
  for (const Kernel &k : {one, many}) {
    auto at = [&](int64_t i) {
      return run(k, {array(x), array(y), i}, {}, {.checkBounds = true});
    };
    CHECK(at(7) == "");
    CHECK(y[0] == 7);
    CHECK(at(8).find("outside of a dimension of 8") != std::string::npos);
    CHECK(at(-1).find("outside of a dimension of 8") != std::string::npos);
  }
}

TEST_CASE("assumptions of the caller are kept in the kernel") {
  Kernel k = kernel("k", [](View<F32, 2> x, View<F16, 1> y, View<I32, 1> z) {
    x.assumeAligned(64);
    x.assumeDivisible({1, 16});
    x.assumeDisjoint(z);
    x.assumeDisjoint(y);
  });
  auto text = k.print();
  REQUIRE(text.ok());
  CHECK(text->find("tile.align = 64") != std::string::npos);
  CHECK(text->find("tile.dim_divisible = array<i64: 1, 16>") !=
        std::string::npos);
  CHECK(text->find("tile.disjoint = array<i64: 2, 1>") != std::string::npos);
}

TEST_CASE("a workspace is in the kernel") {
  Kernel k = kernel("k", [](View<F32, 2> x, Pointer<F16> parts) {
    auto [i] = program(x.dim(0));
    persistent(4);
    parts.workspace(ceilDiv(x.dim(1), 64) * 3, Zeroed::once);
    store(parts + i, 0);
  });
  auto text = k.print();
  REQUIRE(text.ok());
  CHECK(text->find("tile.workspace = affine_map<()[s0, s1] -> "
                   "((s1 ceildiv 64) * 6)>") != std::string::npos);
  CHECK(text->find("tile.zeroed = \"once\"") != std::string::npos);
  CHECK(text->find("tile.persistent = 4") != std::string::npos);
}

} // namespace tilewright::test
