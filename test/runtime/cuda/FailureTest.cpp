// How failures read, and what is left after them.
#include "../TestPackage.h"
#include "Fixture.h"
#include "tilewright/runtime/Model.h"
#include <catch2/catch.hpp>
#include <future>

using namespace tilewright;
using namespace tilewright::runtime;

TEST_CASE("PTX that does not compile: the log of the driver's compiler") {
  Fake fake;
  auto device = *openFake();
  std::string ptx = kernelPtx("k", 1);
  ptx.resize(ptx.rfind('}'));
  Status status = device->loadModule(asBytes(ptx)).status();
  CHECK(status.code() == StatusCode::invalidInput);
  CHECK(status.message() ==
        "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218)\n"
        "  the driver cannot compile this PTX; its log follows, if it wrote "
        "one\n"
        "    ptxas application ptx input, line 7; fatal   : Parsing error near "
        "'': syntax error\n"
        "    ptxas fatal   : Ptx assembly aborted due to errors");
}

TEST_CASE("kernels that cannot be launched are rejected when they are found") {
  Fake fake;
  auto device = *openFake();
  auto rejection = [&](const KernelManifest &manifest, const std::string &ptx) {
    auto kernel = loadKernel(*device, manifest, ptx);
    REQUIRE_FALSE(kernel.ok());
    return kernel.status().message();
  };
  KernelManifest three = kernelManifest("k", 3);
  CHECK(rejection(three, kernelPtx("k", 2)) ==
        "the kernel 'k' takes 2 parameters; its manifest describes 3 words of "
        "64 bits");
  std::string narrow = kernelPtx("k", 3);
  narrow.replace(narrow.find(".u64 w1"), 4, ".u32");
  CHECK(contains(rejection(three, narrow), "not all of 64 bits"));
  KernelManifest wide = kernelManifest("k", 0);
  wide.block = 512;
  CHECK(rejection(wide, kernelPtx("k", 0, ".maxntid 256")) ==
        "the kernel is launched with blocks of 512 threads, its registers "
        "allow 256");
  KernelManifest large = kernelManifest("k", 0);
  large.shared = 232448;
  CHECK(rejection(large, kernelPtx("k", 0, "",
                                   ".shared .align 4 .b8 tile[1024];\n")) ==
        "the kernel needs 233472 bytes of shared memory in a block (1024 "
        "static), the device has 232448");
  CHECK(rejection(kernelManifest("other", 0), kernelPtx("k", 0)) ==
        "the image defines no kernel 'other' (cuModuleGetFunction)");
}

TEST_CASE("no memory: what was asked for and what is free") {
  Fake fake({.memory = 4000});
  auto device = *openFake();
  auto first = *device->allocate(3000);
  Status status = device->allocate(2000).status();
  CHECK(status.code() == StatusCode::resourceExhausted);
  CHECK(contains(status.message(),
                 "no memory for a buffer of 2000 bytes on cuda:0: 1000 of 4000 "
                 "bytes are free: cuMemAllocFromPoolAsync: "
                 "CUDA_ERROR_OUT_OF_MEMORY (2)"));
  CHECK(contains(device->allocate(5000).status().message(),
                 "no memory for a buffer of 5000 bytes on cuda:0: it has 4000 "
                 "bytes"));
  first.reset();
  CHECK(device->allocate(4000).ok());
}

TEST_CASE("a package without a variant for the GPU") {
  Fake fake({.major = 8, .minor = 6});
  TemporaryFolder folder;
  PackageManifest manifest = testManifestWithGpu();
  for (KernelManifest &kernel : manifest.kernels)
    if (kernel.target != "cpu")
      kernel.target = "sm_90a";
  writeTestPackage(folder / "m.twp", manifest);
  Status status = Model::load(*openFake(), folder / "m.twp").status();
  CHECK(status.code() == StatusCode::unsupported);
  CHECK(contains(status.message(),
                 "\n  cpu: the kernel is for cpu, the device runs kernels for "
                 "sm_NN\n  sm_90a: the kernel for sm_90a needs compute "
                 "capability 9.0 exactly, the device has 8.6"));
}

namespace {
/// A stream with one kernel that faults.
struct Faulty {
  Faulty() {
    device = *openFake();
    good = *loadKernel(*device, kernelManifest("program_ids", 1),
                       kernelPtx("program_ids", 1));
    bad = *loadKernel(*device, kernelManifest("bad", 1), kernelPtx("bad", 1));
    stream = *device->createStream();
    memory = *device->allocate(64);
    fakeFault("bad", 700);
  }
  Status launch(const Kernel &kernel) {
    uint64_t word = memory->address();
    return stream->launch(kernel, {&word, 1}, {1, 1, 1});
  }
  Fake fake;
  std::shared_ptr<Device> device;
  std::shared_ptr<Kernel> good, bad;
  std::unique_ptr<Stream> stream;
  std::shared_ptr<Buffer> memory;
};

constexpr const char *lostLine =
    "cuda:0 was lost by CUDA_ERROR_ILLEGAL_ADDRESS (700)\n"
    "  the kernel that was running: 'bad'\n"
    "  start a new process: this one cannot use the device any more";
} // namespace

TEST_CASE("a kernel that fails is named, once; what follows fails shortly") {
  Faulty f;
  REQUIRE(f.launch(*f.good).ok());
  REQUIRE(f.stream->synchronize().ok());
  REQUIRE(f.launch(*f.bad).ok());
  Status status = f.stream->synchronize();
  CHECK(status.code() == StatusCode::internal);
  CHECK(status.message() ==
        "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)\n"
        "  a kernel used memory outside its buffers\n"
        "  the kernel that was running: 'bad'\n"
        "  start a new process: this one cannot use the device any more");
  CHECK(f.stream->synchronize().message() == lostLine);
  CHECK(f.launch(*f.good).message() == lostLine);
  CHECK(f.device->allocate(8).status().message() == lostLine);
  CHECK(f.device->createStream().status().message() == lostLine);
  CHECK(f.device->createEvent().status().message() == lostLine);
  CHECK_FALSE(f.device->loadModule(asBytes(kernelPtx("k", 0))).ok());
  char data[8];
  CHECK_FALSE(f.stream->copyToHost(data, *f.memory, 0, 8).ok());
  CHECK_FALSE(f.stream->beginCapture().ok());
}

TEST_CASE("of several kernels the latest are listed") {
  Faulty f;
  for (int i = 0; i < 20; ++i)
    REQUIRE(f.launch(*f.good).ok());
  REQUIRE(f.launch(*f.bad).ok());
  std::string message = f.stream->synchronize().message();
  CHECK(contains(message, "one of the last 21 kernels, the latest first: "
                          "'bad', 'program_ids'\n"));
}

TEST_CASE("host calls and events happen after a failure, copies do not") {
  std::vector<int> order;
  int64_t in = 1, out = 5;
  std::promise<void> go;
  std::future<void> gone = go.get_future();
  Faulty f;
  auto event = *f.device->createEvent();
  REQUIRE(f.stream->hostCall([&] { gone.wait(); }).ok());
  REQUIRE(f.launch(*f.bad).ok());
  REQUIRE(f.stream->hostCall([&] { order.push_back(1); }).ok());
  REQUIRE(f.stream->copyToDevice(*f.memory, 0, &in, 8).ok());
  REQUIRE(f.stream->copyToHost(&out, *f.memory, 0, 8).ok());
  REQUIRE(f.stream->hostCall([&] { order.push_back(2); }).ok());
  REQUIRE(f.stream->record(*event).ok());
  go.set_value();
  CHECK_FALSE(f.stream->synchronize().ok());
  CHECK(order == std::vector<int>{1, 2});
  CHECK(out == 5);
  CHECK(event->reached());
  CHECK_FALSE(event->synchronize().ok());
}

TEST_CASE("a failure that a destructor meets is known later") {
  Faulty f;
  REQUIRE(f.launch(*f.bad).ok());
  f.stream = nullptr;
  CHECK(f.device->allocate(8).status().message() == lostLine);
}

TEST_CASE("host calls of a stream that is destroyed happen too") {
  int calls = 0;
  {
    std::promise<void> go;
    std::future<void> gone = go.get_future();
    Faulty f;
    REQUIRE(f.stream->hostCall([&] { gone.wait(); }).ok());
    REQUIRE(f.launch(*f.bad).ok());
    REQUIRE(f.stream->hostCall([&] { ++calls; }).ok());
    go.set_value();
  }
  CHECK(calls == 1);
}

TEST_CASE("a host call that was rejected does not happen") {
  Fake fake;
  auto device = *openFake();
  auto stream = *device->createStream();
  std::vector<int> order;
  fakeFail("cuLaunchHostFunc", 1, 999);
  CHECK_FALSE(stream->hostCall([&] { order.push_back(1); }).ok());
  CHECK(stream->hostCall([&] { order.push_back(2); }).ok());
  CHECK(stream->synchronize().ok());
  CHECK(order == std::vector<int>{2});
}

TEST_CASE("a failure in a graph names its kernels") {
  Faulty f;
  REQUIRE(f.stream->beginCapture().ok());
  REQUIRE(f.launch(*f.bad).ok());
  auto graph = f.stream->endCapture();
  REQUIRE(graph.ok());
  REQUIRE(f.stream->synchronize().ok());
  REQUIRE(f.stream->launch(**graph).ok());
  CHECK(contains(f.stream->synchronize().message(),
                 "the kernel that was running: 'bad'"));
}
