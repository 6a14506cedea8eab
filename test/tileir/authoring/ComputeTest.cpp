// Contractions, reductions, scans, order, random numbers.
#include "Run.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright::authoring;

namespace tilewright::test {

/// The result of `f` for a tile of 3x4 with these elements.
static const std::vector<float> given = {3, -1, 4, 1, 5, -9, 2, 6, 5, 3, -5, 8};
template <class Out, class F>
static std::vector<Host<Out>> computed(F f, std::vector<float> x = given) {
  std::vector<Host<Out>> y(64);
  int64_t count = 0;
  Kernel k = kernel("k", [&](View<F32, 2> x, View<Out, 1> y) {
    auto t = f(x.load({0, 0}, {3, 4}));
    count = 1;
    for (int64_t size : t.shape())
      count *= size;
    y.store(0, reshape<1>(t, count));
  });
  CHECK(run(k, {array(x, {3, 4}), array(y)}) == "");
  y.resize(count);
  return y;
}
using Floats = std::vector<float>;
using Ints = std::vector<int32_t>;

TEST_CASE("reductions") {
  CHECK(computed<F32>([](auto t) { return sum(t, axis(1)); }) ==
        Floats{7, 4, 11});
  CHECK(computed<F32>([](auto t) { return sum(t, axis(0)); }) ==
        Floats{13, -7, 1, 15});
  CHECK(computed<F32>([](auto t) { return max(t, axis(1)); }) ==
        Floats{4, 6, 8});
  CHECK(computed<F32>([](auto t) { return min(t, axis(0)); }) ==
        Floats{3, -9, -5, 1});
  CHECK(computed<F32>([](auto t) {
          return full<F32>({1}, sum(t)) * min(t) + max(t);
        }) == Floats{22 * -9 + 8});
  CHECK(computed<Bool>([](auto t) { return any(t > 5.0, axis(1)); }) ==
        std::vector<uint8_t>{0, 1, 1});
  CHECK(computed<Bool>([](auto t) { return all(t > -6.0, axis(1)); }) ==
        std::vector<uint8_t>{1, 0, 1});
  CHECK(computed<Bool>([](auto t) {
          return full<Bool>({1}, any(t > 7.0) & !all(t > -9.0));
        }) == std::vector<uint8_t>{1});
  CHECK(computed<U8>([](auto t) {
          return max(cast<U8>(cast<I32>(t)), axis(1));
        }) == std::vector<uint8_t>{255, 247, 251});
  // The result keeps the axis: it goes with the tile.
  CHECK(computed<F32>([](auto t) {
          return sum(t - max(t, axis(1)), axis(1));
        }) == Floats{7 - 16, 4 - 24, 11 - 32});
}

TEST_CASE("scans that go on from tile to tile") {
  Floats x = numbers<float>(22, 1), y(22), z(22);
  Kernel k = kernel("k", [](View<F32, 2> x, View<F32, 2> y, View<F32, 2> z) {
    auto larger = [](auto a, auto b) { return max(a, b); };
    loop(ceilDiv(x.dim(1), 4), std::tuple(zeros<F32>(2, 1), ones<F32>(2, 1)),
         [&](Index i, Tile<F32, 2> total, Tile<F32, 2> most) {
           auto t = x.load({0, i}, {2, 4});
           auto [sums, next] = cumulativeSumFrom(total, t, axis(-1));
           auto wave = where(x.inside({0, i}, {2, 4}), 10.0 - t, -infinity);
           auto [peaks, peak] = scanFrom(most, wave, axis(1), larger);
           y.store({0, i}, sums);
           z.store({0, i}, peaks);
           return std::tuple(next, peak);
         });
  });
  REQUIRE(run(k, {array(x, {2, 11}), array(y, {2, 11}), array(z, {2, 11})}) ==
          "");
  for (int row = 0; row < 2; ++row) {
    float sum = 0, most = 1;
    for (int i = 0; i < 11; ++i) {
      sum += x[row * 11 + i];
      most = std::max(most, 10 - x[row * 11 + i]);
      CHECK(y[row * 11 + i] == sum);
      CHECK(z[row * 11 + i] == most);
    }
  }
}

TEST_CASE("a histogram of what a mask allows") {
  CHECK(computed<I32>([](auto t) {
          return histogram(cast<I32>(t), 6, t < 5.0);
        }) == Ints{0, 1, 1, 2, 1, 0});
}

TEST_CASE("reductions by a function") {
  auto product = [](auto a, auto b) { return a * b; };
  CHECK(computed<F32>([=](auto t) { return reduce(t, axis(1), product); }) ==
        Floats{-12, -540, -600});
  // A value from outside of the body.
  CHECK(computed<F32>([](auto t) {
          Scalar<F32> most = max(t) - 1;
          return reduce(t, axis(1),
                        [=](auto a, auto b) { return min(max(a, b), most); });
        }) == Floats{4, 6, 7});
  auto index = [](auto t) {
    auto at = broadcast(reshape<2>(iota<I32>(4), {1, 4}), {3, 4});
    auto later = [](auto a, auto b) {
      auto takes = b.first > a.first;
      return std::pair(where(takes, b.first, a.first),
                       where(takes, b.second, a.second));
    };
    auto [value, i] = reduce(t, at, axis(1), later);
    return value * 10 + cast<F32>(i);
  };
  CHECK(computed<F32>(index) == Floats{42, 63, 83});
}

TEST_CASE("the place of the largest and of the smallest") {
  CHECK(computed<I32>([](auto t) { return argMax(t, axis(1)); }) ==
        Ints{2, 3, 3});
  CHECK(computed<I32>([](auto t) { return argMin(t, axis(0)); }) ==
        Ints{0, 1, 2, 0});
  // Of equal ones the first; NaN before all.
  Floats x = {2, 7, 7, 1, NAN, 1, NAN, 9, -1, -1, -1, -1};
  CHECK(computed<I32>([](auto t) { return argMax(t, axis(1)); }, x) ==
        Ints{1, 0, 0});
  CHECK(computed<I32>([](auto t) { return argMin(t, axis(1)); }, x) ==
        Ints{3, 0, 0});
  CHECK(computed<I32>([](auto t) {
          return argMax(cast<U8>(cast<I32>(t)), axis(1));
        }) == Ints{1, 1, 2});
}

TEST_CASE("scans") {
  CHECK(computed<F32>([](auto t) { return cumulativeSum(t, axis(1)); }) ==
        Floats{3, 2, 6, 7, 5, -4, -2, 4, 5, 8, 3, 11});
  auto largest = [](auto a, auto b) { return max(a, b); };
  CHECK(computed<F32>([=](auto t) { return scan(t, axis(1), largest); }) ==
        Floats{3, 3, 4, 4, 5, 5, 5, 6, 5, 5, 5, 8});
  CHECK(computed<F32>([=](auto t) {
          return scan(t, axis(1), largest, true);
        }) == Floats{4, 4, 4, 1, 6, 6, 6, 6, 8, 8, 8, 8});
}

TEST_CASE("order") {
  CHECK(computed<F32>([](auto t) { return sort(t, axis(1)); }) ==
        Floats{-1, 1, 3, 4, -9, 2, 5, 6, -5, 3, 5, 8});
  CHECK(computed<F32>([](auto t) {
          return sort(t, axis(0), Direction::descending);
        }) == Floats{5, 3, 4, 8, 5, -1, 2, 6, 3, -9, -5, 1});
  // -9 and -1 are the largest unsigned bytes.
  CHECK(computed<U8>([](auto t) {
          return sort(cast<U8>(cast<I32>(t)), axis(1));
        }) == std::vector<uint8_t>{1, 3, 4, 255, 2, 5, 6, 247, 3, 5, 8, 251});
  CHECK(computed<I32>([](auto t) {
          auto at = zeros<I32>(3, 1) + reshape<2>(iota<I32>(4), {1, 4});
          auto [keys, values] = sort(t, at, axis(1));
          return values;
        }) == Ints{1, 3, 0, 2, 1, 2, 0, 3, 2, 1, 0, 3});
  CHECK(computed<F32>([](auto t) {
          auto [values, indices] = topK(t, 2, axis(1));
          return values * 10 + cast<F32>(indices);
        }) == Floats{42, 30, 63, 50, 83, 50});
  CHECK(computed<F32>([](auto t) {
          return topK(t, 1, axis(1), Direction::ascending).first;
        }) == Floats{-1, -9, -5});
  CHECK(computed<I32>([](auto t) { return histogram(cast<I32>(t), 6); }) ==
        Ints{0, 1, 1, 2, 1, 2});
}

/// a * b, from zero or from one, against three loops.
template <class A, class B, class C, int Rank>
static void product(std::array<int64_t, Rank> shapeA,
                    std::array<int64_t, Rank> shapeB, bool fromZero) {
  auto n = [](auto shape) {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  };
  auto shapeC = shapeA;
  shapeC.back() = shapeB.back();
  Floats a = numbers<float>(n(shapeA), -3),
         b = numbers<float>(n(shapeB), 2, -1), y(n(shapeC));
  Kernel k = kernel("k", [=](View<F32, 1> x, View<F32, 1> z, View<F32, 1> y) {
    auto s = cast<A>(reshape<Rank>(x.load(0, n(shapeA)), shapeA));
    auto t = cast<B>(reshape<Rank>(z.load(0, n(shapeB)), shapeB));
    auto c = fromZero ? dot<C>(s, t) : dot(s, t, full<C>(shapeC, 1));
    y.store(0, cast<F32>(reshape<1>(c, n(shapeC))));
  });
  CHECK(run(k, {array(a), array(b), array(y)}) == "");
  int64_t K = shapeA.back(), N = shapeB.back(), M = shapeA[Rank - 2];
  Floats expected(y.size(), fromZero ? 0 : 1);
  for (int64_t i = 0; i < int64_t(y.size()); ++i)
    for (int64_t l = 0; l < K; ++l)
      expected[i] += a[i / N * K + l] * b[(i / N / M * K + l) * N + i % N];
  CHECK(y == expected);
}

TEST_CASE("products of matrices, and of batches of them") {
  product<F32, F32, F32, 2>({2, 3}, {3, 4}, false);
  product<F32, F32, F32, 2>({2, 3}, {3, 4}, true);
  product<F16, F16, F32, 2>({2, 3}, {3, 4}, true);
  product<BF16, BF16, F32, 3>({2, 2, 3}, {2, 3, 2}, false);
  product<I8, I8, I32, 2>({2, 3}, {3, 4}, true);
  product<F64, F64, F64, 3>({3, 1, 2}, {3, 2, 1}, true);
}

TEST_CASE("signs of integers in a product") {
  std::vector<uint8_t> a = {200, 1}, b = {255, 2};
  std::vector<int32_t> y(2);
  Kernel k = kernel("k", [](View<U8, 2> a, View<U8, 2> b, View<I32, 2> y) {
    auto s = a.load({0, 0}, {1, 2}), t = b.load({0, 0}, {2, 1});
    y.store({0, 0}, dot<I32>(s, t));
    y.store({0, 1}, dot<I32>(s, bitcast<I8>(t)));
  });
  REQUIRE(run(k, {array(a, {1, 2}), array(b, {2, 1}), array(y, {1, 2})}) == "");
  CHECK(y == Ints{200 * 255 + 2, -200 + 2});
}

TEST_CASE("a product with scales") {
  Floats y(1);
  Kernel k = kernel("k", [](View<F32, 2> y) {
    auto a = full<F8E4M3FN>({1, 64}, 1.5), b = full<F8E4M3FN>({64, 1}, 2);
    auto s = full<F8E8M0FNU>({1, 2}, 4), t = full<F8E8M0FNU>({2, 1}, 0.5);
    y.store({0, 0}, scaledDot(a, s, b, t, ones<F32>(1, 1)));
  });
  REQUIRE(run(k, {array(y, {1, 1})}) == "");
  CHECK(y[0] == 64 * 1.5 * 4 * 2 * 0.5 + 1);
}

TEST_CASE("random numbers are the published ones") {
  std::vector<uint32_t> y(12);
  Kernel k = kernel("k", [](View<U32, 2> y) {
    using Word = Scalar<U32>;
    auto put = [&](int row, std::array<Word, 4> random) {
      for (int i = 0; i < 4; ++i)
        y.store({row, i}, full<U32>({1, 1}, random[i]));
    };
    Word ones = ~uint32_t(0);
    put(0, philox(Word(0), Word(0)));
    put(1, philox(std::array{ones, ones, ones, ones}, std::array{ones, ones}));
    put(2, philox(std::array<Word, 4>{0x243f6a88u, 0x85a308d3u, 0x13198a2eu,
                                      0x03707344u},
                  std::array<Word, 2>{0xa4093822u, 0x299f31d0u}));
  });
  REQUIRE(run(k, {array(y, {3, 4})}) == "");
  CHECK(y == std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                   0x9b00dbd8, 0x408f276d, 0x41c83b0e,
                                   0xa20bc7c6, 0x6d5451fd, 0xd16cfe09,
                                   0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random numbers of a tile") {
  std::vector<uint32_t> y(8);
  Kernel k = kernel("k", [](View<U32, 1> y) {
    auto random = philox(iota<U32>(4), full<U32>({4}, 7));
    y.store(0, random[0]);
    y.store(1, random[3]);
  });
  REQUIRE(run(k, {array(y)}) == "");
  std::sort(y.begin(), y.end());
  CHECK(std::unique(y.begin(), y.end()) == y.end());
}

} // namespace tilewright::test
