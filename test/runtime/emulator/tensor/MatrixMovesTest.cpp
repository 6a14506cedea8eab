// ldmatrix, stmatrix and movmatrix.
#include "runtime/emulator/tensor/Fragments.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace tilewright::emulator;
using enum ElementType;
using enum MatrixRole;

namespace {

/// Element (row, column) of matrix `index` of four.
std::uint16_t tagged(int index, int row, int column) {
  return static_cast<std::uint16_t>(index << 8 | row << 4 | column);
}

} // namespace

TEST_CASE("ldmatrix and stmatrix") {
  for (bool transposed : {false, true}) {
    std::uint16_t memory[8][8];
    for (int row = 0; row < 8; ++row)
      for (int column = 0; column < 8; ++column)
        memory[row][column] = tagged(1, row, column);
    const void *rows[8];
    for (int row = 0; row < 8; ++row)
      rows[row] = memory[row];
    std::uint32_t lanes[32];
    rowsToLanes(rows, transposed, lanes);
    for (int lane = 0; lane < 32; ++lane) {
      int line = lane / 4, along = 2 * (lane % 4);
      std::uint32_t low =
          transposed ? tagged(1, along, line) : tagged(1, line, along);
      std::uint32_t high =
          transposed ? tagged(1, along + 1, line) : tagged(1, line, along + 1);
      CHECK(lanes[lane] == (low | high << 16));
      MatrixIndex index = matrixIndex(lane, 1, transposed);
      CHECK(tagged(1, index.row, index.column) == high);
    }
    std::uint16_t back[8][8] = {};
    void *to[8];
    for (int row = 0; row < 8; ++row)
      to[row] = back[row];
    lanesToRows(lanes, transposed, to);
    CHECK(std::memcmp(back, memory, sizeof back) == 0);
  }
}

TEST_CASE("movmatrix") {
  std::uint32_t from[32], to[32], twice[32];
  for (int lane = 0; lane < 32; ++lane)
    from[lane] = tagged(2, lane / 4, 2 * (lane % 4)) |
                 tagged(2, lane / 4, 2 * (lane % 4) + 1) << 16;
  transposeLanes(from, to);
  for (int lane = 0; lane < 32; ++lane) {
    CHECK((to[lane] & 0xffff) == tagged(2, 2 * (lane % 4), lane / 4));
    CHECK(to[lane] >> 16 == tagged(2, 2 * (lane % 4) + 1, lane / 4));
  }
  std::memcpy(twice, to, sizeof to);
  transposeLanes(twice, twice);
  CHECK(std::memcmp(twice, from, sizeof from) == 0);
}

TEST_CASE("ldmatrix makes fragments of mma") {
  // A tile of 16 x 16, by rows; lane l names row l % 16 of half l / 16.
  std::uint16_t tile[16][16];
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column)
      tile[row][column] = static_cast<std::uint16_t>(row << 4 | column);
  Fragment left = makeFragment(a, f16, 16, 16);
  for (int matrix = 0; matrix < 4; ++matrix) {
    const void *rows[8];
    for (int row = 0; row < 8; ++row) {
      int lane = rowAddressLane(matrix, row);
      rows[row] = &tile[lane % 16][lane / 16 * 8];
    }
    std::uint32_t lanes[32];
    rowsToLanes(rows, false, lanes);
    for (int lane = 0; lane < 32; ++lane)
      for (int half = 0; half < 2; ++half) {
        MatrixIndex index = left.index(lane, 2 * matrix + half);
        CHECK((lanes[lane] >> 16 * half & 0xffff) ==
              tile[index.row][index.column]);
      }
  }
  // B by rows of k: .trans; lane l names row l.
  Fragment right = makeFragment(b, f16, 16, 8);
  for (int matrix = 0; matrix < 2; ++matrix) {
    const void *rows[8];
    for (int row = 0; row < 8; ++row)
      rows[row] = tile[rowAddressLane(matrix, row)];
    std::uint32_t lanes[32];
    rowsToLanes(rows, true, lanes);
    for (int lane = 0; lane < 32; ++lane)
      for (int half = 0; half < 2; ++half) {
        MatrixIndex index = right.index(lane, 2 * matrix + half);
        CHECK((lanes[lane] >> 16 * half & 0xffff) ==
              tile[index.row][index.column]);
      }
  }
}
