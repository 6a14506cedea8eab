// Memory of the caller in place of a session's own.
#include "TestPackage.h"
#include "runtime/null/NullDevice.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <list>
#include <random>

using namespace tilewright;
using namespace tilewright::runtime;

/// Memory of `count` floats that begins `offset` bytes behind a multiple of 64,
/// with guards around it.
namespace {
class Memory {
public:
  explicit Memory(size_t count, size_t offset = 0)
      : bytes(count * sizeof(float)), storage(bytes + 256, std::byte(0x7b)) {
    const auto address = reinterpret_cast<uintptr_t>(storage.data());
    start = (64 - address % 64) % 64 + 64 + offset;
    std::memset(storage.data() + start, 0, bytes);
  }
  std::span<std::byte> span() { return {storage.data() + start, bytes}; }
  void set(const std::vector<float> &values) {
    std::memcpy(span().data(), values.data(), bytes);
  }
  std::vector<float> get() {
    std::vector<float> values(bytes / sizeof(float));
    std::memcpy(values.data(), span().data(), bytes);
    return values;
  }
  /// Whether nothing around it was written.
  bool isAlone() const {
    for (size_t i = 0; i < storage.size(); ++i)
      if ((i < start || i >= start + bytes) && storage[i] != std::byte(0x7b))
        return false;
    return true;
  }

private:
  size_t bytes;
  std::vector<std::byte> storage;
  size_t start;
};

struct Fixture {
  explicit Fixture(const PackageManifest &manifest = testManifest(),
                   std::shared_ptr<Device> device = *openDevice("cpu", {2})) {
    writeTestPackage(folder / "m.twp", manifest);
    auto loaded = Model::load(std::move(device), folder / "m.twp");
    INFO(loaded.status().message());
    REQUIRE(loaded.ok());
    model = *loaded;
    session = *model->createSession();
  }
  Status bind(TensorRole role, std::string_view name, Memory &memory,
              Shape shape, Shape strides = {}) {
    return session->bind(
        role, name,
        {DType::F32, std::move(shape), std::move(strides), memory.span()});
  }
  void run() {
    Status ran = session->run();
    INFO(ran.message());
    REQUIRE(ran.ok());
  }
  TemporaryFolder folder;
  std::shared_ptr<const Model> model;
  std::unique_ptr<Session> session;
};
} // namespace

static std::vector<float> randomValues(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> result(count);
  for (float &value : result)
    value = float(int(random() % 2001) - 1000) / 8;
  return result;
}

/// y of testManifest(): (x * W + bias) * 2 + bias.
static std::vector<float> expectedY(const std::vector<float> &x, int64_t width,
                                    std::vector<float> bias = testBias()) {
  std::vector<float> y;
  for (size_t i = 0; i < x.size(); ++i) {
    const float b = bias[i % size_t(width) % 4];
    y.push_back((x[i] * float(width) + b) * 2 + b);
  }
  return y;
}

TEST_CASE("bound inputs and outputs are used in place") {
  Fixture fixture;
  std::list<Memory> kept; // Other memory each time.
  for (unsigned seed = 0; seed < 8; ++seed) {
    Memory &x = kept.emplace_back(15), &y = kept.emplace_back(15),
           &flat = kept.emplace_back(15);
    REQUIRE(fixture.bind(TensorRole::input, "x", x, {3, 5}).ok());
    REQUIRE(fixture.bind(TensorRole::output, "y", y, {3, 5}).ok());
    REQUIRE(fixture.bind(TensorRole::output, "flat", flat, {15}).ok());
    CHECK_FALSE(fixture.session->output("s").ok());
    for (unsigned again = 0; again < 2; ++again) {
      x.set(randomValues(15, 2 * seed + again)); // Counts at the next run.
      fixture.run();
      CHECK(y.get() == expectedY(x.get(), 5));
      CHECK(flat.get() == x.get());
      CHECK(fixture.session->boundCopies().count == 0);
      auto copy = fixture.session->output("y");
      REQUIRE(copy.ok());
      CHECK(std::memcmp(copy->data(), y.span().data(), 60) == 0);
    }
    CHECK((x.isAlone() && y.isAlone() && flat.isAlone()));
  }
}

TEST_CASE("a bound weight counts at the next run") {
  Fixture fixture;
  Memory x(8), y(8), bias(4);
  x.set(randomValues(8, 1));
  REQUIRE(fixture.bind(TensorRole::input, "x", x, {2, 4}).ok());
  REQUIRE(fixture.bind(TensorRole::output, "y", y, {2, 4}).ok());
  REQUIRE(fixture.bind(TensorRole::weight, "bias", bias, {4}).ok());
  for (float scale : {1.0f, -3.0f}) {
    bias.set({scale, 2 * scale, 3, 4});
    fixture.run();
    CHECK(y.get() == expectedY(x.get(), 4, bias.get()));
  }
  REQUIRE(fixture.session->unbind(TensorRole::weight, "bias").ok());
  fixture.run();
  CHECK(y.get() == expectedY(x.get(), 4));
  CHECK(fixture.session->boundCopies().count == 0);
}

TEST_CASE("other layouts cost one copy each, which is counted") {
  Fixture fixture;
  Memory x(15), y(18), bias(8), broadcast(5);
  const std::vector<float> transposed = randomValues(15, 3);
  x.set(transposed);
  std::vector<float> dense;
  for (size_t i = 0; i < 15; ++i)
    dense.push_back(transposed[i % 5 * 3 + i / 5]);
  bias.set({0.5f, 9, -1.0f, 9, 2.0f, 9, 8.0f, 9});
  REQUIRE(fixture.bind(TensorRole::input, "x", x, {3, 5}, {1, 3}).ok());
  REQUIRE(fixture.bind(TensorRole::output, "y", y, {3, 5}, {6, 1}).ok());
  REQUIRE(fixture.bind(TensorRole::weight, "bias", bias, {4}, {2}).ok());
  fixture.run();
  std::vector<float> wanted;
  const std::vector<float> given = expectedY(dense, 5);
  for (size_t i = 0; i < 18; ++i) // The rows' ends stay.
    wanted.push_back(i % 6 == 5 ? 0 : given[i / 6 * 5 + i % 6]);
  CHECK(y.get() == wanted);
  CHECK(fixture.session->boundCopies().count == 3);
  CHECK(fixture.session->boundCopies().bytes == 60 + 60 + 16);
  broadcast.set({1, 2, 3, 4, 5});
  REQUIRE(fixture.bind(TensorRole::input, "x", broadcast, {3, 5}, {0, 1}).ok());
  fixture.run();
  const std::vector<float> rows = expectedY({1, 2, 3, 4, 5}, 5);
  for (size_t i = 0; i < 15; ++i)
    CHECK(y.get()[i / 5 * 6 + i % 5] == rows[i % 5]);
}

TEST_CASE("memory may be aligned in any way, or hold nothing") {
  for (size_t offset : {4, 8, 20, 1, 63}) {
    Fixture fixture;
    Memory x(15, offset), y(15, offset);
    x.set(randomValues(15, 5));
    REQUIRE(fixture.bind(TensorRole::input, "x", x, {3, 5}).ok());
    REQUIRE(fixture.bind(TensorRole::output, "y", y, {3, 5}).ok());
    fixture.run();
    CHECK(y.get() == expectedY(x.get(), 5));
    CHECK((x.isAlone() && y.isAlone()));
    // No float is at an odd address.
    CHECK(fixture.session->boundCopies().count == (offset % 4 ? 2 : 0));
  }
  Fixture fixture;
  REQUIRE(fixture.session
              ->bind(TensorRole::input, "x", {DType::F32, {0, 5}, {}, {}})
              .ok());
  REQUIRE(fixture.session
              ->bind(TensorRole::output, "y", {DType::F32, {0, 5}, {}, {}})
              .ok());
  fixture.run();
  CHECK(fixture.session->output("y")->shape() == Shape{0, 5});
}

TEST_CASE("guards on addresses are asked again for other memory") {
  // Variants compute other numbers of blocks of 64 elements.
  PackageManifest manifest = variantsManifest("cpu");
  manifest.buffers[4].initial.reset();
  manifest.kernels.resize(2);
  manifest.kernels[0].guards = {"aligned(arg0, 32)"};
  manifest.kernels[1].guards.clear();
  Fixture fixture(manifest);
  Memory y(144);
  REQUIRE(fixture.bind(TensorRole::output, "y", y, {2, 72}).ok());
  auto computed = [&](size_t offset) {
    Memory x(144, offset);
    x.set(std::vector<float>(144, 100));
    y.set(std::vector<float>(144, -7));
    REQUIRE(fixture.bind(TensorRole::input, "x", x, {2, 72}).ok());
    fixture.run();
    CHECK(fixture.session->boundCopies().count == 0);
    int64_t count = 0;
    for (float value : y.get())
      count += value != -7;
    return count;
  };
  for (int again = 0; again < 2; ++again) {
    CHECK(computed(0) == 64);
    CHECK(computed(4) == 128);
    CHECK(computed(16) == 128);
    CHECK(computed(32) == 64);
  }
}

TEST_CASE("a kernel that needs alignment gets a copy") {
  PackageManifest manifest = testManifest();
  manifest.kernels[0].guards = {"aligned(arg0, 16)"};
  Fixture fixture(manifest);
  for (size_t offset : {4, 16, 4}) {
    Memory x(15, offset), y(15);
    x.set(randomValues(15, 7));
    REQUIRE(fixture.bind(TensorRole::input, "x", x, {3, 5}).ok());
    REQUIRE(fixture.bind(TensorRole::output, "y", y, {3, 5}).ok());
    fixture.run();
    CHECK(y.get() == expectedY(x.get(), 5));
    CHECK(fixture.session->boundCopies().count == (offset % 16 ? 1 : 0));
  }
}

TEST_CASE("a bound input may change its shape, and setInput ends the binding") {
  Fixture fixture;
  for (int64_t rows : {1, 7, 2, 300, 7}) {
    Memory x(size_t(rows) * 4), y(size_t(rows) * 4);
    x.set(randomValues(size_t(rows) * 4, unsigned(rows)));
    REQUIRE(fixture.bind(TensorRole::input, "x", x, {rows, 4}).ok());
    REQUIRE(fixture.bind(TensorRole::output, "y", y, {rows, 4}).ok());
    fixture.run();
    CHECK(y.get() == expectedY(x.get(), 4));
  }
  REQUIRE(fixture.session->unbind(TensorRole::output, "y").ok());
  CHECK(fixture.session->output("y").status().message() ==
        "output 'y': the session has not run");
  REQUIRE(fixture.session->setInput("x", floats({1, 1}, {3})).ok());
  fixture.run();
  CHECK(fixture.session->output("y")->as<float>()[0] == (3 + .5f) * 2 + .5f);
  Memory x(4);
  REQUIRE(fixture.bind(TensorRole::input, "x", x, {1, 4}).ok());
  REQUIRE(fixture.session->unbind(TensorRole::input, "x").ok());
  CHECK_THAT(fixture.session->run().message(),
             Catch::StartsWith("input 'x' is not set"));
}

TEST_CASE("a bound scalar is read at each run") {
  PackageManifest manifest = testManifest();
  manifest.buffers.push_back(
      {BufferManifest::Kind::input, DType::I64, 8, "", std::nullopt});
  manifest.inputs.push_back({"factor", DType::I64, {}, 8});
  manifest.steps[1].arguments[3] = StepArgument::element(1);
  Fixture fixture(manifest);
  REQUIRE(fixture.session->setInput("x", floats({1, 1}, {3})).ok());
  int64_t factor = 0;
  REQUIRE(fixture.session
              ->bind(TensorRole::input, "factor",
                     {DType::I64,
                      {},
                      {},
                      std::as_writable_bytes(std::span(&factor, 1))})
              .ok());
  for (int64_t value : {2, -5, 2, 0}) {
    factor = value;
    fixture.run();
    CHECK(fixture.session->output("y")->as<float>()[0] ==
          3.5f * float(value) + .5f);
  }
}

TEST_CASE("each bad binding is one clear error") {
  Fixture fixture;
  Memory x(16), y(16);
  auto error = [&](TensorRole role, std::string_view name,
                   TensorMemory memory) {
    Status status = fixture.session->bind(role, name, std::move(memory));
    REQUIRE_FALSE(status.ok());
    return status.message();
  };
  CHECK(error(TensorRole::input, "z", {DType::F32, {2, 4}, {}, x.span()}) ==
        "the model has no input 'z'\n  the model's inputs: x: f32[N, W]");
  CHECK_THAT(error(TensorRole::output, "x", {DType::F32, {2, 4}, {}, x.span()}),
             Catch::StartsWith("the model has no output 'x'\n  the model's "
                               "outputs: y: f32[N, W]"));
  CHECK(error(TensorRole::weight, "w", {DType::F32, {4}, {}, x.span()}) ==
        "the model has no weight 'w'\n  the model's weights: bias");
  CHECK_THAT(
      error(TensorRole::input, "x", {DType::I32, {2, 4}, {}, x.span()}),
      Catch::StartsWith("input 'x' has dtype i32, the model expects f32"));
  CHECK_THAT(error(TensorRole::input, "x", {DType::F32, {8}, {}, x.span()}),
             Catch::Contains("rank is 1, expected 2"));
  CHECK(error(TensorRole::output, "y", {DType::F32, {8}, {}, y.span()}) ==
        "output 'y' is f32[N, W], found memory of f32[8]");
  CHECK(error(TensorRole::weight, "bias", {DType::F32, {5}, {}, y.span()}) ==
        "weight 'bias' has 16 bytes of f32, found 20 bytes of f32[5]");
  CHECK(error(TensorRole::input, "x", {DType::F32, {3, 6}, {}, x.span()}) ==
        "input 'x': a tensor of shape [3, 6] with strides [6, 1] needs 72 "
        "bytes, found 64");
  CHECK(
      error(TensorRole::input, "x", {DType::F32, {2, 4}, {13, 1}, x.span()}) ==
      "input 'x': a tensor of shape [2, 4] with strides [13, 1] needs 68 "
      "bytes, found 64");
  CHECK(error(TensorRole::input, "x",
              {DType::F32, {2, 4}, {INT64_MAX, 1}, x.span()}) ==
        "input 'x': a tensor of shape [2, 4] with strides "
        "[9223372036854775807, 1] needs more than 2^63 bytes, found 64");
  CHECK_THAT(
      error(TensorRole::input, "x", {DType::F32, {2, 4}, {-4, 1}, x.span()}),
      Catch::StartsWith("input 'x': expected strides that are not negative"));
  CHECK(error(TensorRole::input, "x", {DType::F32, {2, 4}, {1}, x.span()}) ==
        "input 'x': expected 2 strides, as memory has shape [2, 4], found 1");
  CHECK(
      error(TensorRole::output, "y", {DType::F32, {2, 4}, {0, 1}, y.span()}) ==
      "output 'y': elements of its memory overlap: shape [2, 4], strides "
      "[0, 1]");
  REQUIRE(fixture.bind(TensorRole::input, "x", x, {2, 4}).ok());
  CHECK(error(TensorRole::output, "y",
              {DType::F32, {2, 4}, {}, x.span().subspan(28)}) ==
        "output 'y': its memory overlaps that of input 'x', which is bound; "
        "what is written must be in memory of its own");
  CHECK(fixture.session
            ->bind(TensorRole::output, "y",
                   {DType::F32, {2, 4}, {}, x.span().subspan(32)})
            .ok());
  REQUIRE(fixture.bind(TensorRole::output, "y", y, {3, 4}).ok());
  CHECK(fixture.session->run().message() ==
        "output 'y' is bound to memory of shape [3, 4], this run gives [2, 4]");
}

TEST_CASE("a device without memory of the host copies what is bound") {
  std::shared_ptr<NullDevice> device = NullDevice::create();
  Fixture fixture(testManifest(), device);
  Memory x(15), y(15);
  REQUIRE(fixture.bind(TensorRole::input, "x", x, {3, 5}).ok());
  REQUIRE(fixture.bind(TensorRole::output, "y", y, {3, 5}).ok());
  const size_t before = device->calls().size();
  for (unsigned runs = 1; runs <= 2; ++runs) {
    fixture.run();
    CHECK(fixture.session->boundCopies().count == 2);
    const std::vector<std::string> calls = device->calls();
    auto count = [&](const char *call) {
      return std::count(calls.begin() + ptrdiff_t(before), calls.end(), call);
    };
    CHECK(count("copy to device 60 bytes") == runs);
    CHECK(count("copy to host 60 bytes") == runs);
  }
}
