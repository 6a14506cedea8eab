// The device "interpreter": words to arguments, and the faults it finds.
#include "verify/device/InterpreterDevice.h"
#include "codegen/pipeline/DescribeKernel.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Launch.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::runtime;

namespace {
/// An image and the manifest of its kernel @k.
struct Image {
  std::string code;
  KernelManifest manifest;
};

/// A device with a stream, and what tests do with them.
struct Host {
  std::shared_ptr<Device> device = verify::makeInterpreterDevice();
  std::unique_ptr<Stream> stream = *device->createStream();

  std::shared_ptr<Kernel> kernel(const Image &image) {
    auto module = device->loadModule(std::as_bytes(std::span(image.code)));
    REQUIRE(module.ok());
    auto kernel = (*module)->kernel(image.manifest);
    INFO(kernel.status().message());
    REQUIRE(kernel.ok());
    return *kernel;
  }
  std::shared_ptr<Buffer> buffer(const std::vector<float> &data) {
    auto buffer = *device->allocate(data.size() * 4);
    REQUIRE(
        stream->copyToDevice(*buffer, 0, data.data(), data.size() * 4).ok());
    return buffer;
  }
  std::vector<float> read(const Buffer &buffer) {
    std::vector<float> data(buffer.size() / 4);
    REQUIRE(stream->copyToHost(data.data(), buffer, 0, buffer.size()).ok());
    REQUIRE(stream->synchronize().ok());
    return data;
  }
  /// What synchronize says after a launch: "" for good.
  std::string run(const Kernel &kernel,
                  const std::vector<LaunchArgument> &arguments) {
    REQUIRE(launch(*stream, kernel, arguments).ok());
    return stream->synchronize().message();
  }
};
} // namespace

/// The text as it is, or the same module as bytecode.
static Image image(const std::string &text, bool bytecode = false) {
  mlir::MLIRContext context;
  prepareContext(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  auto kernel = module->lookupSymbol<tile::KernelOp>("k");
  auto manifest =
      describeKernel("k", kernel.getSignature(), verify::interpreterName);
  REQUIRE(manifest.ok());
  std::string code = text;
  if (bytecode) {
    code.clear();
    llvm::raw_string_ostream stream(code);
    REQUIRE(succeeded(mlir::writeBytecodeToFile(*module, stream)));
  }
  return {code, *manifest};
}

static const char *scaled = R"(
  tile.kernel @k(%x: !tile.view<?x?xf32, strides<[?, 1]>>,
                 %y: !tile.view<?x3xf32>, %factor: f32)
      grid affine_map<()[s0, s1, s2, s3] -> (s0 ceildiv 2)> {
    %0 = arith.constant 0 : index
    %i = tile.program_id
    %a = tile.load %x[%i, %0] pad 0.0
        : !tile.view<?x?xf32, strides<[?, 1]>> -> tensor<2x4xf32>
    %f = tile.splat %factor : f32 -> tensor<2x4xf32>
    %b = arith.mulf %a, %f : tensor<2x4xf32>
    tile.store %b, %y[%i, %0] : tensor<2x4xf32>, !tile.view<?x3xf32>
  })";

/// Reads one element through a pointer and writes it to a view.
static const char *peek = R"(
  tile.kernel @k(%p: !tile.ptr<f32>, %at: i64, %y: !tile.view<1xf32>) {
    %0 = arith.constant 0 : index
    %q = tile.offset %p, %at : !tile.ptr<f32>, i64
    %v = tile.load_ptr %q : !tile.ptr<f32>
    %t = tile.splat %v : f32 -> tensor<1xf32>
    tile.store %t, %y[%0] : tensor<1xf32>, !tile.view<1xf32>
  })";

/// The arguments of @peek: a pointer is a scalar to its manifest.
static std::vector<LaunchArgument> peekAt(const Buffer &buffer, int64_t at,
                                          const Buffer &out) {
  return {LaunchArgument::integer(int64_t(buffer.address())),
          LaunchArgument::integer(at), LaunchArgument::view(out, {1})};
}

TEST_CASE("interpreter: sizes, strides and scalars arrive, as text and as "
          "bytecode") {
  for (bool bytecode : {false, true}) {
    Host host;
    auto kernel = host.kernel(image(scaled, bytecode));
    // Three rows of 3 in rows of 5, from the second element on.
    std::vector<float> data(16);
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = float(i);
    auto x = host.buffer(data), y = host.buffer(std::vector<float>(9, -1));
    LaunchArgument view = LaunchArgument::view(*x, {3, 3}, {5, 1});
    view.address += 4, view.bytes -= 4;
    CHECK(host.run(*kernel, {view, LaunchArgument::view(*y, {3, 3}),
                             LaunchArgument::f32(0.5F)}) == "");
    CHECK(host.read(*y) ==
          std::vector<float>{0.5, 1, 1.5, 3, 3.5, 4, 5.5, 6, 6.5});
  }
}

TEST_CASE("interpreter: an access outside its buffer names op and argument") {
  Host host;
  auto kernel = host.kernel(image(peek));
  auto x = host.buffer({1, 2, 3}), y = host.buffer({0});
  CHECK(host.run(*kernel, peekAt(*x, 2, *y)) == "");
  CHECK(host.read(*y) == std::vector<float>{3});
  CHECK(host.run(*kernel, peekAt(*x, 3, *y)) ==
        "kernel 'k': image:5:10: tile.load_ptr: access to byte 12 of 'argument "
        "0', which has 12 bytes");
  // Reported once; the stream continues.
  CHECK(host.stream->synchronize().ok());
  CHECK(host.run(*kernel, peekAt(*x, 0, *y)) == "");
}

TEST_CASE("interpreter: after a fault, work is skipped until it is told") {
  Host host;
  auto kernel = host.kernel(image(peek));
  auto x = host.buffer({7}), y = host.buffer({0});
  REQUIRE(launch(*host.stream, *kernel, peekAt(*x, -1, *y)).ok());
  REQUIRE(launch(*host.stream, *kernel, peekAt(*x, 0, *y)).ok());
  CHECK(host.stream->synchronize().message().find("byte -4") !=
        std::string::npos);
  CHECK(host.read(*y) == std::vector<float>{0});
}

TEST_CASE("interpreter: memory never written is found, copies of it too") {
  Host host;
  auto kernel = host.kernel(image(peek));
  auto fresh = *host.device->allocate(8), copy = host.buffer({1, 2});
  auto y = host.buffer({0});
  std::string expected = "read of byte 4 of 'argument 0', which was never "
                         "written";
  auto faults = [&](const Buffer &buffer) {
    return host.run(*kernel, peekAt(buffer, 1, *y)).find(expected) !=
           std::string::npos;
  };
  CHECK(faults(*fresh));
  CHECK_FALSE(faults(*copy));
  REQUIRE(host.stream->copy(*copy, 4, *fresh, 0, 4).ok());
  CHECK(faults(*copy));
  float value = 5;
  REQUIRE(host.stream->copyToDevice(*fresh, 4, &value, 4).ok());
  CHECK_FALSE(faults(*fresh));
  // What a kernel writes counts.
  auto made = *host.device->allocate(4);
  CHECK(host.run(*kernel, peekAt(*copy, 0, *made)) == "");
  CHECK(host.run(*kernel, peekAt(*made, 0, *y)) == "");
  CHECK(host.read(*y) == std::vector<float>{1});
}

TEST_CASE("interpreter: constants cannot be written") {
  Host host;
  auto kernel = host.kernel(image(peek));
  auto owner = std::make_shared<std::vector<float>>(2, 1.0F);
  auto constant =
      *host.device->constant(std::as_bytes(std::span(*owner)), owner);
  auto y = host.buffer({0});
  CHECK(host.run(*kernel, peekAt(*constant, 1, *y)) == "");
  CHECK(host.run(*kernel, peekAt(*y, 0, *constant))
            .find("tile.store: write to 'argument 2', which is constant") !=
        std::string::npos);
  // The memory next to it belongs to another buffer.
  CHECK(host.run(*kernel, peekAt(*constant, 2, *y)).find("has 8 bytes") !=
        std::string::npos);
}

TEST_CASE("interpreter: failed assertions and poison, with the place it is "
          "from") {
  Host host;
  auto assertion = host.kernel(image(R"(
    tile.kernel @k(%n: i32) {
      %0 = arith.constant 0 : i32
      %ok = arith.cmpi sgt, %n, %0 : i32
      tile.assert %ok, "n is positive" : i1
    })"));
  CHECK(host.run(*assertion, {LaunchArgument::integer(1)}) == "");
  std::string failed = host.run(*assertion, {LaunchArgument::integer(-1)});
  CHECK(failed.find("image:5:7") != std::string::npos);
  CHECK(failed.find("n is positive") != std::string::npos);
  auto poison = host.kernel(image(R"(
    tile.kernel @k(%n: i32, %y: !tile.view<1xi32>) {
      %0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      %v = arith.shli %one, %n : i32
      %t = tile.splat %v : i32 -> tensor<1xi32>
      tile.store %t, %y[%0] : tensor<1xi32>, !tile.view<1xi32>
    })"));
  auto y = host.buffer({0});
  std::string text = host.run(
      *poison, {LaunchArgument::integer(32), LaunchArgument::view(*y, {1})});
  CHECK(text.find("image:7:7: tile.store: stores a poison value") !=
        std::string::npos);
  CHECK(text.find("\n  image:5:12: note:") != std::string::npos);
}

TEST_CASE("interpreter: memory between kernels may hold poison") {
  Host host;
  host.device = verify::makeInterpreterDevice({.holdsPoison = true});
  host.stream = *host.device->createStream();
  auto shift = host.kernel(image(R"(
    tile.kernel @k(%n: !tile.view<2xi32>, %y: !tile.view<2xi32>) {
      %0 = arith.constant 0 : index
      %one = arith.constant dense<1> : tensor<2xi32>
      %a = tile.load %n[%0] : !tile.view<2xi32> -> tensor<2xi32>
      %b = arith.shli %one, %a : tensor<2xi32>
      tile.store %b, %y[%0] : tensor<2xi32>, !tile.view<2xi32>
    })"));
  auto given = *host.device->allocate(8), between = *host.device->allocate(8);
  auto out = *host.device->allocate(8);
  auto shiftBy = [&](std::vector<int32_t> counts) {
    REQUIRE(host.stream->copyToDevice(*given, 0, counts.data(), 8).ok());
    for (const Buffer *to : {&*between, &*out})
      CHECK(host.run(*shift, {LaunchArgument::view(
                                  to == &*between ? *given : *between, {2}),
                              LaunchArgument::view(*to, {2})}) == "");
    std::vector<int32_t> found(2);
    REQUIRE(host.stream->copyToHost(found.data(), *out, 0, 8).ok());
    REQUIRE(host.stream->synchronize().ok());
    auto &source = dynamic_cast<verify::FreedomSource &>(*host.device);
    for (int32_t &element : found)
      if (!source.isWritten(&element, sizeof element))
        element = -1;
    return found;
  };
  CHECK(shiftBy({2, 3}) == std::vector<int32_t>{16, 256});
  CHECK(shiftBy({32, 3}) == std::vector<int32_t>{-1, 256});
  // What is written again is a number again.
  CHECK(shiftBy({1, 33}) == std::vector<int32_t>{4, -1});
}

TEST_CASE("interpreter: a manifest that is not the kernel's is rejected") {
  Host host;
  Image good = image(scaled);
  auto module = *host.device->loadModule(std::as_bytes(std::span(good.code)));
  auto rejection = [&](auto change) {
    KernelManifest manifest = good.manifest;
    change(manifest);
    return module->kernel(manifest).status().message();
  };
  CHECK(rejection([](auto &m) { m.entry = "main"; }) ==
        "the module has no kernel 'main'; its kernels are 'k'");
  CHECK(rejection([](auto &m) { m.arguments.pop_back(); }) ==
        "image:2:3: kernel 'k' takes 3 arguments, its manifest describes 2");
  CHECK(rejection([](auto &m) { m.arguments[1].dims = {}; }) ==
        "image:2:3: kernel 'k' takes !tile.view<?x3xf32> as argument 1, "
        "which passes 2 words; its manifest describes a view of rank 2 that "
        "passes 1");
  CHECK_FALSE(rejection([](auto &m) { m.arguments[1].dims = {1}; }).empty());
  CHECK_FALSE(rejection([](auto &m) { m.arguments[1].rank = 3; }).empty());
  CHECK_FALSE(rejection([](auto &m) {
                m.arguments[2] = KernelArgument::view(DType::F32, 1, {});
              }).empty());
  CHECK_FALSE(rejection([](auto &m) { m.grid.resize(2); }).empty());
  KernelManifest other = good.manifest;
  other.target = "cpu";
  CHECK(host.device->accepts(good.manifest).ok());
  CHECK(host.device->accepts(other).message() ==
        "the kernel is for cpu, the device runs kernels for interpreter");
  CHECK_FALSE(host.device->loadModule({}).ok());
}

/// Multiplies two matrices in three steps, whose tiles a GPU copies ahead.
static const char *multiplied = R"(
  tile.kernel @k(%a: !tile.view<16x48xf32>, %b: !tile.view<48x16xf32>,
                 %o: !tile.view<16x16xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%acc = %zero)
        -> (tensor<16x16xf32>) {
      %x = tile.load %a[%c0, %i] : !tile.view<16x48xf32> -> tensor<16x16xf32>
      %y = tile.load %b[%i, %c0] : !tile.view<48x16xf32> -> tensor<16x16xf32>
      %n = tile.dot %x, %y, %acc : tensor<16x16xf32>, tensor<16x16xf32>
          -> tensor<16x16xf32>
      scf.yield %n : tensor<16x16xf32>
    }
    tile.store %sum, %o[%c0, %c0] : tensor<16x16xf32>, !tile.view<16x16xf32>
  })";

static OwningOpRef<ModuleOp> moduleWith(const std::string &text,
                                        MLIRContext &context) {
  prepareContext(context);
  auto module = parseSourceString<ModuleOp>(text, &context);
  REQUIRE(module);
  return module;
}

/// Runs the image of @multiplied with these options.
static std::vector<float> runMultiplied(const KernelImage &image,
                                        verify::InterpreterOptions options) {
  Host host;
  host.device = verify::makeInterpreterDevice(std::move(options));
  host.stream = *host.device->createStream();
  auto kernel = host.kernel({image.code, image.manifest});
  std::vector<float> columns(size_t(48 * 16));
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i] = float(i % 16);
  auto a = host.buffer(std::vector<float>(size_t(16 * 48), 1));
  auto b = host.buffer(columns), o = host.buffer(std::vector<float>(256));
  CHECK(host.run(*kernel, {LaunchArgument::view(*a, {16, 48}),
                           LaunchArgument::view(*b, {48, 16}),
                           LaunchArgument::view(*o, {16, 16})}) == "");
  return host.read(*o);
}

TEST_CASE("interpreter: images of the tile level and of the scheduled level") {
  MLIRContext context;
  auto module = moduleWith(multiplied, context);
  auto kernel = module->lookupSymbol<tile::KernelOp>("k");
  std::vector<float> expected(256);
  for (size_t i = 0; i < 256; ++i)
    expected[i] = float(48 * (i % 16));
  auto image = levelImage(*module);
  REQUIRE(image.ok());
  CHECK(image->manifest.target == verify::interpreterName);
  CHECK(runMultiplied(*image, {}) == expected);

  TimingScope untimed;
  schedule::GpuSchedule schedule;
  schedule.stages = 3;
  auto scheduled = scheduleForGpu(kernel, *target::findGpuTarget("sm_80"),
                                  schedule, untimed);
  REQUIRE(scheduled.ok());
  image = levelImage(**scheduled);
  REQUIRE(image.ok());
  auto count = [&](auto op) {
    int ops = 0;
    (*scheduled)->walk([&](decltype(op)) { ++ops; });
    return ops;
  };
  CHECK(count(tilegpu::CopyOp()) > 0);
  for (bool late : {false, true})
    CHECK(runMultiplied(*image, {.copiesLandLate = late}) == expected);
}

TEST_CASE("interpreter: an image of a level has one kernel") {
  MLIRContext context;
  auto module =
      moduleWith("tile.kernel @a() { } tile.kernel @b() { }", context);
  CHECK(levelImage(*module).status().message() ==
        "expected one tile.kernel, found 2");
  module = moduleWith("func.func @f() { return }", context);
  CHECK(levelImage(*module).status().message() ==
        "expected one function with a tile.signature, found 0");
}

TEST_CASE("interpreter: programs run in the order of a seed") {
  MLIRContext context;
  auto module = moduleWith(R"(
    tile.kernel @k(%n: index)
        grid affine_map<()[n] -> (n)> {
      %i = tile.program_id
      tile.print "i", %i : index
    })",
                           context);
  auto image = levelImage(*module);
  REQUIRE(image.ok());
  auto order = [&](uint64_t seed) {
    std::string lines;
    Host host;
    host.device = verify::makeInterpreterDevice(
        {.prints = [&](std::string_view line) { lines += line.back(); },
         .orderSeed = seed});
    host.stream = *host.device->createStream();
    auto kernel = host.kernel({image->code, image->manifest});
    CHECK(host.run(*kernel, {LaunchArgument::integer(6)}) == "");
    return lines;
  };
  CHECK(order(0) == "012345");
  std::string shuffled = order(1);
  CHECK(shuffled != "012345");
  CHECK(shuffled == order(1));
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == "012345");
}

TEST_CASE("interpreter: some programs of a launch, the same at each level") {
  const std::string kernel = R"(
    tile.kernel @k(%y: !tile.view<?xf32>)
        grid affine_map<()[n] -> (n)> {
      %i = tile.program_id
      %one = arith.constant dense<1.0> : tensor<1xf32>
      tile.store %one, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    })";
  auto written = [&](int64_t most, uint64_t seed) {
    Host host;
    host.device = verify::makeInterpreterDevice(
        {.orderSeed = seed, .mostPrograms = most});
    host.stream = *host.device->createStream();
    auto memory = *host.device->allocate(10 * sizeof(float));
    CHECK(host.run(*host.kernel(image(kernel)),
                   {LaunchArgument::view(*memory, {10})}) == "");
    const std::vector<float> data = host.read(*memory);
    auto &source = dynamic_cast<verify::FreedomSource &>(*host.device);
    std::string all;
    for (const float &element : data)
      all += source.isWritten(&element, sizeof element) ? "1" : "0";
    return all;
  };
  CHECK(written(0, 0) == "1111111111");
  CHECK(written(10, 0) == "1111111111");
  CHECK(written(1, 0) == "1000000000");
  CHECK(written(2, 0) == "1000000001");
  const std::string four = written(4, 0);
  CHECK(std::ranges::count(four, '1') == 4);
  CHECK((four.front() == '1' && four.back() == '1'));
  CHECK(written(4, 3) == four);
}

TEST_CASE("interpreter: modules and streams of many threads") {
  auto device = openDevice(verify::interpreterName);
  REQUIRE(device.ok());
  Image text = image(peek);
  auto shared = (*(*device)->loadModule(std::as_bytes(std::span(text.code))))
                    ->kernel(text.manifest);
  const std::string fault =
      "kernel 'k': image:5:10: tile.load_ptr: access to byte 4 of 'argument "
      "0', which has 4 bytes";
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      auto stream = *(*device)->createStream();
      for (int i = 0; i < 100; ++i) {
        auto module =
            *(*device)->loadModule(std::as_bytes(std::span(text.code)));
        auto own = *module->kernel(text.manifest);
        auto x = *(*device)->allocate(4), y = *(*device)->allocate(4);
        float sent = float(100 * t + size_t(i)), found = -1;
        const Kernel &kernel = i % 4 == 0 ? *own : **shared;
        bool ok = stream->copyToDevice(*x, 0, &sent, 4).ok() &&
                  launch(*stream, kernel, peekAt(*x, 0, *y)).ok() &&
                  stream->copyToHost(&found, *y, 0, 4).ok() &&
                  stream->synchronize().ok();
        // A fault is reported to its own stream, once.
        ok &= launch(*stream, kernel, peekAt(*x, 1, *y)).ok() &&
              stream->synchronize().message() == fault;
        wrong[t] += !ok || found != sent;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
