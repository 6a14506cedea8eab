#include "ChangingSession.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

namespace tilewright::runtime {

using Kind = BufferManifest::Kind;

static constexpr int64_t mostPositive = 500;

static StepManifest put(size_t from, Expression size, size_t to, Expression dim,
                        Expression at) {
  return StepBuilder::list("put", from, std::move(size), to, {std::move(dim)},
                           std::move(at));
}

/// The branch on c.
static BranchManifest choice(const StepBuilder &b, size_t c, size_t x,
                             size_t taken, size_t s) {
  const Expression n = symbol("N"), k = symbol("K");
  BranchManifest branch;
  branch.condition = c;
  branch.first = {put(x, n, taken, k + 2, 0), b.affine(s, s, 2)};
  branch.second = {put(x, n, taken, k + 2, k), b.affine(s, s, -1)};
  branch.symbols = {{"S", k + 1, k}};
  branch.results = {{taken, taken, taken}};
  return branch;
}

/// The loop that grows `list`: f32[L + 1], from `start`.
static LoopManifest growth(StepBuilder &b, size_t list, size_t start, size_t p,
                           size_t s) {
  const Expression l = symbol("L");
  const size_t on = b.flag(), next = b.four();
  BranchManifest small;
  small.condition = on;
  small.first = {put(list, l, list, l + 1, 0),
                 {"", {}, "p", CopyManifest{p, next}}};
  small.second = {b.affine(p, next, 1)};
  small.results = {{next, next, next}};
  LoopManifest loop;
  loop.count = symbol("M");
  loop.symbols = {{"L", symbol("S"), l + 1}};
  loop.carried = {{list, start, list, false}, {p, s, next, true}};
  loop.steps = {put(list, l, list, l + 1, l), b.affine(s, s, 0),
                StepBuilder::list("below", list, l, on, {}, 50),
                StepBuilder::of(small)};
  return loop;
}

PackageManifest changingPackage() {
  StepBuilder b;
  const Expression n = symbol("N"), k = symbol("K"), l = symbol("L");
  const size_t x = b.input("x", {n}), c = b.input("c", {}, DType::Bool);
  b.input("n", {symbol("M")});
  b.package.symbols = {"N", "M"};
  const size_t s = b.buffer(Kind::state, 16);
  b.package.buffers[s].initial = b.bias;
  b.package.states = {{"s", DType::F32, {4}, s}};
  const size_t count = b.buffer(Kind::transient, 8, DType::I64);
  const size_t some = b.buffer(Kind::transient, k * 4);
  const size_t one = b.buffer(Kind::transient, (k + 1) * 4);
  const size_t taken = b.buffer(Kind::transient, (k + 2) * 4);
  ReadManifest read{count, {"K"}};
  read.symbol.greatest = Expression(mostPositive);
  const size_t start = b.buffer(Kind::transient, (symbol("S") + 1) * 4);
  const size_t list = b.buffer(Kind::transient, (l + 1) * 4);
  const size_t p = b.four(), on = b.flag(), last = b.four(), next = b.four();
  LoopManifest end;
  end.condition = on;
  end.carried = {{last, p, next, true}, {on, on, on, false}};
  end.steps = {b.affine(last, next, 1),
               StepBuilder::list("below", next, 4, on, {}, 100)};
  const size_t y = b.output("y", {l}), z = b.output("z", {4});
  b.package.buffers[y].bytes = (l + 1) * 4;
  b.package.steps = {StepBuilder::list("count_positive", x, n, count, {}),
                     StepBuilder::of(read),
                     StepBuilder::list("take_positive", x, n, some, {k}),
                     StepBuilder::list("append", some, k, one, {k + 1}, 3),
                     StepBuilder::list("append", one, k + 1, taken, {k + 2}, 4),
                     StepBuilder::of(choice(b, c, x, taken, s)),
                     StepBuilder::list("append", taken, symbol("S"), start,
                                       {symbol("S") + 1}, 0),
                     StepBuilder::of(growth(b, list, start, p, s)),
                     StepBuilder::list("below", p, 4, on, {}, 100),
                     StepBuilder::of(end),
                     {"", {}, "y", CopyManifest{list, y}},
                     {"", {}, "z", CopyManifest{last, z}}};
  return b.package;
}

static float sumOf(const std::vector<float> &values, size_t count) {
  return std::accumulate(values.begin(), values.begin() + long(count), 0.0f);
}

/// values = values * gain + bias.
static void affine(std::vector<float> &values, float gain) {
  for (size_t i = 0; i < 4; ++i)
    values[i] = values[i] * gain + testBias()[i];
}

void ChangingOracle::run(const std::vector<float> &x, bool c, int64_t count) {
  std::vector<float> taken;
  std::ranges::copy_if(x, std::back_inserter(taken),
                       [](float value) { return value > 0; });
  const size_t k = taken.size();
  taken.insert(taken.end(), {3, 4});
  taken[c ? 0 : k] = sumOf(x, x.size());
  affine(s, c ? 2 : -1);
  taken.resize(c ? k + 1 : k);
  std::vector<float> p = s;
  for (int64_t i = 0; i < count; ++i) {
    const size_t size = taken.size();
    taken.push_back(sumOf(taken, size));
    affine(s, 0);
    if (sumOf(taken, size) < 50)
      taken[0] = sumOf(taken, size);
    else
      affine(p, 1);
  }
  while (sumOf(p, 4) < 100)
    affine(p, 1);
  y = taken;
  z = p;
}

static std::vector<float> valuesOf(const Session &session, const char *name) {
  auto tensor = session.output(name);
  INFO(tensor.status().message());
  REQUIRE(tensor.ok());
  auto values = tensor->as<float>();
  return {values.begin(), values.end()};
}

static void setInputs(Session &session, const std::vector<float> &x, bool c,
                      int64_t count) {
  const std::vector<float> n(size_t(count), 0);
  const Shape sizeOfX{int64_t(x.size())}, sizeOfN{count};
  REQUIRE(
      session.setInput("x", {DType::F32, sizeOfX, std::as_bytes(std::span(x))})
          .ok());
  REQUIRE(
      session.setInput("n", {DType::F32, sizeOfN, std::as_bytes(std::span(n))})
          .ok());
  REQUIRE(
      session.setInput("c", {DType::Bool, {}, std::as_bytes(std::span(&c, 1))})
          .ok());
}

void checkChangingSession(Session &session, unsigned runs) {
  std::mt19937 random(5);
  auto pick = [&](int64_t count) {
    return int64_t(random() % uint64_t(count));
  };
  ChangingOracle oracle;
  unsigned failures = 0;
  for (unsigned run = 0; run < runs; ++run) {
    INFO("run " << run);
    const bool isLong = pick(10) == 0, c = pick(2) != 0;
    std::vector<float> x(size_t(pick(isLong ? 1000 : 6)));
    for (float &value : x)
      value = float(pick(9)) - (isLong ? 1 : 4);
    const int64_t count = pick(10) ? pick(4) : 9;
    setInputs(session, x, c, count);
    if (pick(12) == 0) {
      REQUIRE(session.resetStates().ok());
      oracle.s = testBias();
    }
    const bool fails =
        std::ranges::count_if(x, [](float v) { return v > 0; }) > mostPositive;
    Status ran = pick(8) ? session.run() : session.profile().status();
    INFO(ran.message());
    CHECK(ran.ok() != fails);
    if (fails) {
      ++failures;
      continue;
    }
    oracle.run(x, c, count);
    CHECK(valuesOf(session, "y") == oracle.y);
    CHECK(valuesOf(session, "z") == oracle.z);
    auto state = session.state("s");
    REQUIRE(state.ok());
    CHECK(std::ranges::equal(state->as<float>(), oracle.s));
  }
  CHECK(failures > 0);
}

} // namespace tilewright::runtime
