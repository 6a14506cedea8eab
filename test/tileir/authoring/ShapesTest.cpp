// New tiles and other shapes.
#include "Run.h"

#include <catch2/catch.hpp>

using namespace tilewright::authoring;

namespace tilewright::test {

/// The elements of f's result for the tile 0, 1, 2, ..., 23 as 2x3x4.
template <class F> static std::vector<float> shaped(F f) {
  std::vector<float> x = numbers<float>(24), y(256, -1);
  int64_t count = 0;
  Kernel k = kernel("k", [&](View<F32, 3> x, View<F32, 1> y) {
    auto t = f(x.load({0, 0, 0}, {2, 3, 4}));
    count = 1;
    for (int64_t size : t.shape())
      count *= size;
    y.store(0, reshape<1>(t, count));
  });
  CHECK(run(k, {array(x, {2, 3, 4}), array(y)}) == "");
  y.resize(count);
  return y;
}
using Numbers = std::vector<float>;

TEST_CASE("new tiles") {
  CHECK(shaped([](auto) { return zeros<F32>(3); }) == Numbers{0, 0, 0});
  CHECK(shaped([](auto) { return zeros<F32>(1, 2); }) == Numbers{0, 0});
  CHECK(shaped([](auto) { return zeros<F32>(1, 2, 1); }) == Numbers{0, 0});
  CHECK(shaped([](auto) { return zeros<F32>({3}); }) == Numbers{0, 0, 0});
  CHECK(shaped([](auto) { return zeros<F32>({1, 2, 1, 1, 2}); }) == Numbers(4));
  CHECK(shaped([](auto) { return ones<F32>({1, 2, 1, 1}); }) == Numbers{1, 1});
  CHECK(shaped([](auto t) { return ones<F32>(t.shape()); }) == Numbers(24, 1));
  CHECK(shaped([](auto) {
          int64_t n = 2;
          return full<F32>({n, 1, int(n), 1}, 3);
        }) == Numbers{3, 3, 3, 3});
  CHECK(shaped([](auto) { return ones<F32>(2); }) == Numbers{1, 1});
  CHECK(shaped([](auto) { return ones<F32>(2, 1); }) == Numbers{1, 1});
  CHECK(shaped([](auto) { return ones<F32>(1, 1, 1); }) == Numbers{1});
  CHECK(shaped([](auto t) { return zeros<F32>(t.shape()); }) == Numbers(24));
  CHECK(shaped([](auto t) { return full<F32>(t.shape(), 0.5); }) ==
        Numbers(24, 0.5));
  CHECK(shaped([](auto) { return full<F32>({2, 1}, 7); }) == Numbers{7, 7});
  CHECK(shaped([](auto t) { return full<F32>({2}, extract(t, {1, 2, 3})); }) ==
        Numbers{23, 23});
  CHECK(shaped([](auto) { return cast<F32>(iota<I16>(4)); }) ==
        Numbers{0, 1, 2, 3});
  CHECK(shaped([](auto) { return cast<F32>(iota<IndexElement>(3)); }) ==
        Numbers{0, 1, 2});
}

TEST_CASE("sizes are known to the kernel") {
  shaped([](auto t) {
    CHECK(t.shape() == std::array<int64_t, 3>{2, 3, 4});
    CHECK(t.size(0) == 2);
    CHECK(t.size(2) == 4);
    return t;
  });
}

TEST_CASE("shapes") {
  CHECK(shaped([](auto t) { return transpose(t, {2, 0, 1}); }) == [] {
    Numbers y;
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
          y.push_back(i * 12 + j * 4 + k);
    return y;
  }());
  CHECK(shaped([](auto t) {
          return transpose(reshape<2>(slice(t, {0, 0, 0}, {1, 2, 2}), {2, 2}));
        }) == Numbers{0, 4, 1, 5});
  CHECK(shaped([](auto t) { return slice(t, {1, 0, 3}, {1, 3, 1}); }) ==
        Numbers{15, 19, 23});
  CHECK(shaped([](auto t) {
          return slice(t, {0, 0, 1}, {2, 2, 2}, {1, 2, 2});
        }) == Numbers{1, 3, 9, 11, 13, 15, 21, 23});
  CHECK(shaped([](auto t) {
          auto a = slice(t, {0, 0, 0}, {1, 1, 2});
          return concat(a, slice(t, {1, 2, 0}, {1, 1, 3}), 2);
        }) == Numbers{0, 1, 20, 21, 22});
  CHECK(shaped([](auto t) {
          auto a = squeeze(slice(t, {0, 1, 0}, {2, 1, 1}), 1);
          return broadcast(expand(squeeze(a, 1), 0), {2, 2});
        }) == Numbers{4, 16, 4, 16});
  CHECK(shaped([](auto t) {
          auto at =
              zeros<I32>(2, 2, 4) + reshape<3>(2 - iota<I32>(2), {1, 2, 1});
          return slice(gather(t, at, 1), {0, 0, 0}, {2, 2, 1});
        }) == Numbers{8, 4, 20, 16});
  CHECK(shaped([](auto t) {
          Index i = 1;
          return full<F32>({1}, extract(t, {i, i + 1, 0}));
        }) == Numbers{20});
}

TEST_CASE("one way to write a shape") {
  auto all = numbers<float>(24);
  CHECK(shaped([](auto t) { return reshape(t, {4, 6}); }) == all);
  CHECK(shaped([](auto t) { return reshape(t, {24}); }) == all);
  CHECK(shaped([](auto t) {
          return reshape(reshape(t, {2, 12}), t.shape());
        }) == all);
  CHECK(shaped([](auto t) {
          return broadcast(slice(t, {1, 2, 3}, {1, 1, 1}), {1, 2, 1});
        }) == Numbers{23, 23});
}

TEST_CASE("axes from the end") {
  auto same = [](auto f, auto g) { CHECK(shaped(f) == shaped(g)); };
  same([](auto t) { return sum(t, axis(-1)); },
       [](auto t) { return sum(t, axis(2)); });
  same([](auto t) { return max(t, axis(-3)); },
       [](auto t) { return max(t, axis(0)); });
  same([](auto t) { return cumulativeSum(t, axis(-2)); },
       [](auto t) { return cumulativeSum(t, axis(1)); });
  same([](auto t) { return sort(t, axis(-1), Direction::descending); },
       [](auto t) { return sort(t, axis(2), Direction::descending); });
  same([](auto t) { return topK(t, 2, axis(-1)).first; },
       [](auto t) { return topK(t, 2, axis(2)).first; });
  same([](auto t) { return cast<F32>(argMax(t, axis(-2))); },
       [](auto t) { return cast<F32>(argMax(t, axis(1))); });
  same([](auto t) { return concat(t, t, -1); },
       [](auto t) { return concat(t, t, 2); });
  same([](auto t) { return squeeze(slice(t, {0, 0, 1}, {2, 3, 1}), -1); },
       [](auto t) { return squeeze(slice(t, {0, 0, 1}, {2, 3, 1}), 2); });
  shaped([](auto t) {
    CHECK(expand(t, -1).shape() == std::array<int64_t, 4>{2, 3, 4, 1});
    CHECK(expand(t, -4).shape() == std::array<int64_t, 4>{1, 2, 3, 4});
    CHECK(t.size(-1) == 4);
    return t;
  });
}

TEST_CASE("tiles side by side and apart") {
  CHECK(shaped([](auto t) {
          auto [even, odd] = split<2>(reshape(t, {12, 2}));
          return even * 100.0 + odd;
        })[5] == 1011);
  CHECK(shaped([](auto t) {
          auto [a, b, c, d] = split<4>(t);
          return join({d, c, b});
        }) == [] {
    Numbers y;
    for (int i = 0; i < 6; ++i)
      for (int j = 3; j > 0; --j)
        y.push_back(i * 4 + j);
    return y;
  }());
  CHECK(shaped([](auto) {
          auto a = ones<F32>(1);
          return concat({a, a * 2.0, a * 3.0}, 0);
        }) == Numbers{1, 2, 3});
  CHECK(shaped([](auto) {
          std::vector<Tile<F32, 1>> parts;
          for (int i = 0; i < 5; ++i)
            parts.push_back(full<F32>({2}, i));
          return concat(parts, 0);
        }) == Numbers{0, 0, 1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(shaped([](auto) {
          return join(std::vector{ones<F32>(2), zeros<F32>(2)});
        }) == Numbers{1, 0, 1, 0});
}

TEST_CASE("tiles of no dimensions") {
  CHECK(shaped([](auto t) {
          auto one = squeeze(reshape<1>(slice(t, {1, 1, 1}, {1, 1, 1}), 1), 0);
          return expand(one + one, 0);
        }) == Numbers{34});
}

} // namespace tilewright::test
