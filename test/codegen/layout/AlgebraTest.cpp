#include "codegen/layout/Algebra.h"
#include "codegen/layout/Families.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::layout;
using namespace tilewright::layout::test;

static HardwareIndex combine(const Layout &inner, const HardwareIndex &low,
                             const HardwareIndex &high) {
  HardwareIndex index;
  for (HardwareDim hardwareDim : allHardwareDims)
    index[hardwareDim] = low[hardwareDim] | high[hardwareDim]
                                                << inner.bits(hardwareDim);
  return index;
}

TEST_CASE("a product puts copies of a layout side by side; divide undoes it") {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    unsigned rank = random() % 3 + 1;
    Dims innerBits(rank, 0), outerBits(rank, 0), ones(rank, 1);
    Dims repeats(rank, 1);
    for (unsigned dim = 0; dim < rank; ++dim) {
      innerBits[dim] = random() % 3;
      outerBits[dim] = random() % 3;
      repeats[dim] = 1 + random() % 3;
    }
    Layout inner = randomRegisters(random, innerBits, ones, 2, 1);
    Layout outer = randomRegisters(random, outerBits, repeats, 1, 1);
    StatusOr<Layout> both = product(inner, outer);
    REQUIRE(both.ok());
    bool right = true;
    forEachIndex(inner, [&](const HardwareIndex &low) {
      forEachIndex(outer, [&](const HardwareIndex &high) {
        Dims at = inner.apply(low), tile = outer.apply(high);
        for (unsigned dim = 0; dim < rank; ++dim)
          at[dim] += tile[dim] * inner.shape()[dim];
        right &= both->apply(combine(inner, low, high)) == at;
      });
    });
    REQUIRE(right);
    StatusOr<Layout> again = divide(*both, inner);
    INFO(again.status().message());
    REQUIRE(again.ok());
    REQUIRE(*again == outer);
  }
}

TEST_CASE("divide tells whether a tile consists of instructions") {
  Layout a = *mmaFragment({16, 8, 16, 16}, Operand::a);
  Layout c = *mmaFragment({16, 8, 16, 16}, Operand::c);
  Layout tiled = *tileFragment(c, Operand::c, {96, 64}, {2, 2});
  CHECK(divide(tiled, c).ok());
  CHECK(divide(tiled, c)->shape() == Dims{6, 8});
  CHECK(divide(tiled, *mmaFragment({16, 8, 8, 32}, Operand::a))
            .status()
            .message() ==
        "divide: the register bits of the layout are not those of the tile");
  CHECK(divide(c, a).status().message() ==
        "divide: the cell 16x8 is no multiple of the tile 16x16");
  Layout plain = *blocked({{96, 64}, {1, 1}, {8, 4}, {2, 2}, {1, 0}});
  CHECK_FALSE(divide(plain, c).ok());
}

TEST_CASE("a quotient is what one index of the axis holds") {
  Layout c = *mmaFragment({16, 8, 16, 16}, Operand::c);
  Layout tiled = *tileFragment(c, Operand::c, {96, 64}, {2, 4});
  StatusOr<Layout> warp = quotient(tiled, HardwareDim::warp);
  REQUIRE(warp.ok());
  CHECK(warp->shape() == Dims{48, 16});
  CHECK(warp->size(HardwareDim::warp) == 1);
  CHECK(*warp == *tileFragment(c, Operand::c, {48, 16}, {1, 1}));
  // A lane that moves by (1,1) shares its row with another.
  LayoutBuilder mixed(Kind::registers, {1, 1}, {1, 1});
  mixed.addColumn(HardwareDim::lane, 3);
  mixed.addColumn(HardwareDim::reg, 1);
  CHECK(quotient(mixed.build(), HardwareDim::lane).status().message() ==
        "quotient: the coordinates that the lane chooses depend on other axes "
        "too");
}

TEST_CASE("composition renumbers an axis; relate finds the same element") {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    Dims cellBits = {int64_t(random() % 4), int64_t(random() % 4)};
    Layout from = randomRegisters(random, cellBits, {1, 1}, 3, 1);
    Layout to = randomRegisters(random, cellBits, {1, 1}, 2, 2);
    StatusOr<LinearMap> map = relate(from, to);
    REQUIRE(map.ok());
    forEachIndex(from, [&](const HardwareIndex &index) {
      Bits packed = map->apply(from.pack(index));
      HardwareIndex there = to.unpack(packed, {0, 0});
      REQUIRE(to.apply(there) == from.apply(index));
      REQUIRE(to.isOwner(there));
    });
    // Lanes in reverse order of bits.
    LinearMap reverse(3, 3);
    for (unsigned bit = 0; bit < 3; ++bit)
      reverse.setColumn(bit, Bits(4) >> bit);
    StatusOr<Layout> reversed = compose(from, HardwareDim::lane, reverse);
    REQUIRE(reversed.ok());
    for (int64_t lane = 0; lane < 8; ++lane)
      REQUIRE(
          reversed->apply(inRegister(0, lane)) ==
          from.apply(inRegister(0, (lane & 1) << 2 | (lane & 2) | lane >> 2)));
  }
  CHECK_FALSE(relate(Layout(), *dense({4})).ok());
}

TEST_CASE("equal layouts have equal hashes, unequal ones mostly not") {
  std::vector<Named> all = registerLayouts();
  std::map<size_t, const Layout *> byHash;
  size_t collisions = 0;
  for (const Named &each : all) {
    auto [found, isNew] = byHash.try_emplace(each.layout.hash(), &each.layout);
    collisions += !isNew && !(*found->second == each.layout);
    Layout copy = each.layout;
    REQUIRE(copy == each.layout);
    REQUIRE(copy.hash() == each.layout.hash());
  }
  CHECK(collisions == 0);
}
