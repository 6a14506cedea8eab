// Schedules change how a kernel is computed, not what. The inputs are small
// integers: sums are exact in any order.
#include "test/codegen/kernels/KernelText.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::kerneltest;
using tilewright::cpu::hostTarget;
using tilewright::schedule::CpuSchedule;

using Random = std::mt19937_64;

/// A schedule that this machine's registers hold.
static CpuSchedule randomSchedule(Random &random) {
  auto upTo = [&](unsigned most) { return unsigned(random() % (most + 1)); };
  CpuSchedule schedule;
  do {
    schedule.rows = upTo(14);
    schedule.vectors = upTo(6);
  } while (std::max(1u, schedule.rows) * std::max(1u, schedule.vectors) +
               std::max(1u, schedule.vectors) + 1 >
           hostTarget().vectorRegisters);
  schedule.unroll = upTo(9);
  schedule.packlhs = upTo(2);
  schedule.packrhs = upTo(2);
  schedule.order = upTo(2);
  schedule.chunk = upTo(2);
  schedule.threads = upTo(2);
  return schedule;
}

/// A matrix as it is stored, as its transpose, as two loaded ones added up, or
/// with rows and columns beyond the end of its view.
static Value operand(KernelText &k, Random &random, const std::string &type,
                     std::vector<int64_t> shape) {
  Input input{.values = {0, 1, -2, 3, 1, -1, 2}};
  auto last = shape.size() - 1;
  switch (random() % 3) {
  case 0: {
    std::string permutation = shape.size() == 2 ? "[1, 0]" : "[0, 2, 1]";
    std::vector<int64_t> stored = shape;
    std::swap(stored[last], stored[last - 1]);
    return k.op("tile.transpose $0 " + permutation + " : %0 -> %r",
                {k.load(tile(type, stored), input)}, tile(type, shape));
  }
  case 1: {
    if (type == "i8" || type == "f8E5M2")
      break;
    Value x = k.load(tile(type, shape), input);
    Value y = k.load(tile(type, shape), input);
    return k.op(std::string(isFloat(type) ? "arith.addf" : "arith.addi") +
                    " $0, $1 : %r",
                {x, y}, x.type);
  }
  default:
    break;
  }
  return k.load(tile(type, shape), input);
}

static void checkRandomDot(uint64_t seed) {
  Random random(seed);
  static const char *const types[][2] = {
      {"f32", "f32"}, {"f32", "f32"},  {"f64", "f64"},    {"i32", "i32"},
      {"i8", "i32"},  {"bf16", "f32"}, {"f8E5M2", "f32"}, {"f16", "f16"}};
  auto [element, sum] = types[random() % std::size(types)];
  auto size = [&] { return 1 + int64_t(random() % 70); };
  int64_t m = size(), n = size(), depth = size();
  auto shape = [batch = random() % 3](int64_t rows, int64_t columns) {
    std::vector<int64_t> shape;
    if (batch > 0)
      shape.push_back(int64_t(batch) + 1);
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  KernelText k;
  Value lhs = operand(k, random, element, shape(m, depth));
  Value rhs = operand(k, random, element, shape(depth, n));
  Value acc = k.load(tile(sum, shape(m, n)), Input{.values = {0, 1, -2, 3}});
  k.store(
      k.op("tile.dot $0, $1, $2 : %0, %1 -> %r", {lhs, rhs, acc}, acc.type));
  CpuSchedule schedule = randomSchedule(random);
  INFO("seed " << seed << ", schedule '" << schedule.text() << "'\n"
               << k.str());
  CHECK(compareRuns(k.str(), k.inputs, {}, seed, schedule).error == "");
}

TEST_CASE("cpu schedule: random products under random schedules") {
  for (uint64_t seed = 1; seed <= 60; ++seed)
    checkRandomDot(seed);
}

namespace {
/// 9 x 40 by 40 x 48, whose right side is a tile of three dims.
struct MergedDot {
  std::string view;
  std::vector<int64_t> tile;
};
} // namespace

static KernelText mergedDot(const MergedDot &dot) {
  const Input exact{.values = {0, 1, -2, 3, 1, -1, 2}};
  KernelText k;
  Value lhs = k.load(tile("f32", {9, 40}), exact);
  Value view = k.argument("!tile.view<" + dot.view + "xf32>", exact);
  std::string origin = "[%c0";
  for (size_t i = 1; i < dot.tile.size(); ++i)
    origin += ", %c0";
  Value loaded = k.op("tile.load $0" + origin + "] : %0 -> %r", {view},
                      tile("f32", dot.tile));
  Value rhs =
      k.op("tile.reshape $0 : %0 -> %r", {loaded}, tile("f32", {40, 48}));
  Value acc = k.load(tile("f32", {9, 48}), exact);
  k.store(
      k.op("tile.dot $0, $1, $2 : %0, %1 -> %r", {lhs, rhs, acc}, acc.type));
  return k;
}

TEST_CASE("cpu schedule: dims without gaps are read as one where they lie") {
  const MergedDot inPlace[] = {{"40x4x12", {40, 4, 12}},
                               {"40x7x12", {40, 4, 12}},
                               {"50x2x1x2x12", {40, 2, 1, 2, 12}},
                               {"40x48", {40, 48}},
                               {"10x4x48", {10, 4, 48}}};
  const MergedDot copied[] = {{"40x4x13", {40, 4, 12}},
                              {"50x2x2x2x12", {40, 2, 1, 2, 12}},
                              {"10x5x48", {10, 4, 48}}};
  constexpr int64_t bytes = 40 * 48 * 4;
  for (const MergedDot &dot : inPlace) {
    KernelText k = mergedDot(dot);
    INFO(k.str());
    for (unsigned packing : {0, 1, 2}) {
      CpuSchedule schedule;
      schedule.packrhs = packing;
      CHECK(compareRuns(k.str(), k.inputs, {}, 1, schedule).error == "");
    }
    CHECK(scratchOf(k.str()) >= 0);
    CHECK(scratchOf(k.str()) < bytes);
  }
  for (const MergedDot &dot : copied) {
    KernelText k = mergedDot(dot);
    INFO(k.str());
    CHECK(compareRuns(k.str(), k.inputs).error == "");
    CHECK(scratchOf(k.str()) >= bytes);
  }
}

TEST_CASE("cpu schedule: a block that registers do not hold is rejected") {
  KernelText k;
  Value x = k.load(tile("f32", {64, 64}));
  k.store(k.op("tile.dot $0, $1, $2 : %0, %1 -> %r", {x, x, x}, x.type));
  CpuSchedule schedule;
  schedule.rows = 16;
  schedule.vectors = 4;
  std::string machine = std::to_string(hostTarget().vectorRegisters);
  CHECK(rejection(k.str(), schedule)
            .find("a block of 16 rows and 4 vectors takes 69 vector registers "
                  "(64 accumulators, 4 of the right side and 1 of the left), "
                  "the machine has " +
                  machine) != std::string::npos);
  // Rows alone are with one vector at least.
  schedule.vectors = 0;
  schedule.rows = 64;
  CHECK(rejection(k.str(), schedule)
            .find("a block of 64 rows and 1 vectors takes 66") !=
        std::string::npos);
}
