// Cache lines that tiles touch, counted by hand.
#include "autotune/cost/Traffic.h"
#include <catch2/catch.hpp>

using namespace tilewright::autotune;

/// f32 tiles of a row-major view, the first at 0; variable i moves them by
/// moves[i] elements along dimension i.
static Access tilesOf(std::vector<int64_t> dims, std::vector<int64_t> tile,
                      std::vector<int64_t> moves) {
  Access access;
  access.argument = 0;
  access.executions = 1;
  access.elementBytes = 4;
  access.steps.assign(tile.size(), 1);
  access.strides.assign(dims.size(), 1);
  for (size_t dim = dims.size() - 1; dim > 0; --dim)
    access.strides[dim - 1] = access.strides[dim] * dims[dim];
  for (int dim = 0; dim < int(dims.size()); ++dim) {
    LinearIndex offset;
    offset.isExact = true;
    if (moves[size_t(dim)] != 0) {
      offset.strides = {{dim, moves[size_t(dim)]}};
      offset.variables = {dim};
    }
    access.offsets.push_back(std::move(offset));
  }
  access.dims = std::move(dims);
  access.tile = std::move(tile);
  return access;
}

TEST_CASE("rows that begin with a line are whole lines") {
  Access access = tilesOf({100, 64}, {8, 16}, {8, 16});
  CHECK(access.isAligned(64));
  CHECK(access.tileBytes() == 8 * 16 * 4);
  CHECK(access.tileBytes(64) == 8 * 64);
  access = tilesOf({100, 64}, {8, 20}, {8, 32});
  CHECK(access.tileBytes(64) == 8 * 128);
}

TEST_CASE("rows that begin anywhere touch a line more, or nearly") {
  // 100 bytes from row to row: one of 16 positions in a line is its start.
  Access access = tilesOf({100, 25}, {8, 16}, {8, 0});
  CHECK_FALSE(access.isAligned(64));
  // Gaps of 36 bytes hold no line, so the rows are one run of 7 * 100 + 64.
  CHECK(access.tileBytes(64) == Approx(7 * 100 + 64 + 60));
  access = tilesOf({100, 57}, {8, 16}, {8, 16});
  CHECK(access.tileBytes(64) == Approx(8 * (64 + 60)));
  // The first row of each tile begins with a line, the others do not.
  access = tilesOf({100, 57}, {8, 16}, {0, 16});
  CHECK(access.tileBytes(64) == Approx(8 * (64 + 60)));
  // A tile that begins in the middle of a line, of aligned rows.
  access = tilesOf({100, 64}, {8, 16}, {8, 8});
  CHECK(access.tileBytes(64) == Approx(8 * (64 + 60)));
}

TEST_CASE("elements apart bring the lines between them") {
  // One point of a 3 x 3 window of 256 x 64 weights: each line of all.
  Access access = tilesOf({256, 64, 3, 3}, {256, 64, 1, 1}, {0, 0, 1, 1});
  CHECK(access.tileBytes() == 256 * 64 * 4);
  CHECK(access.tileBytes(64) == Approx(256 * 64 * 9 * 4).epsilon(0.001));
  // All nine points bring no more.
  std::vector<Variable> variables(4);
  variables[2].trips = variables[3].trips = 3;
  CHECK(access.footprint(variables, {false, false, true, true}, 64) ==
        256 * 64 * 9 * 4);
  // A column: a line for each element.
  access = tilesOf({128, 1000}, {128, 1}, {0, 1});
  CHECK(access.tileBytes(64) == 128 * 64);
}

TEST_CASE("steps leave elements out, and the lines that hold none") {
  Access access = tilesOf({4, 4096}, {1, 64}, {0, 0});
  access.steps = {1, 2};
  CHECK(access.tileBytes() == 64 * 4);
  CHECK(access.tileBytes(64) == 2 * 64 * 4);
  access.steps = {1, 32};
  CHECK(access.tileBytes(64) == 64 * 64);
}

TEST_CASE("neighbours share the lines at their edges") {
  // Four tiles of 14 columns cover rows of 56.
  Access access = tilesOf({28, 56}, {28, 14}, {0, 14});
  std::vector<Variable> variables(2);
  variables[1].trips = 4;
  CHECK(access.footprint(variables, {false, true}) == 28 * 56 * 4);
  CHECK(access.footprint(variables, {false, true}, 64) == 28 * 56 * 4);
  // Gaps of 168 bytes have whole lines: each row of a tile counts separately.
  CHECK(access.tileBytes(64) == Approx(28 * (56 + 60)));
}
