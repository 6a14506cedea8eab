#include "codegen/layout/Draw.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>

using namespace tilewright::layout;
using namespace tilewright::layout::test;

TEST_CASE("a table names the owner of each coordinate") {
  CHECK(drawTable(parsed("registers cell=2x4 register=(0,1) lane=(0,2),(1,0) "
                         "warp=(0,0)")) ==
        "warp.lane:register that owns each element\n"
        "       0      1      2      3\n"
        "0  0.0:0  0.0:1  0.1:0  0.1:1\n"
        "1  0.2:0  0.2:1  0.3:0  0.3:1\n");
  CHECK(drawTable(parsed("row-major 2x3")) == "offset of each element\n"
                                              "   0  1  2\n"
                                              "0  0  1  2\n"
                                              "1  3  4  5\n");
  CHECK(drawTable(Layout()) == "lane:register that owns each element\n"
                               "     0\n"
                               "0  0:0\n");
  DrawOptions options;
  options.shape = {2, 3, 5};
  options.maxColumns = 2;
  CHECK(drawTable(parsed("row-major 2x3x6"), options) ==
        "offset of each element\n"
        "[0, :, :]\n"
        "    0   1\n"
        "0   0   1\n"
        "1   6   7\n"
        "2  12  13\n"
        "shown: 3 of 3 rows, 2 of 5 columns\n"
        "[1, :, :]\n"
        "    0   1\n"
        "0  18  19\n"
        "1  24  25\n"
        "2  30  31\n"
        "shown: 3 of 3 rows, 2 of 5 columns\n");
}

TEST_CASE("a description says what holds the tile") {
  CHECK(describe(parsed("blocked shape=8x8 per-thread=1x4 lanes=8x4")) ==
        "registers cell=8x8 register=(0,1),(0,2) "
        "lane=(0,4),(0,0),(1,0),(2,0),(4,0)\n"
        "  covers 8x8: a cell of 8x8\n"
        "  4 registers in each of 32 lanes, 1 warp\n"
        "  2 copies of each element; owners have zeros in lane bit 1\n"
        "  up to 4 elements at once along dimension 1\n");
  CHECK(describe(parsed("row-major 96x80")) ==
        "memory cell=1x16 repeats=96x5 offset=(0,1),(0,2),(0,4),(0,8)\n"
        "  covers 96x80: a cell of 1x16, repeated 96x5\n"
        "  7680 elements\n");
}

TEST_CASE("a picture holds a rectangle and a text for each element") {
  for (const char *text : {"mma.m16n8k16.a f16", "swizzle 128B 8x64 bf16",
                           "blocked shape=7x9 lanes=4x8 warps=2x1"}) {
    Layout layout = parsed(text);
    std::string svg = drawSvg(layout);
    auto count = [&](const std::string &word) {
      size_t times = 0;
      for (size_t at = svg.find(word); at != svg.npos;
           at = svg.find(word, at + 1))
        ++times;
      return times;
    };
    size_t elements = size_t(layout.shape().product());
    INFO(text);
    CHECK(count("<rect") == elements + 1); // And the background.
    CHECK(count("<text") == count("</text>"));
    CHECK(count("<text") >=
          elements * (layout.kind() == Kind::registers ? 2 : 1));
    CHECK(svg.starts_with("<svg "));
    CHECK(svg.ends_with("</svg>\n"));
  }
}
