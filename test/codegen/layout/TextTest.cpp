#include "codegen/layout/Text.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Transforms.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::layout;
using namespace tilewright::layout::test;

TEST_CASE("what is printed parses to the same layout") {
  std::vector<Named> all = registerLayouts();
  for (Named &each : memoryLayouts())
    all.push_back(each);
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    Dims cellBits = {int64_t(random() % 3), int64_t(random() % 3),
                     int64_t(random() % 3)};
    Dims repeats = {int64_t(1 + random() % 3), int64_t(1 + random() % 3),
                    int64_t(1 + random() % 3)};
    Layout layout = randomRegisters(random, cellBits, repeats, 2, 1);
    all.push_back({"random", permute(layout, {2, 0, 1})});
  }
  for (const Named &each : all) {
    StatusOr<Layout> again = parse(print(each.layout));
    INFO(each.name << "\n"
                   << print(each.layout) << "\n"
                   << again.status().message());
    REQUIRE(again.ok());
    REQUIRE(*again == each.layout);
  }
}

TEST_CASE("the text of a layout") {
  CHECK(print(Layout()) == "registers cell=scalar");
  CHECK(print(*mmaFragment({16, 8, 16, 16}, Operand::a)) ==
        "registers cell=16x16 register=(0,1),(8,0),(0,8) "
        "lane=(0,2),(0,4),(1,0),(2,0),(4,0)");
  CHECK(print(*dense({6, 4}, {0, 1})) ==
        "memory cell=2x1 repeats=3x4 repeat-order=1,0 offset=(1,0)");
}

TEST_CASE("families are parsed by name") {
  auto is = [](const std::string &text, const StatusOr<Layout> &wanted) {
    StatusOr<Layout> found = parse(text);
    INFO(text << ": " << found.status().message());
    REQUIRE(found.ok());
    CHECK(*found == *wanted);
  };
  is("blocked shape=128x64 per-thread=1x8 lanes=4x8 warps=4x1 order=1,0",
     blocked({{128, 64}, {1, 8}, {4, 8}, {4, 1}, {1, 0}}));
  is("coalesced shape=96x80 bf16 warps=8",
     coalesced({{96, 80}, 16, 8, {}, 128}));
  is("accumulator shape=96x80 warps=2", accumulator({96, 80}, 2));
  is("mma.m16n8k32.b f8E4M3FN", mmaFragment({16, 8, 32, 8}, Operand::b));
  is("mma.m16n8k16.a f16 shape=64x32 warps=2x2",
     tileFragment(*mmaFragment({16, 8, 16, 16}, Operand::a), Operand::a,
                  {64, 32}, {2, 2}));
  is("wgmma.m64n96k16.d bf16", wgmmaFragment(96, 16, 16, Operand::c));
  is("ldmatrix.x2.trans", ldmatrixFragment(2, true));
  is("row-major 96x80", dense({96, 80}));
  is("column-major 12x10", dense({12, 10}, {0, 1}));
  is("dense 4x6x8 order=0,2,1", dense({4, 6, 8}, {0, 2, 1}));
  is("swizzle 128B 64x64 bf16", swizzled({64, 64}, 16, Swizzle::b128));
  is("tma 96x64 f16 swizzle=128B", tmaBox({96, 64}, 16, Swizzle::b128));
  // In no time, however many registers there are.
  is("slice dim=1 of registers cell=2x1 repeats=1x1073741824 lane=(1,0)",
     parse("registers cell=2 lane=(1)"));
  Layout row = *blocked({{8, 64}, {1, 2}, {1, 32}, {1, 1}, {1, 0}});
  is("slice dim=0 of blocked shape=8x64 per-thread=1x2 lanes=1x32",
     slice(row, 0)->layout);
  is("transpose of blocked shape=8x64 per-thread=1x2 lanes=1x32",
     permute(row, {1, 0}));
}

TEST_CASE("wrong texts are rejected with the column, expected and found") {
  auto rejected = [](const std::string &text) {
    return parse(text).status().message();
  };
  CHECK(rejected("blokced shape=4") ==
        "layout 'blokced shape=4', column 1: expected one of blocked, "
        "coalesced, accumulator, mma.*, wgmma.*, ldmatrix.x*, row-major, "
        "column-major, "
        "dense, swizzle, tma, slice, transpose, registers, memory, found "
        "'blokced'");
  CHECK(rejected("blocked shape=128y64 lanes=4x8") ==
        "layout 'blocked shape=128y64 lanes=4x8', column 18: expected shape= "
        "and a shape such as 128x64, found 'y64'");
  CHECK(rejected("blocked shape=128x64") ==
        "layout 'blocked shape=128x64', column 21: expected lanes= and a shape "
        "such as 128x64, found the end");
  CHECK(rejected("blocked shape=64 lanes=32 colour=1") ==
        "layout 'blocked shape=64 lanes=32 colour=1', column 27: expected no "
        "more parameters, found 'colour=1'");
  CHECK(rejected("mma.m16n8.a f16") ==
        "layout 'mma.m16n8.a f16', column 1: expected mma.mMnNkK and .a, .b, "
        ".c or .d, found 'mma.m16n8.a'");
  CHECK(rejected("mma.m16n8k16.a f17") ==
        "layout 'mma.m16n8k16.a f17', column 16: expected an element type such "
        "as f32, bf16, f8E4M3FN or i8, found 'f17'");
  CHECK(rejected("swizzle 96B 64x64 bf16") ==
        "layout 'swizzle 96B 64x64 bf16', column 9: expected 32B, 64B, 128B or "
        "none, found '96B'");
  CHECK(rejected("registers cell=4 register=(1),(2,3)") ==
        "layout 'registers cell=4 register=(1),(2,3)', column 31: expected "
        "columns of 1 coordinates, such as (0,1),(0,2), found '(2,3)'");
  CHECK(rejected("slice dim=4294967296 of row-major 4") ==
        "layout 'slice dim=4294967296 of row-major 4': slice: collapse: "
        "expected a dimension below 1, found 16");
  CHECK(rejected("registers cell=4 lane=(1)") ==
        "layout 'registers cell=4 lane=(1)': layout: no hardware index holds "
        "the coordinate (2) of the cell 4");
  CHECK(rejected("") == "layout '', column 1: expected the name of a family, "
                        "found the end");
}

TEST_CASE("no text makes the parser fail other than by rejecting") {
  std::mt19937 random(23);
  std::string pieces[] = {"blocked",
                          "registers",
                          "memory",
                          "shape=",
                          "cell=",
                          "lane=",
                          "(1,0)",
                          ",",
                          "x",
                          "64",
                          " ",
                          "=",
                          "of",
                          "slice",
                          "dim=1",
                          "tma",
                          "bf16",
                          "128B",
                          "swizzle",
                          "4294967296",
                          "99999999999999999999",
                          "-1",
                          "(",
                          ")",
                          "mma.",
                          "m16n8k16",
                          ".a",
                          "register=",
                          "offset=",
                          "repeats=",
                          "repeat-order=",
                          "warps=",
                          "0",
                          "transpose",
                          "wgmma.m64n8k16.d",
                          "ldmatrix.x4",
                          "dense",
                          "block="};
  size_t accepted = 0;
  for (int i = 0; i < 60000; ++i) {
    std::string text;
    for (int j = random() % 12; j >= 0; --j)
      text += pieces[random() % std::size(pieces)] + (random() % 2 ? " " : "");
    StatusOr<Layout> layout = parse(text);
    accepted += layout.ok();
    if (layout.ok() && !(*parse(print(*layout)) == *layout))
      FAIL(text);
    if (!layout.ok() && layout.status().message().empty())
      FAIL(text);
  }
  CHECK(accepted > 0);
  CHECK(parse("row-major 2x2" + std::string(5000, ' ')).status().message() ==
        "layout: text of 5013 characters; at most 4096 are allowed");
}
