// Nests of the ops that move elements: each result feeds the next.
#include "KernelText.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::kerneltest;
using std::to_string;

static const Input kAny = {.anyBits = true};

static Value transpose(KernelText &k, const Value &x,
                       std::vector<int64_t> permutation) {
  TileType type = x.type;
  for (size_t d = 0; d < permutation.size(); ++d)
    type.shape[d] = x.type.shape[permutation[d]];
  return k.op("tile.transpose $0 " + numbers(permutation) + " : %0 -> %r", {x},
              type);
}

static Value reshape(KernelText &k, const Value &x,
                     std::vector<int64_t> shape) {
  return k.op("tile.reshape $0 : %0 -> %r", {x},
              tile(x.type.element, std::move(shape)));
}

TEST_CASE("shape nests: a transpose of a concatenation of slices") {
  for (const char *type : {"i1", "i4", "i8", "bf16", "f32", "f64"}) {
    KernelText k;
    Value a = k.load(tile(type, {4, 18}), kAny);
    Value odd = k.op("tile.slice $0 [0, 1] step [1, 2] : %0 -> %r", {a},
                     tile(type, {4, 9}));
    Value even = k.op("tile.slice $0 [0, 0] step [1, 2] : %0 -> %r", {a},
                      tile(type, {4, 9}));
    Value c =
        k.op("tile.concat $0, $1 axis 1 : %0, %1 -> %r", {odd, even}, a.type);
    Value t = transpose(k, c, {1, 0});
    k.store(t);
    k.store(reshape(k, t, {6, 12}));
    k.check();
  }
}

TEST_CASE("shape nests: joined halves interleave") {
  for (const char *type : {"i1", "i8", "f16", "f32"}) {
    KernelText k;
    Value a = k.load(tile(type, {3, 10}), kAny);
    Value low =
        k.op("tile.slice $0 [0, 0] : %0 -> %r", {a}, tile(type, {3, 5}));
    Value high =
        k.op("tile.slice $0 [0, 5] : %0 -> %r", {a}, tile(type, {3, 5}));
    Value j = k.op("tile.join $0, $1 : %0, %1 -> %r", {low, high},
                   tile(type, {3, 5, 2}));
    Value flat = reshape(k, j, {3, 10});
    k.store(flat);
    std::vector<Value> parts =
        k.ops("tile.split $0 : %0 -> %r, %r", {reshape(k, flat, {3, 5, 2})},
              {tile(type, {3, 5}), tile(type, {3, 5})});
    k.store(transpose(k, parts[1], {1, 0}));
    k.store(parts[0]);
    k.check();
  }
}

TEST_CASE("shape nests: a gather of a broadcast of a gather") {
  KernelText k;
  Value a = k.load(tile("f32", {7, 5}));
  Value i = k.load(tile("i32", {1, 5}), {.low = 0, .high = 7});
  Value g = k.op("tile.gather $0, $1 axis 0 : %0, %1 -> %r", {a, i},
                 tile("f32", {1, 5}));
  Value b = k.op("tile.broadcast $0 : %0 -> %r", {g}, tile("f32", {9, 5}));
  Value n = k.load(tile("i8", {9, 20}), {.low = 0, .high = 5});
  Value h = k.op("tile.gather $0, $1 axis 1 : %0, %1 -> %r", {b, n},
                 tile("f32", {9, 20}));
  k.store(transpose(k, h, {1, 0}));
  k.store(reshape(k, h, {4, 45}));
  k.check();
}

namespace {
/// Makes random nests: one op a step, on the newest tile or an older one.
struct Nest {
  Nest(const std::string &element, uint64_t seed) : random(seed) {
    tiles.push_back(k.load(tile(element, {pick(1, 5), pick(1, 20)}), kAny));
  }
  int64_t pick(int64_t low, int64_t high) {
    return low + random() % (high - low + 1);
  }
  void step();
  void slice(const Value &x);
  void gather(const Value &x);
  void refold(const Value &x);
  void widen(const Value &x);

  std::mt19937_64 random;
  KernelText k;
  std::vector<Value> tiles;
};
} // namespace

void Nest::slice(const Value &x) {
  std::vector<int64_t> offsets, steps;
  TileType type = x.type;
  for (int64_t &size : type.shape) {
    offsets.push_back(pick(0, (size - 1) / 2));
    steps.push_back(pick(1, 3));
    size = (size - offsets.back() + steps.back() - 1) / steps.back();
  }
  tiles.push_back(k.op("tile.slice $0 " + numbers(offsets) + " step " +
                           numbers(steps) + " : %0 -> %r",
                       {x}, type));
}

void Nest::gather(const Value &x) {
  if (x.type.shape.empty())
    return;
  int64_t axis = pick(0, x.type.shape.size() - 1), size = x.type.shape[axis];
  TileType type = x.type.withSize(axis, pick(1, 9));
  Value i = k.load(type.of("i16"), {.low = 0, .high = double(size)});
  tiles.push_back(
      k.op("tile.gather $0, $1 axis " + to_string(axis) + " : %0, %1 -> %r",
           {x, i}, type));
}

/// A reshape to two dimensions, or to one.
void Nest::refold(const Value &x) {
  int64_t count = x.type.count(), rows = pick(1, 12);
  tiles.push_back(count % rows == 0 ? reshape(k, x, {rows, count / rows})
                                    : reshape(k, x, {count}));
}

void Nest::widen(const Value &x) {
  int64_t axis = pick(0, x.type.shape.size());
  TileType type = x.type;
  type.shape.insert(type.shape.begin() + axis, 1);
  Value r = reshape(k, x, type.shape);
  tiles.push_back(k.op("tile.broadcast $0 : %0 -> %r", {r},
                       type.withSize(axis, pick(1, 4))));
}

void Nest::step() {
  Value x = tiles[pick(0, 2) ? tiles.size() - 1 : pick(0, tiles.size() - 1)];
  size_t rank = x.type.shape.size();
  if (x.type.count() > 600 || rank > 3)
    return slice(reshape(k, x, {x.type.count()}));
  switch (pick(0, 6)) {
  case 0:
    return slice(x);
  case 1:
    return gather(x);
  case 2:
    return refold(x);
  case 3:
    return widen(x);
  case 4: {
    std::vector<int64_t> permutation(rank);
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), random);
    tiles.push_back(transpose(k, x, permutation));
    return;
  }
  case 5: {
    TileType type = x.type;
    type.shape.push_back(2);
    tiles.push_back(k.op("tile.join $0, $0 : %0, %0 -> %r", {x}, type));
    return;
  }
  default: {
    if (rank == 0)
      return;
    int64_t axis = pick(0, rank - 1);
    tiles.push_back(
        k.op("tile.concat $0, $0 axis " + to_string(axis) + " : %0, %0 -> %r",
             {x}, x.type.withSize(axis, 2 * x.type.shape[axis])));
  }
  }
}

TEST_CASE("shape nests: random ones") {
  const char *types[] = {"i1", "i4", "i8", "bf16", "i32", "f32", "i64", "f64"};
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Nest nest(types[seed % 8], seed);
    for (int i = 0; i < 9; ++i)
      nest.step();
    nest.k.store(nest.tiles.back());
    nest.k.store(nest.tiles[nest.tiles.size() / 2]);
    INFO("seed " << seed);
    nest.k.check();
  }
}
