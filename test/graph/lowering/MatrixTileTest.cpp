#include "graph/lowering/MatrixTile.h"

#include <catch2/catch.hpp>

using namespace tilewright::graph;

static MatrixTile chosen(int64_t rows, int64_t columns, int64_t depth,
                         int64_t count = 1) {
  const MatrixUnit units[] = {{108, 1024}, {84, 512}};
  return chooseMatrixTile({rows, columns, depth, count}, units);
}

TEST_CASE("tiles of matrix units: few programs get small tiles, many large") {
  CHECK(chosen(4096, 4096, 1024) == MatrixTile{128, 128, 32});
  // One tile would keep one of a hundred multiprocessors busy.
  CHECK(chosen(128, 128, 4096).rows < 128);
  // As many products of that size fill them.
  CHECK(chosen(128, 128, 4096, 1024) == MatrixTile{128, 128, 32});
}

TEST_CASE("tiles of matrix units: what is covered, and in what") {
  // 80 of 72; two of 112 of 200, not four of 64.
  CHECK(chosen(200, 72, 72, 1000).rows == 112);
  CHECK(chosen(200, 72, 72, 1000).columns == 80);
  CHECK(chosen(16, 16, 10) == MatrixTile{16, 16, 16});
  CHECK(chosen(64, 64, 72).depth == 80);
  CHECK(chosen(64, 64, 96).depth == 32);
}

TEST_CASE("cycles: multiprocessors take programs in turn") {
  const MatrixTile tile = {64, 64, 32};
  const MatrixUnit one = {1, 1024}, two = {2, 1024};
  // 64 * 64 * 32 / 1024 = 128, and 128 * 32 * 2 / 64 to read.
  CHECK(cyclesOf(tile, {64, 64, 32, 100}, one) == 600 + 100 * 128);
  CHECK(cyclesOf(tile, {64, 64, 32, 100}, two) == 600 + 50 * 128);
  // Few wait for memory, of which three steps are on their way.
  CHECK(cyclesOf(tile, {64, 64, 32, 1}, one) == 600 + 200);
  CHECK(cyclesOf(tile, {64, 64, 320, 1}, one) == 600 + 10 * 200);
}
