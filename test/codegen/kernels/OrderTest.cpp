// Accesses of tiles with an order, and fences, with each scope.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;

static const char *const kScopes[] = {"program", "cluster", "device", "system"};

TEST_CASE("orders: loads and stores of tiles") {
  for (std::string type : {"i8", "i16", "i32", "i64", "f16", "f32", "f64"})
    for (std::string scope : kScopes)
      for (int64_t size : {1, 40}) {
        KernelText k;
        TileType t = tile(type, {size});
        Value p = k.argument("!tile.ptr<" + type + ">", {.dims = {2 * size}});
        Value i = k.op("tile.iota : %r", {}, t.of("i32"));
        Value at = k.op("tile.offset $0, $1 : %0, %1", {p, i},
                        t.of("!tile.ptr<" + type + ">"));
        Value m = k.load(t.of("i1")), other = k.load(t);
        Value x = k.op("tile.load_ptr $0 relaxed " + scope + " : %0", {at}, t);
        Value y =
            k.op("tile.load_ptr $0 mask $1 other $2 acquire " + scope + " : %0",
                 {at, m, other}, t);
        k.store(x);
        k.store(y);
        Value n = k.constant(std::to_string(size), scalar("i32"));
        Value to =
            k.op("tile.offset $0, $1 : %0, %1",
                 {at, k.op("tile.splat $0 : %0 -> %r", {n}, i.type)}, at.type);
        k.effect("tile.store_ptr $0, $1 relaxed " + scope + " : %1", {x, to});
        k.effect("tile.store_ptr $0, $1 mask $2 release " + scope + " : %1",
                 {y, to, m});
        k.store(k.op("tile.load_ptr $0 : %0", {to}, t));
        k.check();
      }
}

TEST_CASE("orders: fences") {
  for (std::string scope : kScopes)
    for (std::string order : {"acquire", "release", "acq_rel", "seq_cst"}) {
      KernelText k;
      Value x = k.load(tile("i32", {70}));
      k.line("tile.fence " + order + " " + scope);
      k.store(x);
      k.check();
    }
}
