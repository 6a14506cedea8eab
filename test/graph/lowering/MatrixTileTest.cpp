#include "graph/lowering/MatrixTile.h"

#include <catch2/catch.hpp>

using namespace tilewright::graph;

static MatrixTile chosen(int64_t rows, int64_t columns, int64_t depth,
                         int64_t count = 1) {
  const MatrixUnit units[] = {{108, 1024, 0}, {84, 512, 0}};
  return chooseMatrixTile({rows, columns, depth, count}, units);
}

TEST_CASE("tiles of matrix units: few programs get small tiles, many large") {
  CHECK(chosen(4096, 4096, 1024) == MatrixTile{128, 256, 64});
  // One tile would keep one of a hundred multiprocessors busy.
  CHECK(chosen(128, 128, 4096).rows < 128);
  // As many products of that size fill them.
  CHECK(chosen(128, 128, 4096, 1024) == MatrixTile{128, 128, 64});
}

TEST_CASE("tiles of matrix units: what is covered, and in what") {
  // 80 of 72; 208 of 200, not four of 64.
  CHECK(chosen(200, 72, 72, 1000).rows == 208);
  CHECK(chosen(200, 72, 72, 1000).columns == 80);
  CHECK(chosen(16, 16, 10) == MatrixTile{16, 16, 16});
  CHECK(chosen(64, 64, 72).depth == 80);
  CHECK(chosen(64, 64, 96).depth == 32);
  CHECK(chosen(64, 64, 40).depth == 48);
  // 1008 for 1024 is not worth steps of 16 or 48.
  CHECK(chosen(64, 64, 1000).depth == 64);
}

TEST_CASE("tiles of matrix units: steps of as many bytes for wider elements") {
  const MatrixUnit unit = {108, 1024, 0};
  auto tileOf = [&](MatrixSizes sizes) {
    return chooseMatrixTile(sizes, unit);
  };
  const MatrixOperands tf32 = {4, 2};
  CHECK(tileOf({4096, 4096, 1024, 1, tf32}) == MatrixTile{128, 256, 32});
  // 16 for 48, not two steps of 32.
  CHECK(tileOf({64, 64, 48, 1, tf32}).depth == 16);
  CHECK(tileOf({64, 64, 96, 1, tf32}).depth == 32);
}

TEST_CASE("cycles: wider elements, and several products for one") {
  const MatrixTile tile = {64, 64, 64};
  const MatrixUnit slow = {1, 512}, fast = {1, 65536};
  constexpr int64_t start = 2000 + 600;
  CHECK(cyclesOf(tile, {64, 64, 64, 100, {4, 6}}, slow) ==
        start + 100 * 6 * 512);
  // Shared memory, as below.
  CHECK(cyclesOf(tile, {64, 64, 64, 100, {4, 2}}, fast) ==
        start + 100 * (64 * 5 * 64 * 4 / 128));
}

TEST_CASE("cycles: multiprocessors take programs in turn") {
  const MatrixTile tile = {64, 64, 64};
  const MatrixUnit one = {1, 512}, two = {2, 512}, fast = {1, 4096};
  constexpr int64_t start = 2000 + 600;
  // 64 * 64 * 64 / 512 products.
  CHECK(cyclesOf(tile, {64, 64, 64, 100}, one) == start + 100 * 512);
  CHECK(cyclesOf(tile, {64, 64, 64, 100}, two) == start + 50 * 512);
  // Two warps of 64 x 32 read all rows twice: 64 * (2 + 1 + 2) elements of each
  // of 64 positions of the depth, 128 bytes in a cycle.
  CHECK(cyclesOf(tile, {64, 64, 64, 100}, fast) ==
        start + 100 * (64 * 5 * 64 * 2 / 128));
  // Small steps wait for memory, of which three are on their way.
  const MatrixTile small = {16, 16, 16};
  CHECK(cyclesOf(small, {16, 16, 16, 1}, one) == start + 200);
  CHECK(cyclesOf(small, {16, 16, 160, 1}, one) == start + 10 * 200);
}
