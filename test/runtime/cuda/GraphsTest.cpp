// Packages whose steps decide what runs: what is between two decisions becomes
// a graph, and the host reads one word for each decision.
#include "../ChangingSession.h"
#include "../RandomSteps.h"
#include "Fixture.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {
/// What the driver was asked to do.
struct Calls {
  int reads, launches, captures, graphs;
  bool operator==(const Calls &) const = default;
};

std::ostream &operator<<(std::ostream &os, const Calls &calls) {
  return os << calls.reads << " reads, " << calls.launches << " launches, "
            << calls.captures << " captures, " << calls.graphs << " graphs";
}

/// A session on the fake driver.
struct Fixture {
  explicit Fixture(const PackageManifest &manifest) {
    writeTestPackage(folder / "m.twp", withGpuKernels(manifest));
    auto loaded = Model::load(*openFake(), folder / "m.twp");
    INFO(loaded.status().message());
    REQUIRE(loaded.ok());
    session = *(*loaded)->createSession();
  }
  void set(const char *name, const std::vector<float> &values) {
    const Shape shape{int64_t(values.size())};
    REQUIRE(session
                ->setInput(
                    name, {DType::F32, shape, std::as_bytes(std::span(values))})
                .ok());
  }
  template <typename T> void setOne(const char *name, DType dtype, T value) {
    REQUIRE(
        session
            ->setInput(name, {dtype, {}, std::as_bytes(std::span(&value, 1))})
            .ok());
  }
  /// The calls of one run.
  Calls run() {
    const Calls before = now();
    Status ran = session->run();
    INFO(ran.message());
    REQUIRE(ran.ok());
    const Calls after = now();
    return {after.reads - before.reads, after.launches - before.launches,
            after.captures - before.captures, after.graphs - before.graphs};
  }
  [[nodiscard]] std::vector<float> y() const {
    auto tensor = session->output("y");
    REQUIRE(tensor.ok());
    auto span = tensor->as<float>();
    return {span.begin(), span.end()};
  }
  static Calls now() {
    return {fakeCalls("cuMemcpyDtoHAsync_v2"), fakeCalls("cuLaunchKernelEx"),
            fakeCalls("cuStreamBeginCapture_v2"), fakeCalls("cuGraphLaunch")};
  }

  Fake fake;
  TemporaryFolder folder;
  std::unique_ptr<Session> session;
};
} // namespace

/// y = x + 2 N * bias, in N iterations of two launches, or as many as leave the
/// sum below 100.
static PackageManifest loopOfTwo(bool isCounted) {
  StepBuilder b;
  const size_t x = b.input("x", {4});
  b.input("n", {symbol("N")});
  b.package.symbols = {"N"};
  const size_t p = b.four(), t = b.four(), next = b.four();
  const size_t y = b.output("y", {4});
  LoopManifest loop;
  loop.carried = {{p, x, next, true}};
  loop.steps = {b.affine(p, t, 1), b.affine(t, next, 1)};
  if (isCounted) {
    loop.count = symbol("N");
  } else {
    const size_t on = b.flag();
    loop.condition = on;
    loop.carried.push_back({on, on, on, false});
    b.package.steps = {StepBuilder::list("below", x, 4, on, {}, 100)};
    loop.steps.push_back(StepBuilder::list("below", next, 4, on, {}, 100));
  }
  b.package.steps.push_back(StepBuilder::of(loop));
  b.package.steps.push_back({"", {}, "y", CopyManifest{p, y}});
  return b.package;
}

TEST_CASE("a loop's body is one graph for each place of what it carries") {
  Fixture f(loopOfTwo(true));
  f.set("x", {1, 1, 1, 1});
  f.set("n", std::vector<float>(8));
  // Each of two places is run, captured, and launched from then on. Nobody
  // reads how often.
  CHECK(f.run() == Calls{0, 8, 2, 6});
  CHECK(f.y() == biasTimes(16, 1));
  CHECK(f.run() == Calls{0, 0, 0, 8});
  CHECK(f.y() == biasTimes(16, 1));
  f.set("n", std::vector<float>(3));
  CHECK(f.run() == Calls{0, 6, 1, 1});
  CHECK(f.y() == biasTimes(6, 1));
  REQUIRE(f.session->profile().ok());
  CHECK(f.run() == Calls{0, 2, 1, 3});
  f.set("x", {2, 1, 1, 1});
  CHECK(f.run() == Calls{0, 0, 0, 3});
  CHECK(f.y()[0] == 5);
}

TEST_CASE("a loop that a kernel ends reads one word in each iteration") {
  Fixture f(loopOfTwo(false));
  f.set("n", {});
  // Each iteration adds 19.
  f.set("x", {0, 0, 0, 0});
  CHECK(f.run() == Calls{7, 13, 2, 4});
  CHECK(f.y() == biasTimes(12, 0));
  f.set("x", {20, 0, 0, 0});
  CHECK(f.run() == Calls{6, 1, 0, 5});
  f.set("x", {30, 30, 30, 30});
  CHECK(f.run() == Calls{1, 1, 0, 0});
  CHECK(f.y() == std::vector<float>(4, 30));
}

TEST_CASE("each side of a branch is a graph") {
  StepBuilder b;
  const size_t x = b.input("x", {4}), c = b.input("c", {}, DType::Bool);
  b.input("g", {}, DType::I64);
  const size_t t = b.four(), y = b.output("y", {4});
  BranchManifest branch;
  branch.condition = c;
  auto times = [&](size_t from, size_t to) {
    StepManifest step = b.affine(from, to, 0);
    step.arguments[3] = StepArgument::element(2);
    return step;
  };
  StepManifest check{"", {}, "limit"};
  check.check = {4, 4, "never"};
  branch.first = {b.affine(x, t, 1), check, times(t, y)};
  branch.second = {b.affine(x, y, 3)};
  branch.results = {{y, y, y}};
  b.package.steps = {StepBuilder::of(branch)};
  Fixture f(b.package);
  f.set("x", {1, 1, 1, 1});
  f.setOne<int64_t>("g", DType::I64, 2);
  f.setOne("c", DType::Bool, true);
  const std::vector<float> doubled = biasTimes(3, 2), tripled = biasTimes(4, 3);
  CHECK(f.run() == Calls{1, 2, 0, 0});
  CHECK(f.run() == Calls{1, 2, 1, 1});
  f.setOne("c", DType::Bool, false);
  CHECK(f.run() == Calls{1, 1, 0, 0}); // A launch is no graph.
  CHECK(f.y() == biasTimes(1, 3));
  f.setOne("c", DType::Bool, true);
  CHECK(f.run() == Calls{1, 0, 0, 1});
  CHECK(f.y() == doubled);
  // An element that kernels take is part of a graph.
  f.setOne<int64_t>("g", DType::I64, 3);
  CHECK(f.run() == Calls{1, 2, 0, 0});
  CHECK(f.y() == tripled);
  f.setOne<int64_t>("g", DType::I64, 2);
  CHECK(f.run() == Calls{1, 0, 0, 1});
  CHECK(f.y() == doubled);
}

/// y = the positive elements of x: f32[N], twice.
static PackageManifest positives() {
  StepBuilder b;
  using Kind = BufferManifest::Kind;
  const size_t x = b.input("x", {symbol("N")});
  b.package.symbols = {"N"};
  const size_t count = b.buffer(Kind::transient, 8, DType::I64);
  const size_t taken = b.buffer(Kind::transient, symbol("K") * 4);
  const size_t y = b.output("y", {symbol("K")});
  b.package.steps = {
      StepBuilder::list("count_positive", x, symbol("N"), count, {}),
      StepBuilder::of(ReadManifest{count, {"K"}}),
      StepBuilder::list("take_positive", x, symbol("N"), taken, {symbol("K")}),
      {"", {}, "y", CopyManifest{taken, y}}};
  return b.package;
}

TEST_CASE("a size that was read has graphs of its own") {
  Fixture f(positives());
  const std::vector<float> three{1, -1, 2, 3, -2}, two{-1, 1, -2, 5, -3};
  auto check = [&](std::vector<float> x, Calls expected) {
    f.set("x", x);
    CHECK(f.run() == expected);
    std::erase_if(x, [](float value) { return value <= 0; });
    CHECK(f.y() == x);
  };
  check(three, {1, 2, 0, 0});
  check(two, {1, 2, 0, 0});
  check(three, {1, 2, 1, 1});
  check(two, {1, 2, 1, 1});
  check({9, -1, 8, -1, 7}, {1, 1, 0, 1});
  check({-1, -1, 8, -1, 7}, {1, 1, 0, 1});
  // What needs more memory has other addresses.
  check(std::vector<float>(500, 2), {1, 2, 0, 0});
  check(std::vector<float>(500, 3), {1, 2, 1, 1});
  check(three, {1, 2, 0, 0});
  check(three, {1, 2, 1, 1});
}

TEST_CASE("a graph that cannot be made is an error of one run") {
  for (const char *function :
       {"cuStreamBeginCapture_v2", "cuStreamEndCapture",
        "cuGraphInstantiateWithFlags", "cuGraphLaunch"}) {
    Fixture f(loopOfTwo(true));
    f.set("x", {1, 1, 1, 1});
    f.set("n", std::vector<float>(2));
    REQUIRE(f.session->run().ok());
    fakeFail(function, 1, 2 /* out of memory */);
    INFO(function);
    CHECK_FALSE(f.session->run().ok());
    CHECK_FALSE(f.session->output("y").ok());
    for (int round = 0; round < 3; ++round) {
      f.run();
      CHECK(f.y() == biasTimes(4, 1));
    }
  }
}

TEST_CASE("graphs of one session serve conditions and sizes that change") {
  Fixture f(changingPackage());
  checkChangingSession(*f.session, 100);
  CHECK(fakeCalls("cuGraphLaunch") > 100);
}

TEST_CASE("random branches and loops compute the same as graphs") {
  Fake fake;
  TemporaryFolder folder;
  auto device = *openFake();
  for (unsigned seed = 0; seed < 60; ++seed) {
    const PackageManifest package = RandomSteps(seed).package;
    INFO("seed " << seed << "\n" << printPackageManifest(package));
    const auto path = folder / ("m" + std::to_string(seed));
    writeTestPackage(path, withGpuKernels(package));
    auto session = *(*Model::load(device, path))->createSession();
    for (float first : {0.f, 1.f, 0.f, 1.f, 0.f})
      checkAgainstOracle(*session, package, {first, 2, -1, 0.5f});
  }
  CHECK(fakeCalls("cuGraphLaunch") > 100);
}
