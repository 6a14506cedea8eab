// Lines in order, and layouts that have them.
#include "codegen/gpu/Line.h"
#include "codegen/layout/Text.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::tilegpu;

static layout::Layout read(std::string_view text) {
  StatusOr<layout::Layout> layout = layout::parse(text);
  INFO(layout.status().message());
  REQUIRE(layout.ok());
  return *layout;
}

TEST_CASE("line: registers, then lanes, then warps") {
  // Rows of 16 by 2 registers, 4 lanes and 2 warps; two rows a thread.
  layout::Layout x = read("registers cell=16x16 register=(0,1),(8,0) "
                          "lane=(1,0),(0,2),(0,4),(2,0),(4,0) warp=(0,8)");
  StatusOr<Line> line = lineAlong(x, 1);
  REQUIRE(line.ok());
  CHECK(line->registers == std::vector<std::vector<int32_t>>{{0, 2}, {1, 3}});
  CHECK(line->laneMask == 0b00110);
  CHECK(line->warpMask == 1);
  CHECK(line->perThread() == 2);
  CHECK(line->perWarp() == 8);
  // Columns: 2 registers are not neighbours.
  CHECK_FALSE(lineAlong(x, 0).ok());
}

TEST_CASE("line: what is not in order") {
  auto reason = [](std::string_view text) {
    return lineAlong(read(text), 0).status().message();
  };
  std::string expected = "expected lines along dimension 0 that run through "
                         "registers, lanes and warps in order; ";
  CHECK(reason("registers cell=32 repeats=3 lane=(1),(2),(4),(8),(16)") ==
        expected + "found 3 repeats");
  CHECK(reason("registers cell=64 register=(32) lane=(1),(2),(4),(8),(16)") ==
        expected + "found registers that are not neighbours");
  CHECK(reason("registers cell=32 lane=(1),(2),(4),(16),(8)") ==
        expected + "found another order of lanes");
  CHECK(reason("registers cell=64 lane=(2),(4),(8),(16),(32) warp=(1)") ==
        expected + "found another order of lanes");
  CHECK(reason("registers cell=32 lane=(1),(2),(4),(8),(17)") ==
        expected + "found another order of lanes");
}

TEST_CASE("line: a register's copy is no element of its own") {
  layout::Layout x = read("registers cell=64 register=(0),(1) "
                          "lane=(2),(4),(8),(16),(32)");
  CHECK(lineAlong(x, 0)->registers ==
        std::vector<std::vector<int32_t>>{{0}, {2}});
}

TEST_CASE("line: a layout in order for every shape") {
  for (int64_t rows : {1, 3, 8, 33, 100})
    for (int64_t columns : {1, 2, 5, 32, 77, 700})
      for (unsigned dim : {0, 1})
        for (unsigned warpBits : {0, 2, 3}) {
          CAPTURE(rows, columns, dim, warpBits);
          layout::Dims shape = {rows, columns};
          layout::Layout layout = lineLayout(shape, dim, warpBits);
          CHECK(layout.covers(shape));
          CHECK(layout.bits(layout::Axis::lane) == 5);
          CHECK(layout.bits(layout::Axis::warp) == warpBits);
          StatusOr<Line> line = lineAlong(layout, dim);
          INFO(line.status().message());
          REQUIRE(line.ok());
          // Warps share a line only where there are too few for them.
          if (line->warpMask)
            CHECK(shape[1 - dim] < int64_t(1) << warpBits);
        }
}
