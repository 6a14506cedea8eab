// Checks and prints of kernels in C++: the same on each device.
#include "tilewright/authoring.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::authoring;
using runtime::Device;

namespace {

struct Location {
  const char *device, *target;
};
constexpr Location locations[] = {{"interpreter", ""},
                                  {"cpu", ""},
                                  {"emulator", "sm_80"},
                                  {"emulator", "sm_90a"}};

/// A device, and the lines that its kernels printed.
struct Machine {
  explicit Machine(const Location &location, bool listens = true)
      : location(location) {
    runtime::DeviceOptions options;
    options.threads = 2;
    if (listens)
      options.prints = [this](std::string_view line) {
        lines.emplace_back(line);
      };
    device = *runtime::openDevice(location.device, options);
    stream = *device->createStream();
  }
  /// One launch; its error.
  std::string run(const Kernel &kernel, bool checkBounds,
                  std::initializer_list<Argument> arguments) {
    LoadOptions options;
    options.target = location.target;
    options.build.checkBounds = checkBounds;
    auto loaded = load(kernel, *device, {}, options);
    if (!loaded.ok())
      return loaded.status().message();
    Status launched = loaded->launchAll(*stream, arguments);
    return launched.ok() ? stream->synchronize().message() : launched.message();
  }
  DeviceTensor tensor(std::vector<int32_t> values) {
    return *DeviceTensor::copyOf(*device, *stream, {int64_t(values.size())},
                                 values);
  }

  const Location location;
  std::vector<std::string> lines;
  std::shared_ptr<Device> device;
  std::unique_ptr<runtime::Stream> stream;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// "EffectsTest.cpp:12", which ends in what the line's number begins with.
std::string lineOf(int line) {
  return "EffectsTest.cpp:" + std::to_string(line);
}

} // namespace

TEST_CASE("effects: numbers of each kind print alike") {
  Kernel k = kernel("k", [](Scalar<I32> n, Scalar<F32> x, Scalar<F64> y) {
    auto [i] = program(3);
    print("50% of ", n, n < 0, x, y / 0.0, i);
    print("only words");
  });
  for (const Location &location : locations) {
    CAPTURE(location.device, location.target);
    Machine machine(location);
    REQUIRE(machine.run(k, false, {-7, 0.1, -2.5}) == "");
    std::ranges::sort(machine.lines);
    CHECK(machine.lines ==
          std::vector<std::string>{
              "program [0]: 50% of -7, 1, 0.100000001, -inf, 0",
              "program [0]: only words",
              "program [1]: 50% of -7, 1, 0.100000001, -inf, 1",
              "program [1]: only words",
              "program [2]: 50% of -7, 1, 0.100000001, -inf, 2",
              "program [2]: only words"});
  }
}

TEST_CASE("effects: floats print with the digits that tell them apart") {
  Kernel k = kernel("k", [](Scalar<F64> x) {
    print("", x, cast<F32>(x), cast<F16>(x), cast<BF16>(x));
  });
  for (const Location &location : locations) {
    CAPTURE(location.device, location.target);
    Machine machine(location);
    REQUIRE(machine.run(k, false, {1.0 / 3}) == "");
    REQUIRE(machine.run(k, false, {1e30}) == "");
    CHECK(machine.lines ==
          std::vector<std::string>{
              "program [0]: 0.33333333333333331, 0.333333343, 0.333251953, "
              "0.333984375",
              "program [0]: 1e+30, 1.00000002e+30, inf, "
              "1.00025555e+30"});
  }
}

TEST_CASE("effects: a tile prints its elements in brackets") {
  Kernel k = kernel("k", [](View<I32, 1> x) {
    auto t = x.load(0, 6);
    print("t = ", reshape<2>(t, {2, 3}), sum(t, axis(0)), t == 2);
  });
  for (const char *device : {"interpreter", "cpu"}) {
    CAPTURE(device);
    Machine machine({device, ""});
    REQUIRE(machine.run(k, false, {machine.tensor({0, 1, 2, 3, 4, 5})}) == "");
    CHECK(machine.lines == std::vector<std::string>{
                               "program [0]: t = [[0, 1, 2], [3, 4, 5]], [15], "
                               "[0, 0, 1, 0, 0, 0]"});
  }
  Machine gpu({"emulator", "sm_80"});
  CHECK(contains(gpu.run(k, false, {gpu.tensor({0, 1, 2, 3, 4, 5})}),
                 "tile.print: expected scalars, found a tile"));
}

TEST_CASE("effects: without a sink nothing is printed, and nothing fails") {
  Kernel k = kernel("k", [](Scalar<I32> n) { print("n = ", n); });
  for (const Location &location : locations) {
    CAPTURE(location.device, location.target);
    Machine machine(location, /*listens=*/false);
    CHECK(machine.run(k, false, {1}) == "");
  }
}

TEST_CASE("effects: a check that fails ends the launch, at the user's line") {
  int line = 0;
  Kernel k = kernel("k", [&line](View<I32, 1> x, View<I32, 1> y) {
    auto [i] = program(ceilDiv(x.dim(0), 4));
    auto t = x.load(i, 4, inBounds);
    line = __LINE__ + 1;
    check(t < 10, "t is small");
    y.store(i, t);
  });
  for (const Location &location : locations) {
    CAPTURE(location.device, location.target);
    Machine machine(location);
    std::vector<int32_t> values(8, 1);
    DeviceTensor y = machine.tensor(values);
    CHECK(machine.run(k, false, {machine.tensor(values), y}) == "");
    values[6] = 11;
    std::string error = machine.run(k, false, {machine.tensor(values), y});
    CAPTURE(error);
    CHECK(contains(error, "kernel 'k'"));
    CHECK(contains(error, "t is small"));
    CHECK(contains(error, lineOf(line)));
    bool isGpu = *location.target;
    CHECK(contains(error, isGpu ? "block 1,0,0" : "element 2, program [1]"));
    // The next launch is not touched by it.
    CHECK(machine.run(k, false, {machine.tensor({1, 1, 1, 1}), y}) == "");
  }
}

TEST_CASE("effects: a scalar check, in a grid of two dimensions") {
  Kernel k = kernel("k", [](Scalar<I32> n) {
    auto [i, j] = program(2, 3);
    check(cast<I32>(j) < n, "j is below n");
  });
  for (const Location &location : locations) {
    CAPTURE(location.device, location.target);
    Machine machine(location);
    CHECK(machine.run(k, false, {3}) == "");
    std::string error = machine.run(k, false, {2});
    CAPTURE(error);
    CHECK(contains(error, "j is below n"));
    CHECK((contains(error, ", 2]") || contains(error, ",2,0")));
  }
}

/// What is behind the check is not reached: the store would leave its memory.
TEST_CASE("effects: reads are checked on each device where a build asks") {
  Kernel k = kernel("k", [](View<I32, 1> x, View<I32, 1> y, Index i) {
    y.store(0, x.load(i, 4, inBounds));
  });
  for (const Location &location : locations) {
    CAPTURE(location.device, location.target);
    Machine machine(location);
    DeviceTensor x = machine.tensor({0, 1, 2, 3, 4, 5, 6, 7});
    DeviceTensor y = machine.tensor({0, 0, 0, 0});
    CHECK(machine.run(k, true, {x, y, 1}) == "");
    for (int64_t i : {int64_t(2), int64_t(-1), int64_t(1) << 40}) {
      std::string error = machine.run(k, true, {x, y, i});
      CAPTURE(error, i);
      CHECK(contains(error, "the tile leaves the view along dimension 0"));
      CHECK(contains(error, "EffectsTest.cpp:"));
    }
  }
}

TEST_CASE("effects: a launch of many programs ends at its first failed check") {
  Kernel k = kernel("k", [](View<I32, 1> x) {
    auto [i] = program(x.dim(0));
    auto t = x.load(i, 1);
    check(t == 0, "all are 0");
    print("", i);
  });
  for (const Location &location : locations) {
    CAPTURE(location.device, location.target);
    Machine machine(location);
    std::vector<int32_t> values(300, 0);
    values[0] = 1;
    CHECK(
        contains(machine.run(k, false, {machine.tensor(values)}), "all are 0"));
    CHECK(machine.lines.size() < 300);
  }
}
