#include "tilewright/runtime/Launch.h"
#include "TestPackage.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::runtime;

static KernelManifest example() {
  KernelManifest kernel;
  kernel.name = "k";
  kernel.arguments = {KernelArgument::view(DType::F32, 2, {1}, {0}),
                      KernelArgument::scalar(),
                      KernelArgument::scalar(DType::F32)};
  kernel.grid = {*Expression::parse("ceildiv(arg0.dim0, 4)"),
                 *Expression::parse("arg1"),
                 *Expression::parse("arg0.stride0")};
  return kernel;
}

static std::vector<LaunchArgument> exampleArguments() {
  LaunchArgument view;
  view.isView = true;
  view.address = 0x1000;
  view.bytes = 4 * (4 * 16 + 8);
  view.dims = {5, 8};
  view.strides = {16, 1};
  return {view, LaunchArgument::integer(-1), LaunchArgument::f32(1.0f)};
}

static std::string error(const KernelManifest &kernel,
                         const std::vector<LaunchArgument> &arguments) {
  auto plan = planLaunch(kernel, arguments);
  REQUIRE_FALSE(plan.ok());
  CHECK(plan.status().message().starts_with("kernel 'k': "));
  return plan.status().message();
}

TEST_CASE("a grid has a limit, and may be empty") {
  KernelManifest kernel = example();
  auto planned = [&](int64_t x, int64_t y) {
    kernel.grid = {Expression(x), Expression(y)};
    return planLaunch(kernel, exampleArguments()).status().message();
  };
  CHECK(planned(int64_t{1} << 47, 2).empty());
  CHECK(planned(INT64_MAX, 0).empty());
  for (auto [x, y] : {std::pair<int64_t, int64_t>{int64_t{1} << 47, 3},
                      {INT64_MAX, 1},
                      {INT64_MAX, INT64_MAX}})
    CHECK(planned(x, y).starts_with("kernel 'k': expected a grid of at most "
                                    "281474976710656 programs, found ["));
}

TEST_CASE("arguments become words as the manifest says") {
  KernelManifest kernel = example();
  kernel.grid[1] = *Expression::parse("arg1 + 3");
  auto plan = planLaunch(kernel, exampleArguments());
  INFO(plan.status().message());
  REQUIRE(plan.ok());
  CHECK(plan->words ==
        std::vector<uint64_t>{0x1000, 8, 16, UINT64_MAX, 0x3f800000});
  CHECK(plan->grid == Grid{2, 2, 16});
}

TEST_CASE("arguments that do not fit are rejected") {
  KernelManifest kernel = example();
  auto arguments = exampleArguments();
  CHECK(error(kernel, arguments).find("negative dimension") !=
        std::string::npos);
  CHECK(error(kernel, {}).find("expected 3 arguments, found 0") !=
        std::string::npos);
  arguments[0].bytes -= 1;
  CHECK(error(kernel, arguments).find("does not fit in 287 bytes") !=
        std::string::npos);
  arguments = exampleArguments();
  arguments[0].dims = {5};
  CHECK(
      error(kernel, arguments).find("argument 0: expected a view of rank 2") !=
      std::string::npos);
  arguments = exampleArguments();
  std::swap(arguments[0], arguments[1]);
  CHECK(error(kernel, arguments).find("argument 0: expected a view") !=
        std::string::npos);
  arguments = exampleArguments();
  arguments[0].dims = {INT64_MAX, INT64_MAX};
  CHECK(error(kernel, arguments).find("does not fit") != std::string::npos);
}

TEST_CASE("an empty view fits anywhere, a broadcast one in one element") {
  KernelManifest kernel = example();
  kernel.grid = {1};
  auto arguments = exampleArguments();
  arguments[0].bytes = 0;
  arguments[0].dims = {0, INT64_MAX};
  CHECK(planLaunch(kernel, arguments).ok());
  arguments[0].bytes = 4;
  arguments[0].dims = {1000, 1000};
  arguments[0].strides = {0, 0};
  CHECK(planLaunch(kernel, arguments).ok());
}

TEST_CASE("guards are checked") {
  KernelManifest kernel = example();
  kernel.grid = {1};
  auto arguments = exampleArguments();
  kernel.guards = {"mod(arg0.stride0, 8) == 0", "aligned(arg0, 4096)",
                   "arg1 < 0"};
  CHECK(planLaunch(kernel, arguments).ok());
  arguments[0].address = 0x1040;
  CHECK(error(kernel, arguments)
            .find("guard 'aligned(arg0, 4096)' does not "
                  "hold: 4160 against 4096") != std::string::npos);
}

TEST_CASE("views that share a byte are not disjoint") {
  KernelManifest kernel;
  kernel.name = "k";
  kernel.grid = {1};
  kernel.arguments = {KernelArgument::view(DType::F32, 2, {0, 1}, {0}),
                      KernelArgument::view(DType::F16, 1, {0})};
  kernel.guards = {"disjoint(arg0, arg1)"};
  std::vector<LaunchArgument> arguments(2);
  for (LaunchArgument &argument : arguments) {
    argument.isView = true;
    argument.bytes = 4096;
  }
  auto holds = [&](uint64_t first, uint64_t second) {
    arguments[0].address = first;
    arguments[1].address = second;
    return planLaunch(kernel, arguments).ok();
  };
  // Two rows of three, four elements apart: 28 bytes. And ten of two bytes.
  arguments[0].dims = {2, 3};
  arguments[0].strides = {4, 1};
  arguments[1].dims = {10};
  CHECK(holds(1000, 1028));
  CHECK_FALSE(holds(1000, 1026));
  CHECK(holds(1020, 1000));
  CHECK_FALSE(holds(1018, 1000));
  CHECK_FALSE(holds(1000, 1000));
  CHECK(error(kernel, arguments)
            .find("guard 'disjoint(arg0, arg1)' does not hold: arg1 begins 0 "
                  "bytes after arg0, which has 28") != std::string::npos);
  // What has no elements shares nothing.
  arguments[1].dims = {0};
  CHECK(holds(1000, 1000));
  CHECK(holds(1000, 1008));
  arguments[1].dims = {10};
  arguments[0].dims = {0, 3};
  CHECK(holds(1000, 1000));
  // Where strides are missing nothing holds, and nothing is read.
  arguments[0].dims = {2, 3};
  arguments[0].strides = {4};
  CHECK_FALSE(holds(1000, 2000));
}

TEST_CASE("a grid may depend on the device") {
  KernelManifest kernel = example();
  kernel.grid = {
      *Expression::parse("min(arg0.dim0, 2 * device.multiprocessors)")};
  CHECK(planLaunch(kernel, exampleArguments())->grid[0] == 2);
  CHECK(planLaunch(kernel, exampleArguments(), 2)->grid[0] == 4);
  CHECK(planLaunch(kernel, exampleArguments(), 132)->grid[0] == 5);
}

TEST_CASE("a workspace is the last word") {
  KernelManifest kernel = example();
  kernel.grid = {1};
  kernel.workspace = {*Expression::parse("arg0.dim0 * 16"), {}};
  auto plan = planLaunch(kernel, exampleArguments());
  REQUIRE(plan.ok());
  CHECK(plan->words.size() == 6);
  CHECK(plan->words.size() == kernel.words());
  CHECK(plan->workspace == 80);
}

namespace {
struct AnyKernel : Kernel {
  using Kernel::Kernel;
};
} // namespace

TEST_CASE("a launch takes the first variant whose guards hold") {
  KernelManifest kernel = example();
  kernel.grid = {1};
  std::vector<std::shared_ptr<Kernel>> variants;
  for (const char *guard :
       {"mod(arg0.dim1, 16) == 0", "aligned(arg0, 4096)", "arg1 < 0"}) {
    kernel.guards = {guard};
    variants.push_back(std::make_shared<AnyKernel>(kernel));
  }
  auto arguments = exampleArguments();
  auto chosen = [&] { return planLaunch(variants, arguments)->variant; };
  CHECK(chosen() == 1);
  arguments[0].address = 0x1040;
  CHECK(chosen() == 2);
  arguments[0].dims[1] = 16;
  arguments[0].bytes = 4 * 5 * 16;
  CHECK(chosen() == 0);
  std::swap(variants[0], variants[2]);
  CHECK(chosen() == 0);
  CHECK(planLaunch(variants, arguments)->plan.words[2] == 16);
  // None fits: the last one's reason.
  arguments[0].dims[1] = 8;
  arguments[1] = LaunchArgument::integer(1);
  CHECK(planLaunch(variants, arguments)
            .status()
            .message()
            .find("guard 'mod(arg0.dim1, 16) == 0' does not hold") !=
        std::string::npos);
}

TEST_CASE("a launch on the cpu runs each program of a grid of three") {
  auto device = *openDevice("cpu", {2});
  auto module = device->loadModule(asBytes(objectBytes("kernels")));
  INFO(module.status().message());
  REQUIRE(module.ok());
  auto kernel = (*module)->kernel(programIdsKernel());
  REQUIRE(kernel.ok());
  auto stream = *device->createStream();
  for (Shape shape : {Shape{3, 5, 7}, Shape{1, 1, 1}, Shape{2, 0, 4}}) {
    size_t count = size_t(shape[0] * shape[1] * shape[2]);
    auto buffer = *device->allocate(count * 8);
    std::vector<LaunchArgument> arguments = {
        LaunchArgument::view(*buffer, shape)};
    Status launched = launch(*stream, **kernel, arguments);
    INFO(launched.message());
    REQUIRE(launched.ok());
    std::vector<int64_t> ids(count);
    REQUIRE(stream->copyToHost(ids.data(), *buffer, 0, count * 8).ok());
    REQUIRE(stream->synchronize().ok());
    size_t at = 0;
    for (int64_t z = 0; z < shape[0]; ++z)
      for (int64_t y = 0; y < shape[1]; ++y)
        for (int64_t x = 0; x < shape[2]; ++x)
          CHECK(ids[at++] == x + 100 * y + 10000 * z);
  }
  KernelManifest missing = programIdsKernel();
  missing.entry = "nothing";
  CHECK((*module)->kernel(missing).status().message() ==
        "the object defines no function 'nothing'");
}
