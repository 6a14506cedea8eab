// The device on a driver that works.
#include "../TestPackage.h"
#include "Fixture.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <future>
#include <numeric>
#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;

/// The result of the test's model for one input. No assertions: many threads
/// call it.
static std::vector<std::vector<std::byte>>
runModel(const Model &model, int64_t rows, int64_t columns) {
  auto session = *model.createSession();
  std::vector<float> x(size_t(rows * columns));
  std::iota(x.begin(), x.end(), -7.0f);
  Shape shape = {rows, columns};
  TensorView input{DType::F32, shape, std::as_bytes(std::span(x))};
  std::vector<std::vector<std::byte>> outputs;
  if (!session->setInput("x", input).ok() || !session->run().ok())
    return outputs;
  for (const char *name : {"y", "s", "flat", "copied"}) {
    auto output = session->output(name);
    if (!output.ok())
      return {};
    outputs.emplace_back(output->data(), output->data() + output->bytes());
  }
  return outputs;
}

TEST_CASE("a package runs on cuda as on the cpu, from many threads") {
  Fake fake;
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp", testManifestWithGpu());
  auto onCpu = *Model::load(*openDevice("cpu"), folder / "m.twp");
  auto loaded = Model::load(*openFake(), folder / "m.twp");
  INFO(loaded.status().message());
  REQUIRE(loaded.ok());
  auto onGpu = *std::move(loaded);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      for (auto [rows, columns] :
           {std::pair<int64_t, int64_t>{1, 1}, {3, 65}, {0, 4}, {40, 17}}) {
        auto expected = runModel(*onCpu, rows, columns);
        wrong[t] +=
            expected.empty() || runModel(*onGpu, rows, columns) != expected;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("a step on cuda runs the first variant whose guards hold") {
  Fake fake;
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp", variantsManifest("sm_80"));
  auto model = *Model::load(*openFake(), folder / "m.twp");
  CHECK(computedByVariant(*model, 72) == 64);
  CHECK(computedByVariant(*model, 68) == 128);
  CHECK(computedByVariant(*model, 66) == 192);
}

TEST_CASE("a session replays its steps as a graph") {
  Fake fake;
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp", testManifestWithGpu());
  auto model = *Model::load(*openFake(), folder / "m.twp");
  auto session = *model->createSession();
  auto sum = [&](std::vector<float> x, int64_t rows) {
    REQUIRE(session->setInput("x", floats({rows, 2}, x)).ok());
    REQUIRE(session->run().ok());
    return (*session->output("s")).as<float>()[0];
  };
  CHECK(sum({1, 2}, 1) == 5.5f); // (1 * 2 + 0.5) + (2 * 2 - 1)
  CHECK(fakeCalls("cuGraphLaunch") == 0);
  CHECK(sum({2, 2}, 1) == 7.5f);
  CHECK(fakeCalls("cuGraphLaunch") == 1);
  int launches = fakeCalls("cuLaunchKernelEx");
  CHECK(sum({3, 2}, 1) == 9.5f);
  CHECK(sum({4, 2}, 1) == 11.5f);
  CHECK(fakeCalls("cuGraphLaunch") == 3);
  CHECK(fakeCalls("cuLaunchKernelEx") == launches);
  // Memory that grows ends the graph.
  CHECK(sum({5, 2, 0, 0}, 2) == 13.5f);
  CHECK(fakeCalls("cuGraphLaunch") == 3);
  CHECK(sum({6, 2}, 1) == 15.5f);
}

TEST_CASE("of a package's variants the best one is taken") {
  Fake fake;
  TemporaryFolder folder;
  PackageManifest manifest = testManifestWithGpu();
  // The worst first, so that the order in the package does not decide.
  KernelManifest newer = manifest.kernels[2];
  newer.target = "sm_90a";
  newer.image = "kernels/newer.ptx";
  newer.guards = {"arg0.dim0 == 1234"};
  manifest.kernels.push_back(newer);
  writeTestPackage(folder / "m.twp", manifest);
  auto device = *openFake();
  auto package = *Package::load(folder / "m.twp");
  auto targetFor = [&](const char *kernel, const Device &on) {
    return package->findKernels(kernel, on)->front()->target;
  };
  CHECK(targetFor("affine", *device) == "sm_90a");
  CHECK(targetFor("row_sum", *device) == "sm_80");
  CHECK(targetFor("affine", **openDevice("cpu")) == "cpu");
}

/// Behind a host call that waits, a copy of several pieces must not wait, and
/// must see what the stream's order says.
TEST_CASE("large copies on a busy stream keep its order") {
  Fake fake;
  auto device = *openFake();
  const size_t bytes = (size_t{1} << 20) * 2 + 12345;
  auto buffer = *device->allocate(bytes);
  std::vector<char> source(bytes, 'a'), target(bytes, 'z'), late(bytes);
  for (size_t i = 0; i < bytes; ++i) // No piece is like another.
    late[i] = char(i % 251);
  std::promise<void> go;
  std::future<void> gone = go.get_future();
  auto stream = *device->createStream();
  REQUIRE(stream
              ->hostCall([&] {
                gone.wait();
                source = late;
              })
              .ok());
  REQUIRE(stream->copyToDevice(*buffer, 0, source.data(), bytes).ok());
  REQUIRE(stream->copyToHost(target.data(), *buffer, 0, bytes).ok());
  CHECK(target[0] == 'z');
  go.set_value();
  REQUIRE(stream->synchronize().ok());
  CHECK(target == late);
}

TEST_CASE("a device without pools allocates all the same") {
  for (int pools : {0, 1}) {
    Fake fake({.pools = pools});
    auto device = *openFake();
    auto stream = *device->createStream();
    auto buffer = *device->allocate(8);
    int64_t in = 42, out = 0;
    CHECK(stream->copyToDevice(*buffer, 0, &in, 8).ok());
    CHECK(stream->copyToHost(&out, *buffer, 0, 8).ok());
    CHECK(stream->synchronize().ok());
    CHECK(out == 42);
    CHECK((fakeCalls("cuMemAlloc_v2") == 0) == (pools == 1));
  }
}

TEST_CASE("what a device made may be destroyed in any order") {
  for (int round = 0; round < 24; ++round) {
    Fake fake;
    auto device = *openFake();
    auto kernel = *loadKernel(*device, kernelManifest("program_ids", 1),
                              kernelPtx("program_ids", 1));
    std::vector<std::shared_ptr<void>> things = {
        *device->createStream(), *device->createEvent(), *device->allocate(64),
        std::shared_ptr<void>(kernel)};
    kernel.reset();
    device.reset();
    std::vector<size_t> order(things.size());
    std::iota(order.begin(), order.end(), 0);
    for (int i = 0; i < round; ++i)
      std::next_permutation(order.begin(), order.end());
    for (size_t i : order)
      things[i].reset();
  }
}

TEST_CASE("things of two devices do not mix") {
  Fake fake({.devices = 2});
  auto one = *openFake(0), two = *openFake(1);
  auto stream = *one->createStream();
  auto mine = *one->allocate(8), theirs = *two->allocate(8);
  auto event = *two->createEvent(), own = *one->createEvent();
  auto kernel = *loadKernel(*two, kernelManifest("program_ids", 1),
                            kernelPtx("program_ids", 1));
  char data[8];
  CHECK_FALSE(stream->copy(*mine, 0, *theirs, 0, 8).ok());
  CHECK_FALSE(stream->copyToHost(data, *theirs, 0, 8).ok());
  CHECK_FALSE(stream->copyToDevice(*theirs, 0, data, 8).ok());
  CHECK_FALSE(stream->record(*event).ok());
  CHECK_FALSE(own->since(*event).ok());
  uint64_t word = theirs->address();
  CHECK_FALSE(stream->launch(*kernel, {&word, 1}, {1, 1, 1}).ok());
}

TEST_CASE("the caller's current context is left alone") {
  Fake fake;
  auto device = *openFake();
  auto stream = *device->createStream();
  int pushed = fakeCalls("cuCtxPushCurrent_v2");
  CHECK(stream->synchronize().ok());
  CHECK(fakeCalls("cuCtxPushCurrent_v2") == pushed + 1);
  CHECK(fakeCalls("cuCtxPopCurrent_v2") == pushed + 1);
}
