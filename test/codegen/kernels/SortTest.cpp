// tile.sort, tile.top_k.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const char *const kKeys[] = {
    "i1",   "i4",  "i8",  "i16",      "i32",    "i64",      "index",    "f16",
    "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"};
static const std::vector<int64_t> kShapes[] = {
    {1},    {2},    {3},     {7},     {33},     {96},
    {1, 5}, {7, 1}, {3, 33}, {33, 5}, {2, 7, 3}};

/// `0, 1, 2, ..` along the axis: shows where each element came from.
static Value indices(KernelText &k, const std::vector<int64_t> &shape,
                     int axis) {
  std::vector<int64_t> ones(shape.size(), 1);
  ones[axis] = shape[axis];
  Value line = k.op("tile.iota : %r", {}, tile("i32", {shape[axis]}));
  Value r = k.op("tile.reshape $0 : %0 -> %r", {line}, tile("i32", ones));
  return k.op("tile.broadcast $0 : %0 -> %r", {r}, tile("i32", shape));
}

/// The orders that go with keys of a type.
static std::vector<std::string> orders(const std::string &type,
                                       const std::string &other) {
  std::vector<std::string> all = {"", " " + other};
  if (!isFloat(type))
    for (int i : {0, 1})
      all.push_back(all[i] + " unsigned");
  return all;
}

/// Each shape once for a type; the axis and the order change from one to the
/// next, so that the types together see all of them.
static void sortAll(const std::string &type, const Input &input) {
  size_t turn = type.size() + widthOf(type);
  std::vector<std::string> all = orders(type, "descending");
  for (const std::vector<int64_t> &shape : kShapes) {
    size_t axis = ++turn % shape.size();
    std::string at = " axis " + to_string(axis) + all[turn % all.size()];
    KernelText k;
    Value x = k.load(tile(type, shape), input);
    Value other = k.load(tile("f64", shape)), i = indices(k, shape, axis);
    for (const Value &v : k.ops("tile.sort $0, $1, $2" + at + " : %0, %1, %2",
                                {x, i, other}, {x.type, i.type, other.type}))
      k.store(v);
    k.checkOneIn(3);
  }
}

TEST_CASE("sort: one input, each axis and order") {
  for (std::string type : {"i8", "f32"})
    for (const std::vector<int64_t> &shape : {kShapes[4], kShapes[9]})
      for (size_t axis = 0; axis < shape.size(); ++axis)
        for (const std::string &order : orders(type, "descending")) {
          KernelText k;
          Value x = k.load(tile(type, shape));
          k.store(k.op("tile.sort $0 axis " + to_string(axis) + order + " : %0",
                       {x}, x.type));
          k.check();
        }
}

TEST_CASE("sort: few different keys keep their order") {
  for (const char *type : kKeys)
    sortAll(type, isFloat(type) ? Input{.values = {1, 2, 0.5, 1, 2, 4, 0.5}}
                                : Input{.values = {1, 0, 1, 3, -1, 0, 2}});
}

TEST_CASE("sort: any keys") {
  for (const char *type : kKeys)
    sortAll(type, {.anyBits = true});
}

TEST_CASE("sort: zeros, infinities and NaN") {
  for (const char *type : {"f16", "bf16", "f32", "f64"})
    sortAll(type, {.values = {0, -0.0, NAN, INFINITY, -1, -0.0, -NAN, 0,
                              -INFINITY, 1}});
}

static void topAll(const std::string &type, const Input &input) {
  size_t turn = type.size() + widthOf(type);
  std::vector<std::string> all = orders(type, "smallest");
  for (const std::vector<int64_t> &shape : kShapes) {
    size_t axis = ++turn % shape.size();
    int64_t size = shape[axis];
    int64_t counts[] = {1, (size + 1) / 2, size};
    KernelText k;
    Value x = k.load(tile(type, shape), input);
    TileType values = x.type.withSize(axis, counts[turn % 3]);
    TileType indices = values.of(turn % 2 ? "i64" : "i32");
    for (const Value &v :
         k.ops("tile.top_k $0 axis " + to_string(axis) +
                   all[turn % all.size()] + " : %0 -> %r, " + indices.str(),
               {x}, {values, indices}))
      k.store(v);
    k.checkOneIn(3);
  }
}

TEST_CASE("top_k: equal elements come in order") {
  for (const char *type : kKeys)
    topAll(type, isFloat(type) ? Input{.values = {1, 2, 0.5, 1, 2, 4, 0.5}}
                               : Input{.values = {1, 0, 1, 3, -1, 0, 2}});
}

TEST_CASE("top_k: any elements") {
  for (const char *type : kKeys)
    topAll(type, {.anyBits = true});
}

TEST_CASE("top_k: indices of other types, and only one result used") {
  for (const char *index : {"i8", "i16", "i32", "i64", "index"}) {
    KernelText k;
    Value x = k.load(tile("f32", {5, 40}));
    std::vector<Value> results =
        k.ops("tile.top_k $0 axis 1 : %0 -> %r, tensor<5x6x" +
                  std::string(index) + ">",
              {x}, {tile("f32", {5, 6}), tile(index, {5, 6})});
    k.store(results[1]);
    k.check();
  }
}

TEST_CASE("sort: of a computed tile, and its results are used again") {
  KernelText k;
  Value x = k.load(tile("f32", {6, 35}));
  Value n = k.op("arith.negf $0 : %r", {x}, x.type);
  std::vector<Value> sorted =
      k.ops("tile.sort $0, $1 axis 1 : %0, %1", {n, indices(k, {6, 35}, 1)},
            {x.type, tile("i32", {6, 35})});
  Value again =
      k.op("tile.gather $0, $1 axis 1 : %0, %1 -> %r", {x, sorted[1]}, x.type);
  k.store(k.op("arith.addf $0, $1 : %r", {again, sorted[0]}, x.type));
  Value t = k.op("tile.transpose $0 [1, 0] : %0 -> %r", {sorted[0]},
                 tile("f32", {35, 6}));
  k.store(k.op("tile.sort $0 axis 1 descending : %0", {t}, t.type));
  k.check();
}
