// Layouts and registers of reductions within warps, computed by hand.
#include "codegen/tilegpu/WarpReduction.h"
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

TEST_CASE("warp reduction: registers and lanes meet, warps stay apart") {
  // 2 registers, 2 lanes and 2 warps share a row of 8; 16 rows by lanes.
  layout::Layout x = read("registers cell=16x8 register=(0,1) "
                          "lane=(0,2),(1,0),(2,0),(4,0),(8,0) warp=(0,4)");
  StatusOr<WarpReduction> r = warpReduction(x, 1, 8);
  REQUIRE(r.ok());
  CHECK(r->layout == read("registers cell=16x2 "
                          "lane=(0,0),(1,0),(2,0),(4,0),(8,0) warp=(0,1)"));
  CHECK(r->parts == 2);
  CHECK(r->target == std::vector<int32_t>{0, 0});
  CHECK(r->laneMasks == std::vector<unsigned>{1});
  CHECK(*gatherWarps(r->layout, 1) ==
        read("registers cell=16x2 register=(0,1) "
             "lane=(0,0),(1,0),(2,0),(4,0),(8,0) warp=(0,0)"));
}

TEST_CASE("warp reduction: parts go to lanes that held copies") {
  // Rows of 16 parts by warps, 4 rows by lanes: three lane bits are free.
  layout::Layout parts =
      read("registers cell=4x16 lane=(0,0),(1,0),(0,0),(2,0),"
           "(0,0) warp=(0,1),(0,2),(0,4),(0,8)");
  layout::Layout gathered =
      read("registers cell=4x16 register=(0,8) lane=(0,1),(1,0),(0,2),(2,0),"
           "(0,4) warp=(0,0),(0,0),(0,0),(0,0)");
  CHECK(*gatherWarpsInLanes(parts, 1) == gathered);
  StatusOr<WarpReduction> sums = warpReduction(gathered, 1, 16);
  REQUIRE(sums.ok());
  CHECK(sums->parts == 1);
  CHECK(sums->laneMasks == std::vector<unsigned>{1, 4, 16});
  // Two parts stay in registers.
  layout::Layout two =
      read("registers cell=2 lane=(0),(0),(0),(0),(0) warp=(1)");
  CHECK(*gatherWarpsInLanes(two, 0) == *gatherWarps(two, 0));
  // Without free lanes, all do.
  layout::Layout full =
      read("registers cell=32x4 lane=(1,0),(2,0),(4,0),(8,0),(16,0) "
           "warp=(0,1),(0,2)");
  CHECK(*gatherWarpsInLanes(full, 1) == *gatherWarps(full, 1));
}

TEST_CASE("warp reduction: parts of repeats that are dealt") {
  // 6 repeats of 16 along a row, for 3 warps; 32 rows by lanes.
  layout::Layout x = read("registers cell=32x16 repeats=1x6 dealt=3 "
                          "register=(0,1),(0,2),(0,4),(0,8) "
                          "lane=(1,0),(2,0),(4,0),(8,0),(16,0)");
  StatusOr<WarpReduction> r = warpReduction(x, 1, 96);
  REQUIRE(r.ok());
  CHECK(r->layout == read("registers cell=32x1 repeats=1x3 dealt=3 "
                          "lane=(1,0),(2,0),(4,0),(8,0),(16,0)"));
  CHECK(r->parts == 3);
  CHECK(r->target == std::vector<int32_t>(32, 0));
  CHECK(*gatherWarps(r->layout, 1) ==
        read("registers cell=32x4 repeat-order=copies3 dealt=3 "
             "register=(0,1),(0,2) lane=(1,0),(2,0),(4,0),(8,0),(16,0)"));
  // Along columns each warp has all.
  CHECK(warpReduction(x, 0, 32)->parts == 1);
  // Which row a register counts for must not depend on the warp.
  CHECK_FALSE(warpReduction(read("registers cell=32x16 repeats=2x5 dealt=3 "
                                 "register=(0,1),(0,2),(0,4),(0,8) "
                                 "lane=(1,0),(2,0),(4,0),(8,0),(16,0)"),
                            1, 80)
                  .ok());
}

TEST_CASE("warp reduction: warps that hold only padding are no part") {
  layout::Layout x = read("registers cell=128 lane=(1),(2),(4),(8),(16) "
                          "warp=(32),(64)");
  CHECK(warpReduction(x, 0, 128)->parts == 4);
  CHECK(warpReduction(x, 0, 65)->parts == 3);
  CHECK(warpReduction(x, 0, 64)->parts == 2);
  CHECK(warpReduction(x, 0, 1)->parts == 1);
}

TEST_CASE("warp reduction: a register's copy does not count again") {
  layout::Layout x = read("registers cell=128 register=(32),(0),(64) "
                          "lane=(1),(2),(4),(8),(16)");
  CHECK(warpReduction(x, 0, 128)->target ==
        std::vector<int32_t>{0, 0, -1, -1, 0, 0, -1, -1});
}

TEST_CASE("warp reduction: a bit that moves twice is rejected") {
  layout::Layout x = read("registers cell=64 register=(32) "
                          "lane=(33),(2),(4),(8),(16) warp=(1)");
  StatusOr<WarpReduction> r = warpReduction(x, 0, 64);
  REQUIRE_FALSE(r.ok());
  CHECK(r.status().message() ==
        "expected each lane bit to move along one bit of a "
        "coordinate; convert the layout first");
}
