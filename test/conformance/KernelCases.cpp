#include "Conformance.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <algorithm>
#include <future>
#include <thread>

namespace tilewright::runtime::conformance {

using DevicePointer = std::shared_ptr<Device>;

static std::string seesTheGrid(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto kernel = makeKernel(*device, programIds(*device));
  EXPECT(stream && kernel);
  for (Shape shape :
       {Shape{1, 1, 1}, Shape{1, 1, 1000}, Shape{3, 5, 7}, Shape{64, 1, 2}}) {
    auto count = size_t(shape[0] * shape[1] * shape[2]);
    auto buffer = makeBuffer(*device, count * 8);
    EXPECT(buffer);
    LaunchArgument argument = LaunchArgument::view(*buffer, shape);
    EXPECT(launch(*stream, *kernel, {&argument, 1}).ok());
    std::vector<int64_t> ids = read(*stream, *buffer, count);
    EXPECT(ids.size() == count);
    size_t at = 0;
    for (int64_t z = 0; z < shape[0]; ++z)
      for (int64_t y = 0; y < shape[1]; ++y)
        for (int64_t x = 0; x < shape[2]; ++x)
          EXPECT(ids[at++] == x + 100 * y + 10000 * z);
  }
  return "";
}

static std::string launchesInOrder(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto kernel = makeKernel(*device, multiplyAdd(*device));
  auto data = makeBuffer(*device, 8 * 500);
  EXPECT(stream && kernel && data);
  EXPECT(write(*stream, *data, std::vector<int64_t>(500, 1)).ok());
  EXPECT(launchMultiplyAdd(*stream, *kernel, *data, 10, 2).ok()); // 12
  EXPECT(launchMultiplyAdd(*stream, *kernel, *data, 3, 0).ok());  // 36
  EXPECT(launchMultiplyAdd(*stream, *kernel, *data, -1, 1).ok()); // -35
  EXPECT(read(*stream, *data, 500) == std::vector<int64_t>(500, -35));
  return "";
}

/// Behind a host call that waits, everything is queued; the words of the
/// launches must have been copied.
static std::string queuedWork(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto kernel = makeKernel(*device, multiplyAdd(*device));
  auto data = makeBuffer(*device, 8 * 300);
  EXPECT(stream && kernel && data);
  std::vector<int64_t> ones(300, 1), before(300), after(300);
  std::promise<void> go;
  std::future<void> gone = go.get_future();
  EXPECT(stream->hostCall([&gone] { gone.wait(); }).ok());
  EXPECT(stream->copyToDevice(*data, 0, ones.data(), 2400).ok());
  EXPECT(launchMultiplyAdd(*stream, *kernel, *data, 10, 2).ok());
  EXPECT(stream->copyToHost(before.data(), *data, 0, 2400).ok());
  EXPECT(launchMultiplyAdd(*stream, *kernel, *data, 2, 1).ok());
  EXPECT(stream->copyToHost(after.data(), *data, 0, 2400).ok());
  go.set_value();
  EXPECT(stream->synchronize().ok());
  EXPECT(before == std::vector<int64_t>(300, 12));
  EXPECT(after == std::vector<int64_t>(300, 25));
  return "";
}

/// What the launches of `kernel` find in its workspace, one after the other;
/// the same for each element.
static std::vector<int64_t> tallies(Device &device, const Kernel &kernel,
                                    std::span<const int64_t> counts) {
  auto stream = makeStream(device);
  std::vector<int64_t> found;
  for (int64_t count : counts) {
    auto out = makeBuffer(device, size_t(8 * count));
    LaunchArgument argument = LaunchArgument::view(*out, {count});
    Status launched = launch(*stream, kernel, {&argument, 1});
    std::vector<int64_t> numbers = read(*stream, *out, size_t(count));
    const bool agree = launched.ok() && numbers.size() == size_t(count) &&
                       std::ranges::count(numbers, numbers[0]) == count;
    found.push_back(agree ? numbers[0] : -1);
  }
  return found;
}

/// The workspace is zeroed when it is made, again when it must grow, and on
/// each stream; or before each launch.
static std::string providesWorkspaces(const DevicePointer &device) {
  using Zeroed = KernelWorkspace::Zeroed;
  using Numbers = std::vector<int64_t>;
  auto once = makeKernel(*device, tally(*device, Zeroed::once));
  auto each = makeKernel(*device, tally(*device, Zeroed::launch));
  EXPECT(once && each);
  const int64_t counts[] = {40, 40, 30, 50, 50, 500, 1};
  EXPECT(tallies(*device, *once, counts) == Numbers{0, 1, 2, 0, 1, 0, 1});
  EXPECT(tallies(*device, *once, counts) == Numbers{0, 1, 2, 0, 1, 0, 1});
  EXPECT(tallies(*device, *each, counts) == Numbers(7, 0));
  auto unknown = makeKernel(*device, tally(*device, Zeroed::never));
  EXPECT(unknown);
  return "";
}

static std::string rejectsWorkspaces(const DevicePointer &device) {
  auto stream = makeStream(*device);
  KernelManifest manifest = tally(*device, KernelWorkspace::Zeroed::never);
  manifest.workspace->bytes = *Expression::parse("arg0.dim0 - 100");
  auto kernel = makeKernel(*device, manifest);
  auto out = makeBuffer(*device, 80);
  EXPECT(stream && kernel && out);
  LaunchArgument argument = LaunchArgument::view(*out, {10});
  Status launched = launch(*stream, *kernel, {&argument, 1});
  EXPECT(launched.message() == "kernel 'tally': workspace: expected at least 0 "
                               "bytes, found -90");
  return "";
}

namespace {
/// Memory of a device that is not the one under test.
class ElsewhereBuffer : public Buffer {
public:
  [[nodiscard]] uint64_t address() const override { return 4096; }
  [[nodiscard]] size_t size() const override { return 64; }
  [[nodiscard]] const MemorySpace *space() const override {
    static const MemorySpace elsewhere = {"elsewhere"};
    return &elsewhere;
  }
};
} // namespace

static std::string rejectsLaunches(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto kernel = makeKernel(*device, multiplyAdd(*device));
  auto data = makeBuffer(*device, 8);
  EXPECT(stream && kernel && data);
  Status foreign = launchMultiplyAdd(*stream, *kernel, ElsewhereBuffer(), 1, 0);
  EXPECT(foreign.code() == StatusCode::invalidInput);
  EXPECT(foreign.message().find("argument 0: its memory is of 'elsewhere'") !=
         std::string::npos);
  uint64_t words[3] = {data->address(), 1, 0};
  EXPECT(stream->launch(*kernel, words, {0, 1, 1}).ok());
  EXPECT(stream->launch(*kernel, words, {1, 1, 0}).ok());
  EXPECT(!stream->launch(*kernel, words, {-1, 1, 1}).ok());
  EXPECT(!stream->launch(*kernel, words, {INT64_MAX, 4, 1}).ok());
  EXPECT(!stream->launch(*kernel, {words, 2}, {1, 1, 1}).ok());
  EXPECT(!stream->launch(*kernel, {}, {1, 1, 1}).ok());
  EXPECT(stream->synchronize().ok());
  return "";
}

namespace {
class ForeignKernel : public Kernel {
public:
  ForeignKernel() : Kernel({}) {}
};
} // namespace

static std::string rejectsForeignKernels(const DevicePointer &device) {
  auto stream = makeStream(*device);
  EXPECT(stream);
  ForeignKernel kernel;
  EXPECT(!stream->launch(kernel, {}, {1, 1, 1}).ok());
  EXPECT(stream->synchronize().ok());
  return "";
}

static std::string rejectsOtherTargets(const DevicePointer &device) {
  EXPECT(device->accepts(multiplyAdd(*device)).ok());
  KernelManifest other = multiplyAdd(*device);
  other.target = "abacus";
  Status status = device->accepts(other);
  EXPECT(!status.ok());
  EXPECT(status.message().find("abacus") != std::string::npos);
  return "";
}

static std::string rejectsImages(const DevicePointer &device) {
  std::string image = imageFor(*device);
  EXPECT(!image.empty());
  for (size_t length :
       {size_t{0}, size_t{10}, image.rfind('{') + 1, image.size() - 1})
    EXPECT(!device->loadModule(std::as_bytes(std::span(image.data(), length)))
                .ok());
  return "";
}

static std::string rejectsEntries(const DevicePointer &device) {
  KernelManifest kernel = multiplyAdd(*device);
  kernel.entry = "nowhere";
  EXPECT(makeKernel(*device, multiplyAdd(*device)));
  EXPECT(!makeKernel(*device, kernel));
  return "";
}

/// Kernels keep their module alive, and both keep what they need of the device.
static std::string outlives(const DevicePointer &shared) {
  auto opened = openDevice(shared->info().name);
  EXPECT(opened.ok());
  DevicePointer device = *std::move(opened);
  auto kernel = makeKernel(*device, multiplyAdd(*device)); // Its module goes.
  auto stream = makeStream(*device);
  auto data = makeBuffer(*device, 16);
  EXPECT(kernel && stream && data);
  device.reset();
  EXPECT(write(*stream, *data, {1, 2}).ok());
  EXPECT(launchMultiplyAdd(*stream, *kernel, *data, 2, 0).ok());
  EXPECT(read(*stream, *data, 2) == std::vector<int64_t>{2, 4});
  return "";
}

static std::string manyThreads(const DevicePointer &device) {
  auto kernel = makeKernel(*device, multiplyAdd(*device));
  EXPECT(kernel);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      auto stream = makeStream(*device);
      auto data = makeBuffer(*device, 8 * 200);
      for (int64_t i = 0; i < 50; ++i) {
        int64_t start = int64_t(t) * 1000 + i;
        bool good =
            write(*stream, *data, std::vector<int64_t>(200, start)).ok() &&
            launchMultiplyAdd(*stream, *kernel, *data, 3, 1).ok() &&
            launchMultiplyAdd(*stream, *kernel, *data, 2, 5).ok() &&
            read(*stream, *data, 200) ==
                std::vector<int64_t>(200, (start * 3 + 1) * 2 + 5);
        wrong[t] += !good;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT(wrong == std::vector<int>(4, 0));
  return "";
}

static std::string graphsReplay(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto kernel = makeKernel(*device, multiplyAdd(*device));
  auto data = makeBuffer(*device, 8 * 70), copy = makeBuffer(*device, 8 * 70);
  EXPECT(stream && kernel && data && copy);
  EXPECT(write(*stream, *data, std::vector<int64_t>(70, 1)).ok());
  EXPECT(write(*stream, *copy, std::vector<int64_t>(70, 0)).ok());
  EXPECT(!stream->endCapture().ok());
  EXPECT(stream->beginCapture().ok());
  EXPECT(!stream->beginCapture().ok());
  EXPECT(launchMultiplyAdd(*stream, *kernel, *data, 10, 2).ok());
  EXPECT(launchMultiplyAdd(*stream, *kernel, *data, 3, 0).ok());
  EXPECT(stream->copy(*copy, 0, *data, 0, 8 * 70).ok());
  auto graph = stream->endCapture();
  EXPECT(graph.ok());
  // Nothing was done yet, and each replay does it all.
  EXPECT(read(*stream, *data, 70) == std::vector<int64_t>(70, 1));
  EXPECT(stream->launch(**graph).ok());
  EXPECT(read(*stream, *copy, 70) == std::vector<int64_t>(70, 36));
  EXPECT(stream->launch(**graph).ok());
  EXPECT(stream->launch(**graph).ok());
  EXPECT(read(*stream, *copy, 70) == std::vector<int64_t>(70, 32586));
  // On another stream too.
  auto other = makeStream(*device);
  EXPECT(write(*other, *data, std::vector<int64_t>(70, 0)).ok());
  EXPECT(other->launch(**graph).ok());
  EXPECT(read(*other, *copy, 70) == std::vector<int64_t>(70, 6));
  return "";
}

static std::string graphsReject(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto data = makeBuffer(*device, 8);
  auto event = device->createEvent();
  EXPECT(stream && data && event.ok());
  int64_t word = 7;
  EXPECT(stream->beginCapture().ok());
  EXPECT(!stream->copyToDevice(*data, 0, &word, 8).ok());
  EXPECT(!stream->copyToHost(&word, *data, 0, 8).ok());
  EXPECT(!stream->hostCall([] {}).ok());
  EXPECT(!stream->record(**event).ok());
  EXPECT(!stream->wait(**event).ok());
  EXPECT(!stream->synchronize().ok());
  auto graph = stream->endCapture(); // What was rejected does no harm.
  EXPECT(graph.ok());
  EXPECT(stream->launch(**graph).ok());
  EXPECT(write(*stream, *data, {5}).ok());
  EXPECT(read(*stream, *data, 1) == std::vector<int64_t>{5});
  EXPECT(stream->beginCapture().ok());
  stream = nullptr; // A capture that nobody ends goes with its stream.
  return "";
}

std::span<const Case> kernelCases() {
  static constexpr Case cases[] = {
      {"kernels see the grid", seesTheGrid},
      {"launches run in order", launchesInOrder},
      {"queued work keeps its order and its words", queuedWork},
      {"workspaces are zeroed as kernels ask", providesWorkspaces},
      {"workspaces of negative sizes are rejected", rejectsWorkspaces},
      {"launches that do not fit are rejected", rejectsLaunches},
      {"foreign kernels are rejected", rejectsForeignKernels},
      {"kernels for other targets are rejected", rejectsOtherTargets},
      {"malformed images are rejected", rejectsImages},
      {"missing entries are rejected", rejectsEntries},
      {"things outlive their makers", outlives},
      {"many threads, a stream each", manyThreads},
      {"graphs replay what was captured", graphsReplay},
      {"graphs reject what they cannot hold", graphsReject},
  };
  return cases;
}

} // namespace tilewright::runtime::conformance
