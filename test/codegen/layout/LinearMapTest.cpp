#include "codegen/layout/LinearMap.h"
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <vector>

using namespace tilewright::layout;

static LinearMap randomMap(std::mt19937_64 &random, unsigned ins,
                           unsigned outs) {
  LinearMap map(ins, outs);
  for (unsigned i = 0; i < ins; ++i)
    map.setColumn(i, random() % 4 ? random() & lowBits(outs) : 0);
  return map;
}

/// All members of a subspace, by its basis.
static std::set<Bits> members(const Subspace &subspace) {
  std::set<Bits> all = {0};
  subspace.forEach([&](Bits vector) {
    std::set<Bits> more;
    for (Bits each : all)
      more.insert(each ^ vector);
    all.merge(more);
  });
  return all;
}

TEST_CASE("linear maps: kernel, image, rank and solutions by enumeration") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937_64 random(seed);
    unsigned ins = random() % 8, outs = random() % 8;
    LinearMap map = randomMap(random, ins, outs);
    INFO("seed " << seed);
    std::set<Bits> kernel, image;
    for (Bits x = 0; x < Bits(1) << ins; ++x) {
      Bits y = 0;
      for (unsigned bit = 0; bit < ins; ++bit)
        y ^= x >> bit & 1 ? map.column(bit) : 0;
      REQUIRE(map.apply(x) == y);
      image.insert(y);
      if (!y)
        kernel.insert(x);
    }
    REQUIRE(members(map.kernel()) == kernel);
    REQUIRE(members(map.image()) == image);
    REQUIRE(Bits(1) << map.rank() == image.size());
    CHECK(map.isInjective() == (kernel.size() == 1));
    CHECK(map.isSurjective() == (image.size() == Bits(1) << outs));
    CHECK(map.rightInverse().has_value() == map.isSurjective());
    for (Bits y = 0; y < Bits(1) << outs; ++y) {
      auto x = map.solve(y);
      REQUIRE(x.has_value() == (image.count(y) == 1));
      if (!x)
        continue;
      REQUIRE(map.apply(*x) == y);
      REQUIRE((*x & map.dependentBits()) == 0);
      if (auto inverse = map.rightInverse())
        REQUIRE(inverse->apply(y) == *x);
    }
    REQUIRE(Solver(map).dependentBits() == map.dependentBits());
  }
}

TEST_CASE("linear maps: composition, sums, quotients") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    unsigned a = random() % 6, b = random() % 6, c = random() % 6;
    LinearMap inner = randomMap(random, a, b), outer = randomMap(random, b, c);
    LinearMap both = outer.compose(inner), sum = inner.directSum(outer);
    Subspace space = outer.image();
    LinearMap apart = randomMap(random, a, c), cut = apart.quotient(space);
    INFO("seed " << seed);
    for (Bits x = 0; x < Bits(1) << a; ++x) {
      REQUIRE(both.apply(x) == outer.apply(inner.apply(x)));
      REQUIRE(sum.apply(x | Bits(1) % (Bits(1) << b) << a) ==
              (inner.apply(x) | outer.apply(Bits(1) % (Bits(1) << b)) << b));
      REQUIRE(space.contains(cut.apply(x) ^ apart.apply(x)));
      for (Bits y = 0; y < Bits(1) << a; ++y)
        REQUIRE((cut.apply(x) == cut.apply(y)) ==
                space.contains(apart.apply(x) ^ apart.apply(y)));
    }
    LinearMap low = inner.restrict(0, a / 2),
              high = inner.project(b / 2, b - b / 2);
    for (Bits x = 0; x < Bits(1) << (a / 2); ++x)
      REQUIRE(low.apply(x) == inner.apply(x));
    for (Bits x = 0; x < Bits(1) << a; ++x)
      REQUIRE(high.apply(x) == inner.apply(x) >> (b / 2));
  }
}

TEST_CASE("subspaces: sums, intersections, least and greatest elements") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    Subspace a = randomMap(random, random() % 7, 7).image();
    Subspace b = randomMap(random, random() % 7, 7).image();
    INFO("seed " << seed);
    std::set<Bits> inA = members(a), inB = members(b), inBoth, inSum;
    for (Bits x : inA)
      for (Bits y : inB) {
        inSum.insert(x ^ y);
        if (x == y)
          inBoth.insert(x);
      }
    REQUIRE(members(a.intersect(b)) == inBoth);
    REQUIRE(members(a.sum(b)) == inSum);
    for (Bits x = 0; x < 128; ++x) {
      std::set<Bits> coset;
      for (Bits y : inA)
        coset.insert(x ^ y);
      REQUIRE(a.contains(x) == (inA.count(x) == 1));
      REQUIRE(a.reduce(x) == *coset.begin());
      REQUIRE(a.greatest(x) == *coset.rbegin());
    }
  }
  // All 64 bits are usable.
  LinearMap wide = LinearMap::identity(64);
  wide.setColumn(0, ~Bits(0));
  CHECK(wide.isInjective());
  CHECK(wide.solve(~Bits(0)) == Bits(1));
  CHECK(wide.image().intersect(wide.image()).dimension() == 64);
}
