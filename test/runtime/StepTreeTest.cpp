// When buffers of nested steps are needed; random ones run as they would if
// each buffer had memory of its own.
#include "runtime/core/StepTree.h"
#include "TestPackage.h"
#include "runtime/abi/Interval.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::runtime;
using Kind = BufferManifest::Kind;

namespace {
/// A random package of steps on buffers of 4 floats: it reads only what was
/// written, and some of the values that are ready at the end add to the output.
class RandomSteps {
public:
  explicit RandomSteps(unsigned seed) : random(seed) {
    package.producer = "test";
    package.name = "random";
    package.kernels = {affineKernel(), belowKernel()};
    bias = add(Kind::weight);
    package.buffers[bias].weight = "bias";
    ready.push_back(add(Kind::input));
    package.inputs = {{"x", DType::F32, {4}, ready[0]}};
    package.steps = list(0);
    const size_t y = add(Kind::output);
    package.outputs = {{"y", DType::F32, {4}, y}};
    size_t sum = ready[0];
    for (size_t value : std::vector(ready)) {
      if (pick(3))
        continue; // It is not needed to the end.
      const size_t next = add(Kind::transient);
      package.steps.push_back(affine(sum, value, next));
      sum = next;
    }
    package.steps.push_back({"", {}, "y", CopyManifest{sum, y}});
  }
  PackageManifest package;

private:
  size_t pick(size_t count) { return random() % count; }
  size_t add(Kind kind, int64_t bytes = 16, DType dtype = DType::F32) {
    package.buffers.push_back({kind, dtype, bytes, "", {}});
    return package.buffers.size() - 1;
  }
  size_t any() { return ready[pick(ready.size())]; }

  /// to = from * gain + values, in the place of the bias.
  StepManifest affine(size_t from, size_t values, size_t to) {
    return {"affine",
            {StepArgument::view(from, {1, 4}), StepArgument::view(values, {4}),
             StepArgument::view(to, {1, 4}),
             StepArgument::value(int64_t(pick(3)) - 1)},
            "affine"};
  }
  StepManifest compute() {
    const size_t to = add(Kind::transient);
    StepManifest step = affine(any(), any(), to);
    ready.push_back(to);
    return step;
  }
  size_t flag(std::vector<StepManifest> &steps) {
    const size_t to = add(Kind::transient, 1, DType::Bool);
    steps.push_back(
        {"below",
         {StepArgument::view(any(), {4}), StepArgument::view(to, {}),
          StepArgument::value(int64_t(pick(20)) - 5)},
         "below"});
    return to;
  }

  std::vector<StepManifest> list(unsigned depth) {
    std::vector<StepManifest> steps;
    for (size_t count = 1 + pick(4); count--;) {
      const size_t kind = pick(depth < 3 ? 5 : 3);
      if (kind < 3)
        steps.push_back(compute());
      else if (kind == 3)
        addBranch(steps, depth);
      else
        addLoop(steps, depth);
    }
    return steps;
  }

  void addBranch(std::vector<StepManifest> &steps, unsigned depth) {
    BranchManifest branch;
    branch.condition = flag(steps);
    const std::vector<size_t> before = ready;
    const size_t count = 1 + pick(2);
    std::vector<size_t> results;
    for (size_t i = 0; i < count; ++i) {
      results.push_back(add(Kind::transient));
      branch.results.push_back({results.back()});
    }
    for (bool isFirst : {true, false}) {
      std::vector<StepManifest> &side = isFirst ? branch.first : branch.second;
      if (pick(4))
        side = list(depth + 1);
      for (BranchManifest::Result &result : branch.results) {
        size_t &from = isFirst ? result.first : result.second;
        from = any();
        if (!pick(2)) {
          side.push_back(affine(any(), any(), result.buffer));
          from = result.buffer;
        }
      }
      ready = before;
    }
    ready.insert(ready.end(), results.begin(), results.end());
    StepManifest step{"", {}, "branch"};
    step.branch = std::move(branch);
    steps.push_back(std::move(step));
  }

  void addLoop(std::vector<StepManifest> &steps, unsigned depth) {
    LoopManifest loop;
    loop.count = int64_t(pick(4));
    const std::vector<size_t> before = ready;
    std::vector<size_t> results;
    for (size_t count = 1 + pick(3); count--;) {
      const size_t start = any(), p = add(Kind::transient);
      loop.carried.push_back({p, start, p, false});
      results.push_back(p);
    }
    if (pick(2)) {
      loop.condition = flag(steps);
      const size_t on = *loop.condition;
      loop.carried.push_back({on, on, on, false});
    }
    ready.insert(ready.end(), results.begin(), results.end());
    loop.steps = list(depth + 1);
    for (LoopManifest::Carried &carried : loop.carried) {
      if (carried.buffer == loop.condition) {
        if (pick(2))
          carried.next = flag(loop.steps);
        continue;
      }
      const size_t way = pick(4);
      if (way == 0) { // In place; the others may read it before or after.
        loop.steps.push_back(affine(carried.buffer, any(), carried.buffer));
        continue;
      }
      const size_t next = add(Kind::transient);
      loop.steps.push_back(affine(any(), any(), next));
      carried.next = next;
      carried.swaps = way > 1;
    }
    ready = before;
    ready.insert(ready.end(), results.begin(), results.end());
    StepManifest step{"", {}, "loop"};
    step.loop = std::move(loop);
    steps.push_back(std::move(step));
  }

  std::mt19937 random;
  size_t bias = 0;
  std::vector<size_t> ready;
};

/// Runs such a package with memory of its own for each buffer.
class Oracle {
public:
  explicit Oracle(const PackageManifest &package)
      : package(package),
        memory(package.buffers.size(), std::vector<float>(4, std::nanf(""))) {
    memory[0] = testBias();
  }
  std::vector<float> run(const std::vector<float> &x) {
    memory[package.inputs[0].buffer] = x;
    list(package.steps);
    return memory[package.outputs[0].buffer];
  }
  size_t launches = 0;

private:
  void list(const std::vector<StepManifest> &steps) {
    for (const StepManifest &step : steps)
      if (step.copy)
        memory[step.copy->to] = memory[step.copy->from];
      else if (step.branch)
        branch(*step.branch);
      else if (step.loop)
        loop(*step.loop);
      else
        launch(step);
  }
  void launch(const StepManifest &step) {
    ++launches;
    auto at = [&](size_t i) { return *step.arguments[i].buffer; };
    const std::vector<float> x = memory[at(0)];
    if (step.kernel == "below") {
      const float sum = x[0] + x[1] + x[2] + x[3];
      memory[at(1)][0] =
          sum < float(*step.arguments[2].scalar.constant()) ? 1 : 0;
      return;
    }
    const std::vector<float> values = memory[at(1)];
    for (size_t i = 0; i < 4; ++i)
      memory[at(2)][i] =
          x[i] * float(*step.arguments[3].scalar.constant()) + values[i];
  }
  void branch(const BranchManifest &branch) {
    const bool isFirst = memory[branch.condition][0] != 0;
    list(isFirst ? branch.first : branch.second);
    for (const BranchManifest::Result &result : branch.results)
      memory[result.buffer] = memory[isFirst ? result.first : result.second];
  }
  void loop(const LoopManifest &loop) {
    for (const LoopManifest::Carried &carried : loop.carried)
      memory[carried.buffer] = memory[carried.start];
    for (int64_t i = 0; i < *loop.count->constant(); ++i) {
      if (loop.condition && memory[*loop.condition][0] == 0)
        break;
      list(loop.steps);
      for (const LoopManifest::Carried &carried : loop.carried)
        memory[carried.buffer] = memory[carried.next];
    }
  }

  const PackageManifest &package;
  std::vector<std::vector<float>> memory;
};
} // namespace

TEST_CASE("random branches and loops share memory without a difference") {
  TemporaryFolder folder;
  auto device = *openDevice("cpu", {1});
  size_t launches = 0, arena = 0, buffers = 0;
  for (unsigned seed = 0; seed < 400; ++seed) {
    const PackageManifest package = RandomSteps(seed).package;
    INFO("seed " << seed << "\n" << printPackageManifest(package));
    auto parsed = parsePackageManifest(printPackageManifest(package));
    INFO(parsed.status().message());
    REQUIRE(parsed.ok());
    REQUIRE(*parsed == package);
    const auto path = folder / ("m" + std::to_string(seed));
    writeTestPackage(path, package);
    auto model = Model::load(device, path);
    REQUIRE(model.ok());
    auto session = *(*model)->createSession();
    for (float first : {0.f, 1.f, 0.f}) {
      const std::vector<float> x{first, 2, -1, 0.5f};
      const Shape shape{4};
      REQUIRE(
          session
              ->setInput("x", {DType::F32, shape, std::as_bytes(std::span(x))})
              .ok());
      Status ran = session->run();
      INFO(ran.message());
      REQUIRE(ran.ok());
      auto y = *session->output("y");
      Oracle oracle(package);
      const std::vector<float> expected = oracle.run(x);
      CHECK(std::ranges::equal(std::as_bytes(y.as<float>()),
                               std::as_bytes(std::span(expected))));
      launches += oracle.launches;
    }
    arena += session->memoryUse()->arena;
    buffers += package.buffers.size();
  }
  CHECK(launches > 10000);
  // Most buffers share memory.
  CHECK(arena < buffers * 64 / 2);
}

TEST_CASE("an expression lies between what its names allow") {
  const std::map<std::string, Interval, std::less<>> names = {
      {"a", {2, 10}}, {"b", {-3, 4}}, {"open", {0, Interval::none}}};
  auto of = [&](const char *text) {
    const Interval found = intervalOf(*Expression::parse(text), names);
    return std::pair(found.least, found.most);
  };
  using Pair = std::pair<int64_t, int64_t>;
  const int64_t none = Interval::none;
  CHECK(of("7") == Pair(7, 7));
  CHECK(of("a + b") == Pair(-1, 14));
  CHECK(of("a - b") == Pair(-2, 13));
  CHECK(of("a * b") == Pair(-30, 40));
  CHECK(of("-a") == Pair(-10, -2));
  CHECK(of("ceildiv(b, a)") == Pair(-1, 2));
  CHECK(of("floordiv(b, 2)") == Pair(-2, 2));
  CHECK(of("mod(b, a)") == Pair(0, 9));
  CHECK(of("mod(a, 20)") == Pair(2, 10));
  CHECK(of("min(a, b)") == Pair(-3, 4));
  CHECK(of("max(a, b)") == Pair(2, 10));
  CHECK(of("open * 4") == Pair(0, none));
  CHECK(of("min(open, a)") == Pair(0, 10));
  CHECK(of("a - open") == Pair(-none - 1, 10));
  CHECK(of("9223372036854775807 + a").second == none);
  CHECK(of("unknown") == Pair(-none - 1, none));
  CHECK(of("floordiv(a, b)") == Pair(-none - 1, none));
}

/// Random expressions at random points.
TEST_CASE("no value of an expression is outside of its interval") {
  std::mt19937 random(7);
  auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  using Op = Expression::Op;
  const Op ops[] = {Op::add,      Op::subtract, Op::multiply, Op::ceilDiv,
                    Op::floorDiv, Op::mod,      Op::min,      Op::max};
  size_t values = 0;
  for (int round = 0; round < 3000; ++round) {
    std::map<std::string, Interval, std::less<>> names;
    for (const char *name : {"a", "b", "c"}) {
      const int64_t least = pick(-20, 20);
      names[name] = {least, least + pick(0, 20)};
    }
    std::vector<Expression> parts{pick(-5, 30), Expression::symbol("a"),
                                  Expression::symbol("b"),
                                  Expression::symbol("c")};
    auto part = [&] {
      return parts[size_t(pick(0, int64_t(parts.size()) - 1))];
    };
    for (int i = 0; i < 4; ++i)
      parts.push_back(Expression::binary(ops[pick(0, 7)], part(), part()));
    const Interval range = intervalOf(parts.back(), names);
    for (int point = 0; point < 10; ++point) {
      Bindings at;
      for (const auto &[name, limits] : names)
        at[name] = pick(limits.least, limits.most);
      auto value = parts.back().evaluate(at);
      if (!value.ok())
        continue;
      ++values;
      INFO(parts.back().str());
      CHECK(*value >= range.least);
      CHECK(*value <= range.most);
    }
  }
  CHECK(values > 10000);
}
