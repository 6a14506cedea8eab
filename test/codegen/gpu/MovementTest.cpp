// Ops that move and order elements, at the scheduled level: they compute the
// same as at the tile level, for each axis and each distribution of a fiber: in
// registers, in lanes, over several warps; with sizes that are no powers of
// two.
#include "test/codegen/kernels/KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;

static void checkScheduled(KernelText &k,
                           std::initializer_list<unsigned> warps) {
  for (unsigned count : warps) {
    tilewright::schedule::GpuSchedule schedule;
    schedule.warps = count;
    Result result = compareScheduled(k.str(), schedule, k.inputs, count);
    INFO(k.str());
    CAPTURE(count);
    CHECK(result.error == "");
  }
}

/// Tiles with an axis, small and large next to the 32 to 256 threads.
struct Line {
  std::vector<int64_t> shape;
  size_t axis;
};
static const Line lines[] = {{{5, 7}, 0},    {{5, 7}, 1},   {{3, 130}, 1},
                             {{130, 3}, 0},  {{1, 300}, 1}, {{67, 5}, 1},
                             {{3, 5, 9}, 1}, {{33}, 0},     {{4, 1}, 1},
                             {{64, 8}, 1},   {{16, 64}, 1}};

TEST_CASE("scheduled: joins and splits") {
  for (const char *element : {"i8", "f32", "i64"})
    for (int64_t count : {2, 3}) {
      KernelText k;
      TileType type = tile(element, {5, 12});
      std::vector<Value> parts;
      for (int64_t i = 0; i < count; ++i)
        parts.push_back(k.load(type));
      TileType joined = tile(element, {5, 12, count});
      std::string operands =
          count == 2 ? "$0, $1 : %0, %1" : "$0, $1, $2 : %0, %1, %2";
      Value all = k.op("tile.join " + operands + " -> %r", parts, joined);
      k.store(all);
      std::vector<TileType> types(size_t(count), type);
      for (Value &part :
           k.ops("tile.split $0 : %0 -> " +
                     commas(types, [](const TileType &t) { return t.str(); }),
                 {k.load(joined)}, types))
        k.store(part);
      checkScheduled(k, {1, 4});
    }
}

TEST_CASE("scheduled: slices stay in registers or go through shared memory") {
  // Parts of cells and whole ones, odd locations, odd steps.
  struct Part {
    std::string where;
    std::vector<int64_t> shape;
  };
  const Part parts[] = {{"[0, 0]", {64, 40}},
                        {"[32, 0]", {32, 80}},
                        {"[3, 5]", {7, 11}},
                        {"[0, 16]", {64, 16}},
                        {"[1, 0] step [2, 3]", {9, 5}},
                        {"[63, 79]", {1, 1}},
                        {"[0, 1] step [1, 2]", {64, 40}}};
  for (const Part &part : parts)
    for (const char *element : {"i1", "f32", "index"}) {
      KernelText k;
      Value x = k.load(tile(element, {64, 80}));
      k.store(k.op("tile.slice $0 " + part.where + " : %0 -> %r", {x},
                   tile(element, part.shape)));
      checkScheduled(k, {1, 8});
    }
}

TEST_CASE("scheduled: concatenations of equal and of unlike parts") {
  for (size_t axis : {0, 1})
    for (int64_t size : {1, 6, 32}) {
      KernelText k;
      TileType first = tile("i16", {32, 32});
      TileType second = first.withSize(axis, size);
      k.store(k.op("tile.concat $0, $1, $2 axis " + std::to_string(axis) +
                       " : %0, %1, %2 -> %r",
                   {k.load(first), k.load(second), k.load(first)},
                   first.withSize(axis, 64 + size)));
      checkScheduled(k, {1, 2});
    }
}

TEST_CASE("scheduled: reshapes in registers and through shared memory") {
  struct Shapes {
    std::vector<int64_t> from, to;
  };
  const Shapes all[] = {{{6, 10}, {4, 15}},    {{32, 64}, {2048}},
                        {{5, 7, 9}, {315}},    {{21, 40}, {8, 3, 35}},
                        {{3, 1000}, {40, 75}}, {{64, 6}, {96, 4}}};
  for (const Shapes &shapes : all)
    for (const char *element : {"i1", "f32"}) {
      KernelText k;
      k.store(k.op("tile.reshape $0 : %0 -> %r",
                   {k.load(tile(element, shapes.from))},
                   tile(element, shapes.to)));
      checkScheduled(k, {1, 4});
    }
}

TEST_CASE("scheduled: one element for all threads") {
  for (const char *element : {"i1", "i64", "f16"}) {
    KernelText k;
    Value x = k.load(tile(element, {7, 33}));
    k.store(k.op("tile.extract $0[%c2, %c3] : %0", {x}, {element}));
    checkScheduled(k, {1, 4});
  }
}

TEST_CASE("scheduled: gathers along each axis") {
  for (const Line &line : lines)
    for (const char *index : {"i8", "i32", "i64"}) {
      KernelText k;
      TileType type = tile("f32", line.shape);
      TileType indices = type.withSize(line.axis, 6).of(index);
      Value at = k.load(
          indices,
          {.low = 0,
           .high = double(std::min<int64_t>(line.shape[line.axis] - 1, 100))});
      k.store(k.op("tile.gather $0, $1 axis " + std::to_string(line.axis) +
                       " : %0, %1 -> %r",
                   {k.load(type), at}, indices.of("f32")));
      checkScheduled(k, {1, 4});
    }
}

/// Of pairs: (a, b) then (c, d) is (a c, b c + d), which is associative only.
static const char *const affine =
    " {\n^bb0(%a: i32, %b: i32, %c: i32, %d: i32):\n"
    "%m = arith.muli %a, %c : i32\n%n = arith.muli %b, %c : i32\n"
    "%o = arith.addi %n, %d : i32\ntile.yield %m, %o : i32, i32\n} : "
    "%0, %1 -> %0, %1";

TEST_CASE("scheduled: scans of pairs that may not change places") {
  for (const Line &line : lines)
    for (const char *order : {"", " reverse"}) {
      KernelText k;
      TileType type = tile("i32", line.shape);
      for (const Value &result :
           k.ops("tile.scan $0, $1 axis " + std::to_string(line.axis) + order +
                     affine,
                 {k.load(type, {.values = {1, -1, 3, -3, 5, 7, -1}}),
                  k.load(type)},
                 {type, type}))
        k.store(result);
      checkScheduled(k, {1, 4, 8});
    }
}

TEST_CASE("scheduled: sorts carry values along") {
  struct Keys {
    const char *element, *order;
  };
  const Keys all[] = {{"f16", ""},
                      {"f32", " descending"},
                      {"f64", ""},
                      {"i1", ""},
                      {"i8", " unsigned"},
                      {"i16", " descending unsigned"},
                      {"i32", " descending"},
                      {"i64", ""},
                      {"index", ""}};
  size_t next = 0;
  for (const Line &line : lines) {
    for (int i = 0; i < 3; ++i) {
      const Keys &keys = all[next++ % std::size(all)];
      KernelText k;
      TileType type = tile(keys.element, line.shape);
      Input input{.low = -3, .high = 3};
      if (keys.element[0] == 'f')
        input.values = {0, -0.0, 1, NAN, -2.5, INFINITY, 0.5, -INFINITY};
      Value values = k.load(type.of("i32"), {.anyBits = true});
      for (const Value &result :
           k.ops("tile.sort $0, $1 axis " + std::to_string(line.axis) +
                     keys.order + " : %0, %1",
                 {k.load(type, input), values}, {type, values.type}))
        k.store(result);
      checkScheduled(k, {1, 4});
    }
  }
}

TEST_CASE("scheduled: a long sort is a loop through shared memory") {
  KernelText k;
  TileType type = tile("i64", {2500});
  k.store(k.op("tile.sort $0 axis 0 : %0",
               {k.load(type, {.low = 0, .high = 900})}, type));
  CAPTURE(k.str());
  checkScheduled(k, {1});
}

TEST_CASE("scheduled: the largest and the smallest, with their places") {
  for (const Line &line : lines)
    for (const char *order : {"", " smallest"}) {
      KernelText k;
      TileType type = tile("f32", line.shape);
      TileType some =
          type.withSize(line.axis, std::min<int64_t>(5, line.shape[line.axis]));
      for (const Value &result :
           k.ops("tile.top_k $0 axis " + std::to_string(line.axis) + order +
                     " : %0 -> " + some.str() + ", " + some.of("i32").str(),
                 {k.load(type, {.values = {0, -0.0, 1, NAN, -2.5, INFINITY}})},
                 {some, some.of("i32")}))
        k.store(result);
      checkScheduled(k, {1, 4});
    }
}

TEST_CASE("scheduled: histograms count in shared memory") {
  for (const char *element : {"i1", "i8", "i32", "i64", "index"})
    for (const char *counter : {"i8", "i32", "i64", "index"}) {
      KernelText k;
      TileType type = tile(element, {9, 30});
      Value x = k.load(type, {.low = -2, .high = 14});
      Value mask = k.load(type.of("i1"));
      k.store(k.op("tile.histogram $0 mask $1 : %0 -> %r", {x, mask},
                   tile(counter, {11})));
      k.store(k.op("tile.histogram $0 : %0 -> %r", {x}, tile(counter, {70})));
      checkScheduled(k, {1, 4});
    }
}
