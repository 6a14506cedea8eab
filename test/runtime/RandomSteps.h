// Random packages of branches and loops, and what they compute.
#ifndef TILEWRIGHT_TEST_RUNTIME_RANDOMSTEPS_H
#define TILEWRIGHT_TEST_RUNTIME_RANDOMSTEPS_H

#include "TestPackage.h"
#include "tilewright/runtime/Model.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace tilewright::runtime {

/// A random package of steps on buffers of 4 floats: it reads only what was
/// written, and some of the values that are ready at the end add to the output.
class RandomSteps {
public:
  using Kind = BufferManifest::Kind;

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
class StepOracle {
public:
  explicit StepOracle(const PackageManifest &package)
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

/// Runs a session of the package and compares its output, bit by bit; returns
/// how many launches that took.
inline size_t checkAgainstOracle(Session &session,
                                 const PackageManifest &package,
                                 const std::vector<float> &x) {
  const Shape shape{int64_t(x.size())};
  REQUIRE(
      session.setInput("x", {DType::F32, shape, std::as_bytes(std::span(x))})
          .ok());
  Status ran = session.run();
  INFO(ran.message());
  REQUIRE(ran.ok());
  auto y = *session.output("y");
  StepOracle oracle(package);
  const std::vector<float> expected = oracle.run(x);
  CHECK(std::ranges::equal(std::as_bytes(y.as<float>()),
                           std::as_bytes(std::span(expected))));
  return oracle.launches;
}

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_RUNTIME_RANDOMSTEPS_H
