// Tiles of any extents: on GPUs repeats of a cell are dealt to warps.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const std::vector<int64_t> kShapes[] = {
    {96, 48}, {48, 80}, {80, 80}, {64, 192}, {24, 40}, {33, 65}, {3, 96, 5}};

/// The row or column with extent 1 in `dim`, made as large as `type`.
static Value spread(KernelText &k, const TileType &type, size_t dim) {
  return k.op("tile.broadcast $0 : %0 -> %r", {k.load(type.withSize(dim, 1))},
              type);
}

TEST_CASE("extents: a tile meets its rows and columns") {
  for (const char *type : {"f16", "f32", "i8"})
    for (const std::vector<int64_t> &shape : kShapes) {
      TileType whole = tile(type, shape);
      std::string add =
          std::string(type[0] == 'f' ? "arith.addf" : "arith.addi") +
          " $0, $1 : %r";
      KernelText k;
      Value sum = k.load(whole);
      for (size_t dim = 0; dim < shape.size(); ++dim)
        sum = k.op(add, {sum, spread(k, whole, dim)}, whole);
      k.store(sum);
      k.check();
    }
}

TEST_CASE("extents: a row is stored beside the tile that it is added to") {
  for (const std::vector<int64_t> &shape : kShapes)
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      TileType whole = tile("f16", shape), one = whole.withSize(dim, 1);
      KernelText k;
      Value row = k.load(one);
      Value twice = k.op("arith.addf $0, $0 : %r", {row}, one);
      k.store(twice);
      Value wide = k.op("tile.broadcast $0 : %0 -> %r", {twice}, whole);
      k.store(k.op("arith.mulf $0, $1 : %r", {k.load(whole), wide}, whole));
      k.check();
    }
}

TEST_CASE("extents: sums along each dimension, and back") {
  for (const char *type : {"f16", "f32"})
    for (const std::vector<int64_t> &shape : kShapes)
      for (size_t dim = 0; dim < shape.size(); ++dim) {
        TileType whole = tile(type, shape), one = whole.withSize(dim, 1);
        TileType less = whole;
        less.shape.erase(less.shape.begin() + int64_t(dim));
        KernelText k;
        Value x = k.load(whole);
        std::string region = " {\n^bb0(%l: " + std::string(type) +
                             ", %r0: " + type +
                             "):\n%q = arith.maximumf %l, %r0 : " + type +
                             "\ntile.yield %q : " + type + "\n} : %0 -> %r";
        Value most =
            k.op("tile.reduce $0 axis " + to_string(dim) + region, {x}, less);
        k.store(most);
        Value row = k.op("tile.reshape $0 : %0 -> %r", {most}, one);
        Value wide = k.op("tile.broadcast $0 : %0 -> %r", {row}, whole);
        k.store(k.op("arith.subf $0, $1 : %r", {x, wide}, whole));
        k.check();
      }
}

TEST_CASE("extents: a transpose, an index and a reshape") {
  for (const std::vector<int64_t> &shape : kShapes) {
    TileType whole = tile("i32", shape);
    size_t rank = shape.size();
    TileType turned = whole;
    std::string order;
    for (size_t dim = 0; dim < rank; ++dim) {
      turned.shape[dim] = shape[rank - 1 - dim];
      order += (dim ? ", " : "") + to_string(rank - 1 - dim);
    }
    for (bool isReshaped : {false, true}) {
      KernelText k;
      Value x = k.load(whole);
      Value y =
          k.op("tile.transpose $0 [" + order + "] : %0 -> %r", {x}, turned);
      k.store(k.op("arith.addi $0, $1 : %r", {y, k.load(turned)}, turned));
      if (isReshaped)
        k.store(k.op("tile.reshape $0 : %0 -> %r", {x},
                     tile("i32", {whole.count()})));
      k.check();
    }
  }
}
