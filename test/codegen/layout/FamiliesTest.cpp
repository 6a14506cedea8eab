#include "codegen/layout/Families.h"
#include "codegen/layout/Access.h"
#include "codegen/layout/Text.h"
#include "codegen/layout/Transforms.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>
#include <set>

using namespace tilewright;
using namespace tilewright::layout;
using namespace tilewright::layout::test;

static Layout get(const StatusOr<Layout> &layout) {
  INFO(layout.status().message());
  REQUIRE(layout.ok());
  return *layout;
}

/// Everything that follows from the definition, by enumeration. Empty: right.
static std::string wrong(const Layout &layout, const Dims &tile) {
  Dims shape = layout.shape();
  std::vector<int64_t> owners(shape.product(), 0), holders = owners;
  std::vector<bool> someIn(layout.items()), someOut(layout.items());
  HardwareIndex redundant = layout.redundantBits();
  std::string problem;
  forEachIndex(layout, [&](const HardwareIndex &index) {
    Dims at = layout.apply(index);
    if (!(at == applySlowly(layout, index)))
      problem = "apply";
    bool masked = true, inside = true;
    for (HardwareDim hardwareDim : allHardwareDims)
      masked &= !(index[hardwareDim] & redundant[hardwareDim]);
    for (unsigned dim = 0; dim < at.rank(); ++dim)
      inside &= at[dim] < tile[dim];
    int64_t repeat =
        (index[layout.itemDim()] >> layout.bits(layout.itemDim())) *
            layout.repeats().parts() +
        (index[HardwareDim::warp] >> layout.bits(HardwareDim::warp));
    masked &= layout.repeats().isOwner(repeat);
    if (repeat >= layout.repeats().total()) { // The last round is partly empty.
      if (layout.repeats().isLocal())
        problem = "an empty part";
      (inside ? someIn : someOut)[index[layout.itemDim()]] = true;
      return;
    }
    ++holders[linearIndex(at, shape)];
    owners[linearIndex(at, shape)] += masked;
    if (masked != layout.isOwner(index))
      problem = "redundant bits";
    if (masked && !(layout.invert(at) == index))
      problem = "the inverse is not the owner";
    if (inside != layout.inRange(index, tile))
      problem = "inRange";
    int64_t item = index[layout.itemDim()];
    (inside ? someIn : someOut)[item] = true;
  });
  for (size_t i = 0; i < owners.size(); ++i)
    if (owners[i] != 1 || holders[i] != layout.copies())
      problem = "owners or copies";
  for (int64_t item = 0; item < layout.items(); ++item) {
    Coverage coverage = layout.coverage(item, tile);
    if ((coverage == Coverage::always) != !someOut[item])
      problem = "coverage: always";
    // `never` requires one dimension that alone is out of range.
    bool never = coverage == Coverage::never;
    if (never && someIn[item])
      problem = "coverage: never";
    if (tile.rank() < 2 && never != !someIn[item])
      problem = "coverage: never, of one dimension";
  }
  return problem;
}

TEST_CASE("layouts keep to their definition") {
  std::mt19937 random(1);
  std::vector<Named> all = registerLayouts(1);
  for (Named &each : memoryLayouts())
    all.push_back(each);
  for (int i = 0; i < 500; ++i) {
    unsigned rank = random() % 4;
    Dims cellBits(rank, 0), repeats(rank, 1);
    for (unsigned dim = 0; dim < rank; ++dim) {
      cellBits[dim] = random() % 4;
      repeats[dim] = 1 + random() % 3;
    }
    all.push_back({"random " + std::to_string(i),
                   randomRegisters(random, cellBits, repeats, 3, 2)});
  }
  size_t tried = 0;
  for (const Named &each : all) {
    if (each.layout.map().inBits() > 12)
      continue;
    ++tried;
    Dims tile = each.layout.shape();
    for (int64_t &extent : tile)
      extent -= random() % std::min<int64_t>(extent, 4);
    INFO(each.name);
    REQUIRE(wrong(each.layout, tile) == "");
  }
  CHECK(tried > 5000);
}

TEST_CASE("a blocked layout puts neighbours where its grid says") {
  BlockedParameters p{{32, 64}, {1, 4}, {4, 8}, {2, 2}, {1, 0}};
  Layout layout = get(blocked(p));
  for (int64_t reg = 0; reg < layout.items(); ++reg)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t warp = 0; warp < 4; ++warp) {
        // 4 neighbours, 8 lanes, 2 warps along a row; 4 lanes, 2 warps, then
        // registers along a column.
        int64_t column = reg % 4 + 4 * (lane % 8) + 32 * (warp % 2);
        int64_t row = lane / 8 + 4 * (warp / 2) + 8 * (reg / 4);
        REQUIRE(layout.apply(inRegister(reg, lane, warp)) == Dims{row, column});
      }
  CHECK(layout.items() == 16);
  // Registers hold the rest of the grid, the fastest dimension first.
  for (unsigned fastest : {0u, 1u}) {
    Layout rest = get(blocked({{32, 64},
                               {1, 1},
                               {4, 8},
                               {1, 1},
                               {int64_t(fastest), int64_t(1 - fastest)}}));
    CHECK(rest.apply(inRegister(1, 0)) ==
          (fastest == 0 ? Dims{4, 0} : Dims{0, 8}));
  }
  // More threads than elements: the surplus holds copies.
  Layout small = get(blocked({{4, 4}, {1, 1}, {4, 8}, {1, 1}, {1, 0}}));
  CHECK(small.copies() == 2);
  CHECK(small.redundantBits()[HardwareDim::lane] == 4);
  CHECK(small.apply(inRegister(0, 13)) == Dims{1, 1});
}

TEST_CASE("a cell for any shape wastes no more registers than it must") {
  struct Case {
    Dims shape;
    int64_t warps, registers;
  };
  for (const Case &each :
       {Case{{96, 80}, 4, 60}, Case{{1000}, 4, 8}, Case{{7, 1000}, 4, 56},
        Case{{80}, 1, 3}, Case{{192, 576}, 8, 432}, Case{{}, 4, 1},
        Case{{128, 64}, 4, 64}, Case{{33, 33}, 1, 45}}) {
    Layout layout = get(coalesced(
        {each.shape, 16, each.warps, {}, 128, Dealing::none, 1 << 20}));
    INFO(each.shape.text() << " covered by " << layout.shape().text());
    CHECK(layout.items() == each.registers);
    CHECK(layout.covers(each.shape));
  }
  // The best that any cell can do, by enumeration.
  for (int64_t rows = 1; rows <= 40; rows += 3)
    for (int64_t columns = 1; columns <= 100; columns += 7) {
      int64_t best = 1 << 30;
      for (int64_t a = 1; a < 2 * rows; a *= 2)
        for (int64_t b = 1; b < 2 * columns; b *= 2) {
          int64_t repeats = ((rows - 1) / a + 1) * ((columns - 1) / b + 1);
          best = std::min(best, repeats * std::max<int64_t>(1, a * b / 64));
        }
      INFO(rows << "x" << columns);
      CHECK(get(coalesced(
                    {{rows, columns}, 32, 2, {}, 128, Dealing::none, 1 << 20}))
                .items() == best);
    }
  // Along the fastest dimension: 8 elements of 16 bits, then lanes.
  Layout column = get(coalesced({{256, 64}, 16, 4, {0, 1}, 128}));
  CHECK(column.apply(inRegister(7, 0)) == Dims{7, 0});
  CHECK(column.apply(inRegister(0, 1)) == Dims{8, 0});
}

TEST_CASE("sums of a product: blocks that read few elements") {
  // 8 x 8 accumulators a thread, in vectors of 4; a warp has 32 columns and 16
  // rows.
  Layout square = get(accumulator({128, 128}, 8));
  CHECK(square.items() == 64);
  CHECK(square.apply(inRegister(3, 0)) == Dims{0, 3});
  CHECK(square.apply(inRegister(0, 1)) == Dims{0, 4});
  CHECK(square.apply(inRegister(0, 8)) == Dims{4, 0});
  // One row: neighbouring columns in neighbouring lanes, and no sum twice.
  Layout row = get(accumulator({1, 128}, 4));
  CHECK(row.items() == 1);
  CHECK(row.copies() == 1);
  // Many small products: each thread has accumulators of one batch.
  Layout batch = get(accumulator({64, 4, 4}, 1));
  CHECK(batch.items() == 32);
  // No sum is computed by two threads while another thread has two.
  for (int64_t rows : {1, 5, 16, 96})
    for (int64_t columns : {1, 12, 64, 100}) {
      Layout layout = get(accumulator({rows, columns}, 4));
      INFO(rows << "x" << columns << ": " << layout.items());
      CHECK(layout.covers({rows, columns}));
      CHECK(layout.items() <=
            2 * get(coalesced({{rows, columns}, 32, 4, {}, 128})).items());
    }
  CHECK_FALSE(accumulator({8}, 4).ok());
  CHECK_FALSE(accumulator({8, 8}, 33).ok());
}

TEST_CASE("a grid of 3x2 warps") {
  Layout layout = get(blocked({{48, 64}, {1, 4}, {4, 8}, {3, 2}, {1, 0}}));
  CHECK(layout.shape() == Dims{48, 64});
  CHECK(layout.size(HardwareDim::warp) == 6);
  // Warps along columns are in the cell, the three along rows take turns.
  CHECK(layout.apply(inRegister(0, 0, 1)) == Dims{0, 32});
  CHECK(layout.apply(inRegister(0, 0, 2)) == Dims{4, 0});
  CHECK(layout.apply(inRegister(0, 0, 4)) == Dims{8, 0});
  CHECK(layout.apply(inRegister(4, 0, 0)) == Dims{12, 0});
  CHECK_FALSE(blocked({{48, 64}, {1, 4}, {4, 8}, {3, 3}, {1, 0}}).ok());
  CHECK_FALSE(blocked({{48, 64}, {1, 4}, {4, 8}, {0, 2}, {1, 0}}).ok());
}

TEST_CASE("repeats dealt to warps: wide accesses for any extents") {
  for (unsigned bits : {16u, 32u})
    for (Dims shape : {Dims{96, 48}, Dims{48, 80}, Dims{64, 192}, Dims{80, 80}})
      for (int64_t warps : {3, 4}) {
        Layout layout = get(coalesced({shape, bits, warps, {}, 128}));
        INFO(shape.text() << " of " << bits << " bits, " << warps
                          << " warps: " << print(layout));
        CHECK(vectorAccess(layout, {1, 0}, bits, 16).elements == 128 / bits);
        CHECK(layout.size(HardwareDim::warp) == warps);
        CHECK(layout.items() * 32 * warps <= shape.product() * 9 / 8);
      }
  // 25 cells of 16x16 go round 4 warps; the last round has one.
  Layout dealt = get(coalesced({{80, 80}, 16, 4, {}, 128}));
  CHECK(print(dealt) ==
        "registers cell=16x16 repeats=5x5 dealt=4 register=(0,1),(0,2),(0,4) "
        "lane=(0,8),(1,0),(2,0),(4,0),(8,0)");
  CHECK(dealt.apply(inRegister(0, 0, 3)) == Dims{0, 48});
  CHECK(dealt.apply(inRegister(8, 0, 1)) == Dims{16, 0});
  CHECK(dealt.coverage(6 * 8, {80, 80}) == Coverage::sometimes);
  // Rows need one column of all: their slice holds copies of each, and what a
  // round holds again is no other register.
  Layout columns = slice(dealt, 0)->layout;
  CHECK(print(columns) ==
        "registers cell=16 repeats=5 repeat-order=copies5,0 dealt=4 "
        "register=(1),(2),(4) lane=(8),(0),(0),(0),(0)");
  CHECK(get(parse(print(columns))) == columns);
  CHECK(registerCopies(columns)[5 * 8 + 1] == 1);
  CHECK_FALSE(coalesced({{8}, 32, 33, {}, 128}).ok());
  for (Dims shape : {Dims{24, 40}, Dims{96, 48}, Dims{7, 9}, Dims{1000}})
    for (int64_t warps : {3, 4, 6, 12})
      CHECK(get(coalesced({shape, 16, warps, {}, 128, Dealing::separable}))
                .repeats()
                .isSeparable());
}

using Fragment = Dims (*)(int64_t thread, int64_t element);

/// The table of fragments in PTX's words: g = lane / 4, t = lane % 4.
static const struct {
  MmaShape shape;
  Operand operand;
  int64_t elements;
  Fragment at;
} fragments[] = {
    {{16, 8, 16, 16},
     Operand::a,
     8,
     [](int64_t l, int64_t i) {
       return Dims{l / 4 + (i < 2 || (4 <= i && i < 6) ? 0 : 8),
                   l % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
     }},
    {{16, 8, 16, 16},
     Operand::b,
     4,
     [](int64_t l, int64_t i) {
       return Dims{l % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), l / 4};
     }},
    {{16, 8, 8, 16},
     Operand::a,
     4,
     [](int64_t l, int64_t i) {
       return Dims{l / 4 + (i >= 2 ? 8 : 0), l % 4 * 2 + (i & 1)};
     }},
    {{16, 8, 8, 16},
     Operand::b,
     2,
     [](int64_t l, int64_t i) { return Dims{l % 4 * 2 + i, l / 4}; }},
    {{16, 8, 8, 32},
     Operand::a,
     4,
     [](int64_t l, int64_t i) {
       return Dims{l / 4 + (i == 1 || i == 3 ? 8 : 0),
                   l % 4 + (i >= 2 ? 4 : 0)};
     }},
    {{16, 8, 8, 32},
     Operand::b,
     2,
     [](int64_t l, int64_t i) { return Dims{l % 4 + 4 * i, l / 4}; }},
    {{16, 8, 4, 32},
     Operand::a,
     2,
     [](int64_t l, int64_t i) { return Dims{l / 4 + 8 * i, l % 4}; }},
    {{16, 8, 4, 32},
     Operand::b,
     1,
     [](int64_t l, int64_t) { return Dims{l % 4, l / 4}; }},
    {{16, 8, 32, 8},
     Operand::a,
     16,
     [](int64_t l, int64_t i) {
       return Dims{l / 4 + (i < 4 || (8 <= i && i < 12) ? 0 : 8),
                   l % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
     }},
    {{16, 8, 32, 8},
     Operand::b,
     8,
     [](int64_t l, int64_t i) {
       return Dims{l % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0), l / 4};
     }},
    {{16, 8, 16, 8},
     Operand::a,
     8,
     [](int64_t l, int64_t i) {
       return Dims{l / 4 + (i < 4 ? 0 : 8), l % 4 * 4 + (i & 3)};
     }},
    {{16, 8, 16, 8},
     Operand::b,
     4,
     [](int64_t l, int64_t i) { return Dims{l % 4 * 4 + i, l / 4}; }},
    {{16, 8, 64, 4},
     Operand::a,
     32,
     [](int64_t l, int64_t i) {
       return Dims{l / 4 + (i < 8 || (16 <= i && i < 24) ? 0 : 8),
                   l % 4 * 8 + (i & 7) + (i >= 16 ? 32 : 0)};
     }},
    {{16, 8, 64, 4},
     Operand::b,
     16,
     [](int64_t l, int64_t i) {
       return Dims{l % 4 * 8 + (i & 7) + (i >= 8 ? 32 : 0), l / 4};
     }},
    {{8, 8, 4, 64},
     Operand::a,
     1,
     [](int64_t l, int64_t) { return Dims{l >> 2, l & 3}; }},
    {{8, 8, 4, 64},
     Operand::b,
     1,
     [](int64_t l, int64_t) { return Dims{l & 3, l >> 2}; }},
    {{8, 8, 4, 64},
     Operand::c,
     2,
     [](int64_t l, int64_t i) { return Dims{l >> 2, l % 4 * 2 + i}; }},
    {{16, 8, 16, 16},
     Operand::c,
     4,
     [](int64_t l, int64_t i) {
       return Dims{l / 4 + (i >= 2 ? 8 : 0), l % 4 * 2 + (i & 1)};
     }},
};

TEST_CASE("mma fragments are those of PTX") {
  std::set<std::pair<int64_t, unsigned>> seen;
  for (const auto &each : fragments) {
    INFO("k" << each.shape.k << " of " << each.shape.bits << " bits, operand "
             << int(each.operand));
    Layout layout = get(mmaFragment(each.shape, each.operand));
    REQUIRE(layout.items() == each.elements);
    REQUIRE(layout.copies() == 1);
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < each.elements; ++i)
        REQUIRE(layout.apply(inRegister(i, lane)) == each.at(lane, i));
    if (each.operand == Operand::a)
      seen.insert({each.shape.k, each.shape.bits});
  }
  CHECK(seen.size() == mmaShapes().size());
  // All shapes of 16 rows have one accumulator.
  Layout c = get(mmaFragment({16, 8, 16, 16}, Operand::c));
  for (const MmaShape &shape : mmaShapes())
    if (shape.m == 16)
      CHECK(get(mmaFragment(shape, Operand::c)) == c);
}

TEST_CASE("wgmma fragments are those of PTX") {
  for (int64_t n = 8; n <= 256; n += 8) {
    Layout d = get(wgmmaFragment(n, 16, 16, Operand::c));
    REQUIRE(d.items() == n / 2);
    REQUIRE(d.shape() == Dims{64, n});
    bool right = true;
    for (int64_t t = 0; t < 128; ++t)
      for (int64_t i = 0; i < n / 2; ++i)
        right &= d.apply(inRegister(i, t % 32, t / 32)) ==
                 Dims{16 * (t >> 5) + ((t >> 2) & 7) + 8 * ((i >> 1) & 1),
                      8 * (i >> 2) + 2 * (t & 3) + (i & 1)};
    INFO("n " << n);
    REQUIRE(right);
  }
  Layout a16 = get(wgmmaFragment(8, 16, 16, Operand::a));
  Layout a32 = get(wgmmaFragment(8, 8, 32, Operand::a));
  Layout a8 = get(wgmmaFragment(8, 32, 8, Operand::a));
  for (int64_t t = 0; t < 128; ++t) {
    int64_t row = 16 * (t >> 5) + ((t >> 2) & 7);
    for (int64_t i = 0; i < 8; ++i)
      REQUIRE(
          a16.apply(inRegister(i, t % 32, t / 32)) ==
          Dims{row + 8 * ((i >> 1) & 1), 2 * (t & 3) + (i & 1) + 8 * (i >> 2)});
    for (int64_t i = 0; i < 4; ++i)
      REQUIRE(a32.apply(inRegister(i, t % 32, t / 32)) ==
              Dims{row + 8 * (i & 1), (t & 3) + 4 * (i >> 1)});
    for (int64_t i = 0; i < 16; ++i)
      REQUIRE(a8.apply(inRegister(i, t % 32, t / 32)) ==
              Dims{row + 8 * ((i >> 2) & 1),
                   4 * (t & 3) + (i & 3) + 16 * (i >> 3)});
  }
}

/// ldmatrix as in the PTX manual: the elements of register j of lane l, from
/// matrices with their rows at `rows[8 * j + r]`.
static Dims loadedByLdmatrix(int64_t lane, int64_t element, bool transposed) {
  int64_t j = element / 2, half = element % 2;
  int64_t row = transposed ? 2 * (lane % 4) + half : lane / 4;
  int64_t column = transposed ? lane / 4 : 2 * (lane % 4) + half;
  return {8 * j + row, column};
}

TEST_CASE("ldmatrix leaves the fragments that mma takes") {
  for (int64_t count : {1, 2, 4})
    for (bool transposed : {false, true}) {
      Layout layout = get(ldmatrixFragment(count, transposed));
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t i = 0; i < 2 * count; ++i)
          REQUIRE(layout.apply(inRegister(i, lane)) ==
                  loadedByLdmatrix(lane, i, transposed));
    }
  // Rows given by lanes l at (l % 16, 8 * (l / 16)) of a 16x16 tile make A;
  // rows k = l % 16 of a 16x8 tile, transposed, make B.
  Layout x4 = get(ldmatrixFragment(4, false));
  Layout x2 = get(ldmatrixFragment(2, true));
  Layout a = get(mmaFragment({16, 8, 16, 16}, Operand::a));
  Layout b = get(mmaFragment({16, 8, 16, 16}, Operand::b));
  for (int64_t lane = 0; lane < 32; ++lane) {
    for (int64_t i = 0; i < 8; ++i) {
      Dims at = x4.apply(inRegister(i, lane));
      REQUIRE(a.apply(inRegister(i, lane)) ==
              Dims{at[0] % 16, at[0] / 16 * 8 + at[1]});
    }
    for (int64_t i = 0; i < 4; ++i)
      REQUIRE(b.apply(inRegister(i, lane)) == x2.apply(inRegister(i, lane)));
  }
}

TEST_CASE("a tile of fragments") {
  Layout c = get(mmaFragment({16, 8, 16, 16}, Operand::c));
  Layout tiled = get(tileFragment(c, Operand::c, {96, 64}, {2, 4}));
  CHECK(tiled.shape() == Dims{96, 64});
  CHECK(tiled.repeats() == Dims{3, 1});
  CHECK(tiled.items() == 24);
  CHECK(tiled.apply(inRegister(0, 0, 1)) == Dims{16, 0});
  CHECK(tiled.apply(inRegister(0, 0, 2)) == Dims{0, 8});
  // Warps along n hold copies of A, warps along m of B.
  Layout a = get(mmaFragment({16, 8, 16, 16}, Operand::a));
  Layout b = get(mmaFragment({16, 8, 16, 16}, Operand::b));
  CHECK(get(tileFragment(a, Operand::a, {96, 32}, {2, 4}))
            .redundantBits()[HardwareDim::warp] == 6);
  CHECK(get(tileFragment(b, Operand::b, {32, 64}, {2, 4}))
            .redundantBits()[HardwareDim::warp] == 1);
}

/// PTX's swizzle of a byte address.
static int64_t swizzledAddress(int64_t address, int bits) {
  return address ^ (((address >> 7) & ((1 << bits) - 1)) << 4);
}

TEST_CASE("dense memory is strided") {
  for (Dims shape : {Dims{96, 80}, Dims{7, 9}, Dims{8, 6, 4}, Dims{4, 1, 3},
                     Dims{64}, Dims{}}) {
    Layout rowMajor = get(dense(shape));
    REQUIRE(rowMajor.items() == shape.product());
    forEachCoordinate(shape, [&](const Dims &at) {
      REQUIRE(rowMajor.invert(at)[HardwareDim::offset] ==
              linearIndex(at, shape));
    });
  }
  Layout columnMajor = get(dense({12, 10}, {0, 1}));
  forEachCoordinate({12, 10}, [&](const Dims &at) {
    REQUIRE(columnMajor.invert(at)[HardwareDim::offset] == at[0] + 12 * at[1]);
  });
}

TEST_CASE("swizzled memory is where TMA puts it") {
  for (auto [mode, bits] : {std::pair(32, 1), {64, 2}, {128, 3}})
    for (int64_t size : {1, 2, 4, 8})
      for (int64_t rows : {1, 2, 4, 8, 24, 32})
        for (int64_t spans : {1, 2, 3}) {
          if (rows % 8 && spans > 1)
            continue;
          int64_t span = mode / size;
          INFO(mode << "B, " << rows << " rows of " << spans << " spans, "
                    << size << " bytes");
          Layout layout =
              get(swizzled({rows, spans * span}, 8 * size, Swizzle(mode)));
          bool right = true;
          forEachCoordinate({rows, spans * span}, [&](const Dims &at) {
            int64_t plain =
                (at[1] / span * rows + at[0]) * mode + at[1] % span * size;
            right &= layout.invert(at)[HardwareDim::offset] * size ==
                     swizzledAddress(plain, bits);
          });
          REQUIRE(right);
        }
  // Outer dimensions are rows too.
  Layout box = get(tmaBox({2, 8, 64}, 16, Swizzle::b128));
  forEachCoordinate({2, 8, 64}, [&](const Dims &at) {
    int64_t plain = (at[0] * 8 + at[1]) * 128 + at[2] * 2;
    REQUIRE(box.invert(at)[HardwareDim::offset] * 2 ==
            swizzledAddress(plain, 3));
  });
}

TEST_CASE("families reject what does not exist") {
  CHECK(mmaFragment({16, 8, 12, 16}, Operand::a).status().message() ==
        "mma: there is no m16n8k12 with elements of 16 bits");
  CHECK(wgmmaFragment(12, 16, 16, Operand::c).status().message() ==
        "wgmma: there is no m64n12k16 with elements of 16 bits; expected n of "
        "8, 16, .. 256 and k of 256 bits");
  CHECK(ldmatrixFragment(3, false).status().message() ==
        "ldmatrix: expected x1, x2 or x4, found x3");
  CHECK(tmaBox({64, 32}, 16, Swizzle::b128).status().message() ==
        "tma: expected an innermost extent of the swizzle's 128 bytes, found "
        "64");
  CHECK(swizzled({4, 128}, 16, Swizzle::b128).ok());
  CHECK(swizzled({12, 128}, 16, Swizzle::b128).status().message() ==
        "swizzle: the pattern of 1024 bytes does not divide the rows: expected "
        "a multiple of 8 rows, found shape 12x128");
  CHECK(blocked({{4, 4}, {1, 1}, {3, 8}, {1, 1}, {1, 0}}).status().message() ==
        "blocked: expected powers of two up to 1024, found lanes=3x8");
  CHECK(blocked({{4, 0}, {1, 1}, {4, 8}, {1, 1}, {1, 0}}).status().message() ==
        "blocked: expected extents of at least 1, found shape 4x0");
  CHECK(blocked({{4}, {1024}, {1024}, {1024}, {0}}).ok());
  CHECK(blocked({{4}, {1024}, {1024}, {1024}, {0}, {2}}).status().message() ==
        "blocked: expected at most 2^30 positions in all grids");
  // Tiles whose elements, padding included, are more than a layout counts.
  for (const StatusOr<Layout> &large :
       {dense({3 << 17, 1 << 12}),
        swizzled({3 << 17, 1 << 12}, 16, Swizzle::b128),
        blocked({{1 << 15, 1 << 15}, {1, 1}, {1, 1}, {1, 3}, {1, 0}}),
        blocked({{(1 << 15) - 1, 1 << 16}, {1, 1}, {1, 1}, {1, 1}, {1, 0}}),
        tileFragment(*mmaFragment({16, 8, 8, 16}, Operand::b), Operand::b,
                     {1 << 15, (1 << 16) - 8}, {31, 1})})
    CHECK(large.status().message().find(
              "expected at most 2^30 registers or offsets") !=
          std::string::npos);
  CHECK(tileFragment(*mmaFragment({16, 8, 16, 16}, Operand::c), Operand::c,
                     {int64_t(1) << 40, int64_t(1) << 40}, {1, 1})
            .status()
            .message() == "fragment: expected fewer than 2^31 elements, found "
                          "shape 1099511627776x1099511627776");
  LayoutBuilder many(Kind::registers, {0}, {1});
  many.addFree(HardwareDim::reg, 20);
  many.addFree(HardwareDim::lane, 30);
  many.addFree(HardwareDim::warp, 20);
  CHECK(many.tryBuild().status().message() ==
        "layout: 70 hardware bits and 0 bits of the cell's index; at most 64 "
        "and 62 are allowed");
  LinearMap none(1, 1);
  CHECK(Layout::create(Kind::registers, {1}, {{1, 0, 0, 0, 0}}, none, {1})
            .status()
            .message() ==
        "layout: no hardware index holds the coordinate (1) of the cell 2");
}
