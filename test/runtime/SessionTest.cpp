#include "TestPackage.h"
#include "runtime/null/NullDevice.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>
#include <random>
#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;

static std::vector<float> values(const HostTensor &tensor) {
  auto span = tensor.as<float>();
  return {span.begin(), span.end()};
}

static std::vector<float> randomValues(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> result(count);
  for (float &value : result)
    value = float(int(random() % 2001) - 1000) / 8;
  return result;
}

/// What the model of testManifest() computes.
struct Expected {
  std::vector<float> y, s;
  Expected(const std::vector<float> &x, int64_t n, int64_t w) {
    std::vector<float> bias = testBias();
    for (int64_t i = 0; i < n; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < w; ++j) {
        float t = x[size_t(i * w + j)] * float(w) + bias[size_t(j % 4)];
        y.push_back(t * 2 + bias[size_t(j % 4)]);
        sum += t;
      }
      s.push_back(sum);
    }
  }
};

/// Sets x, runs and compares; returns what is wrong. No assertions: it is
/// called from many threads.
static std::string runOnce(Session &session, int64_t n, int64_t w,
                           unsigned seed) {
  std::vector<float> x = randomValues(size_t(n * w), seed);
  Shape shape = {n, w};
  TensorView view{DType::F32, shape, std::as_bytes(std::span(x))};
  Status status = session.setInput("x", view);
  if (status.ok())
    status = session.run();
  if (!status.ok())
    return status.message();
  Expected expected(x, n, w);
  auto y = session.output("y"), s = session.output("s"),
       flat = session.output("flat"), copied = session.output("copied");
  if (!y.ok() || !s.ok() || !flat.ok() || !copied.ok())
    return "an output is missing";
  if (y->shape() != Shape{n, w} || values(*y) != expected.y)
    return "y is wrong";
  if (s->shape() != Shape{n} || values(*s) != expected.s)
    return "s is wrong";
  if (flat->shape() != Shape{n * w} || values(*flat) != x)
    return "flat is wrong";
  if (copied->shape() != Shape{2, 2} || values(*copied) != testBias())
    return "copied is wrong";
  return "";
}

namespace {
struct Fixture {
  explicit Fixture(const PackageManifest &manifest = testManifest(),
                   unsigned threads = 2) {
    writeTestPackage(folder / "m.twp", manifest);
    auto loaded = Model::load(*openDevice("cpu", {threads}), folder / "m.twp");
    INFO(loaded.status().message());
    REQUIRE(loaded.ok());
    model = *loaded;
    session = *model->createSession();
  }
  std::string inputError(std::string_view name, const TensorView &tensor,
                         std::string_view origin = {}) {
    Status status = session->setInput(name, tensor, origin);
    REQUIRE_FALSE(status.ok());
    return status.message();
  }
  TemporaryFolder folder;
  std::shared_ptr<const Model> model;
  std::unique_ptr<Session> session;
};
} // namespace

TEST_CASE("a step runs the first variant whose guards hold") {
  TemporaryFolder folder;
  PackageManifest manifest = variantsManifest("cpu");
  auto computed = [&](int64_t width) {
    writeTestPackage(folder / "m.twp", manifest);
    auto model = Model::load(*openDevice("cpu"), folder / "m.twp");
    INFO(model.status().message());
    REQUIRE(model.ok());
    return computedByVariant(**model, width);
  };
  CHECK(computed(72) == 64);
  CHECK(computed(68) == 128);
  CHECK(computed(66) == 192);
  std::swap(manifest.kernels[0], manifest.kernels[1]);
  CHECK(computed(72) == 128);
}

TEST_CASE("an input that the package was compiled for takes no other") {
  PackageManifest manifest = testManifest();
  manifest.inputs[0].value = "0000803f"; // 1.0
  Fixture fixture(manifest);
  for (auto [number, isGood] : {std::pair(1.0f, true), {2.0f, false}}) {
    Shape shape = {1, 1};
    TensorView view{DType::F32, shape, std::as_bytes(std::span(&number, 1))};
    Status status = fixture.session->setInput("x", view);
    CHECK(status.ok() == isGood);
    if (!isGood)
      CHECK_THAT(status.message(),
                 Catch::Contains("input 'x' has other elements than those that "
                                 "the package was compiled for"));
  }
}

TEST_CASE("a scalar that is an input may change between runs") {
  PackageManifest manifest = testManifest();
  manifest.buffers.push_back(
      {BufferManifest::Kind::input, DType::I64, 8, "", std::nullopt});
  manifest.inputs.push_back({"factor", DType::I64, {}, 8});
  // y = t * factor + bias, where t = x * W + bias.
  manifest.steps[1].arguments[3] = StepArgument::element(1);
  Fixture fixture(manifest);
  const float x = 3;
  Shape shape = {1, 1}, none;
  REQUIRE(
      fixture.session
          ->setInput("x", {DType::F32, shape, std::as_bytes(std::span(&x, 1))})
          .ok());
  const float bias = testBias()[0];
  for (int64_t factor : {2, -5, 2, 0}) {
    TensorView view{DType::I64, none, std::as_bytes(std::span(&factor, 1))};
    REQUIRE(fixture.session->setInput("factor", view).ok());
    REQUIRE(fixture.session->run().ok());
    auto y = fixture.session->output("y");
    REQUIRE(y.ok());
    CHECK(values(*y) == std::vector<float>{(x + bias) * float(factor) + bias});
  }
}

TEST_CASE("a package runs at several shapes, also back and forth") {
  for (unsigned threads : {1u, 2u, 4u}) {
    Fixture fixture(testManifest(), threads);
    unsigned seed = 0;
    for (auto [n, w] : std::vector<std::pair<int64_t, int64_t>>{{1, 1},
                                                                {2, 3},
                                                                {7, 64},
                                                                {1, 1},
                                                                {33, 65},
                                                                {2, 3},
                                                                {0, 5},
                                                                {5, 0},
                                                                {300, 40}}) {
      INFO(n << " x " << w << ", " << threads << " threads");
      CHECK(runOnce(*fixture.session, n, w, ++seed) == "");
    }
    for (int64_t n = 1; n < 80; ++n) // More shapes than plans are kept.
      CHECK(runOnce(*fixture.session, n, 4, ++seed) == "");
    CHECK(runOnce(*fixture.session, 1, 4, ++seed) == "");
  }
}

TEST_CASE("one session for each of many threads") {
  Fixture fixture;
  std::vector<std::string> errors(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto session = fixture.model->createSession();
      for (unsigned i = 0; i < 50 && errors[t].empty(); ++i)
        errors[t] = session.ok()
                        ? runOnce(**session, 1 + i % 7, 8 + t, i * 4 + t)
                        : session.status().message();
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(errors == std::vector<std::string>(4));
}

TEST_CASE("wrong inputs are rejected in the model's words") {
  PackageManifest manifest = testManifest();
  Fixture fixture;
  std::string note = "\n  the model's inputs: x: f32[N, W]";
  CHECK(fixture.inputError("z", floats({1}, {1})) ==
        "the model has no input 'z'" + note);
  CHECK(fixture.inputError("x", floats({1}, {1}), "img.npy") ==
        "input 'x' has shape [1], the model expects [N, W]\n"
        "  img.npy: rank is 1, expected 2" +
            note);
  auto integers = *HostTensor::allocate(DType::I32, {1, 1});
  CHECK(fixture.inputError("x", integers) ==
        "input 'x' has dtype i32, the model expects f32" + note);
  CHECK(fixture.session->run().message() == "input 'x' is not set" + note);
  CHECK(fixture.session->output("y").status().message() ==
        "output 'y': the session has not run");
  CHECK(runOnce(*fixture.session, 2, 2, 1) == "");
  CHECK(fixture.session->output("q").status().message() ==
        "the model has no output 'q'\n  the model's outputs: y: f32[N, W], s: "
        "f32[N], flat: f32[N * W], copied: f32[2, 2]");
}

/// A second input with static and derived dimensions.
static PackageManifest twoInputs() {
  PackageManifest manifest = testManifest();
  Expression n = Expression::symbol("N");
  manifest.buffers.push_back(
      {BufferManifest::Kind::input, DType::F32, n * 2 * 3 * 4, "", {}});
  manifest.inputs.push_back(
      {"mask", DType::F32, {n * 2, 3}, manifest.buffers.size() - 1});
  manifest.inputs.push_back({"m2", DType::F32, {n}, manifest.buffers.size()});
  manifest.buffers.push_back(
      {BufferManifest::Kind::input, DType::F32, n * 4, "", {}});
  manifest.checks = {
      {mod(Expression::symbol("W"), 2), 0, "the width must be even"}};
  return manifest;
}

TEST_CASE("static, derived and shared dimensions are checked") {
  Fixture fixture(twoInputs());
  std::string note =
      "\n  the model's inputs: x: f32[N, W], mask: f32[N * 2, 3], m2: f32[N]";
  auto tensor = [](Shape shape) {
    return *HostTensor::allocate(DType::F32, std::move(shape));
  };
  CHECK(fixture.inputError("mask", tensor({4, 5}), "img.npy") ==
        "input 'mask' has shape [4, 5], the model expects [N * 2, 3]\n"
        "  img.npy: dimension 1 is 5, expected 3" +
            note);
  Session &session = *fixture.session;
  REQUIRE(session.setInput("x", tensor({2, 4})).ok());
  REQUIRE(session.setInput("mask", tensor({5, 3})).ok());
  REQUIRE(session.setInput("m2", tensor({3})).ok());
  CHECK(session.run().message() ==
        "the inputs disagree on N\n  dimension 0 of input 'x' is 2\n"
        "  dimension 0 of input 'm2' is 3" +
            note);
  REQUIRE(session.setInput("m2", tensor({2})).ok());
  CHECK(session.run().message() ==
        "input 'mask' has shape [5, 3], the model expects [N * 2, 3]\n"
        "  dimension 0 is 5, expected 4 (N = 2, W = 4)" +
            note);
  REQUIRE(session.setInput("mask", tensor({4, 3})).ok());
  CHECK(session.run().ok());
  REQUIRE(session.setInput("x", tensor({2, 5})).ok());
  CHECK(session.run().message() ==
        "the width must be even\n"
        "  mod(W, 2) is 1, expected 0 = 0 (N = 2, W = 5)");
}

TEST_CASE("shapes, memory and times can be asked for") {
  Fixture fixture;
  CHECK_FALSE(fixture.session->outputShape("y").ok());
  CHECK(runOnce(*fixture.session, 16, 4, 1) == "");
  CHECK(*fixture.session->outputShape("flat") == Shape{64});
  MemoryUse use = *fixture.session->memoryUse();
  CHECK(use.arena == 256);
  CHECK(use.arenaLive == 256);
  CHECK(use.weights == 16);
  CHECK(use.interface == 256 + 256 + 64);
  // The same numbers without a session, from the shapes alone.
  const PackageManifest &manifest = fixture.session->model().manifest();
  auto planned = planMemory(manifest, std::vector<Shape>{{16, 4}});
  REQUIRE(planned.ok());
  CHECK(planned->arena == use.arena);
  CHECK(planned->arenaLive == use.arenaLive);
  CHECK(planned->weights == use.weights);
  CHECK(planned->interface == use.interface);
  CHECK(planMemory(manifest, std::vector<Shape>{{32, 4}})->arena == 512);
  CHECK(planMemory(manifest, std::vector<Shape>{{16}}).status().message() ==
        "input 'x' has shape [16], the model expects 2 dimensions");
  CHECK_FALSE(planMemory(manifest, {}).ok());
  auto times = fixture.session->profile();
  REQUIRE(times.ok());
  CHECK(times->size() == 3);
  CHECK((*times)[2].label == "s");
}

TEST_CASE("a package whose views do not fit its buffers is rejected") {
  PackageManifest manifest = testManifest();
  manifest.buffers[2].bytes = Expression::symbol("N") * 4;
  manifest.buffers[3].bytes = Expression::symbol("N") * 4;
  Fixture fixture(manifest);
  auto x = *HostTensor::allocate(DType::F32, {2, 3});
  REQUIRE(fixture.session->setInput("x", x).ok());
  std::string message = fixture.session->run().message();
  INFO(message);
  CHECK(message.find("step 0 (t): kernel 'affine': argument 2: a view of "
                     "f32[2, 3]") == 0);
}

TEST_CASE("a model on the null device makes the calls and nothing else") {
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp");
  auto device = NullDevice::create();
  auto model = *Model::load(device, folder / "m.twp");
  auto session = *model->createSession();
  auto x = *HostTensor::allocate(DType::F32, {3, 50});
  REQUIRE(session->setInput("x", x).ok());
  REQUIRE(session->run().ok());
  CHECK(device->calls() ==
        std::vector<std::string>{"copy to device 600 bytes", "synchronize",
                                 "launch affine [3, 1, 1] 6 words",
                                 "launch affine [3, 1, 1] 6 words",
                                 "launch row_sum [3, 1, 1] 3 words",
                                 "copy 600 bytes", "copy 16 bytes",
                                 "synchronize"});
}
