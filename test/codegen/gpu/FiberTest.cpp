// Fibers in order, and layouts that have them.
#include "codegen/tilegpu/Fiber.h"
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

TEST_CASE("fiber: registers, then lanes, then warps") {
  // Rows of 16 by 2 registers, 4 lanes and 2 warps; two rows a thread.
  layout::Layout x = read("registers cell=16x16 register=(0,1),(8,0) "
                          "lane=(1,0),(0,2),(0,4),(2,0),(4,0) warp=(0,8)");
  StatusOr<Fiber> fiber = fiberAlong(x, 1);
  REQUIRE(fiber.ok());
  CHECK(fiber->registers == std::vector<std::vector<int32_t>>{{0, 2}, {1, 3}});
  CHECK(fiber->laneMask == 0b00110);
  CHECK(fiber->warpMask == 1);
  CHECK(fiber->perThread() == 2);
  CHECK(fiber->perWarp() == 8);
  // Columns: 2 registers are not neighbours.
  CHECK_FALSE(fiberAlong(x, 0).ok());
}

TEST_CASE("fiber: what is not in order") {
  auto reason = [](std::string_view text) {
    return fiberAlong(read(text), 0).status().message();
  };
  std::string expected = "expected fibers along dimension 0 that run through "
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

TEST_CASE("fiber: a register's copy is no element of its own") {
  layout::Layout x = read("registers cell=64 register=(0),(1) "
                          "lane=(2),(4),(8),(16),(32)");
  CHECK(fiberAlong(x, 0)->registers ==
        std::vector<std::vector<int32_t>>{{0}, {2}});
}

TEST_CASE("fiber: two rounds of runs in lanes") {
  layout::Layout x = read("registers cell=1x32 register=(0,1),(0,16) "
                          "lane=(0,2),(0,4),(0,8),(0,0),(0,0)");
  CHECK_FALSE(fiberAlong(x, 1).ok());
  StatusOr<Fiber> fiber = fiberAlong(x, 1, Rounds::any);
  INFO(fiber.status().message());
  REQUIRE(fiber.ok());
  CHECK(fiber->registers ==
        std::vector<std::vector<int32_t>>{{0}, {1}, {2}, {3}});
  CHECK(fiber->run == 2);
  CHECK(fiber->rounds() == 2);
  CHECK(fiber->perWarp() == 32);
  // Lanes on both sides of the rounds.
  CHECK_FALSE(fiberAlong(read("registers cell=1x32 register=(0,1),(0,8) "
                              "lane=(0,2),(0,4),(0,16),(0,0),(0,0)"),
                         1, Rounds::any)
                  .ok());
}

TEST_CASE("fiber: a layout in order for every shape") {
  for (int64_t rows : {1, 3, 8, 33, 100})
    for (int64_t columns : {1, 2, 5, 32, 77, 700})
      for (unsigned dim : {0, 1})
        for (int64_t warps : {1, 3, 4, 8, 12})
          for (int64_t run : {0, 1, 4}) {
            CAPTURE(rows, columns, dim, warps, run);
            layout::Dims shape = {rows, columns};
            layout::Layout layout = fiberLayout(shape, dim, warps, run);
            CHECK(layout.covers(shape));
            CHECK(layout.bits(layout::HardwareDim::lane) == 5);
            CHECK(layout.size(layout::HardwareDim::warp) == warps);
            StatusOr<Fiber> fiber =
                fiberAlong(layout, dim, run ? Rounds::any : Rounds::one);
            INFO(fiber.status().message());
            REQUIRE(fiber.ok());
            if (run && fiber->laneMask)
              CHECK(fiber->run <= run);
            // Warps share a fiber only where there are too few for them.
            if (fiber->warpMask)
              CHECK(shape[1 - dim] < warps);
          }
}
