// What only GPUs have: threads in blocks, shared memory, clusters.
#include "Conformance.h"
#include <numeric>

namespace tilewright::runtime::conformance {

using DevicePointer = std::shared_ptr<Device>;

static std::string reverses(Device &device, Stream &stream,
                            const Kernel &kernel, int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 3);
  auto data = makeBuffer(device, numbers.size() * 8);
  EXPECT(data && write(stream, *data, numbers).ok());
  LaunchArgument argument = LaunchArgument::view(*data, {count});
  EXPECT(launch(stream, kernel, {&argument, 1}).ok());
  EXPECT(read(stream, *data, numbers.size()) ==
         std::vector<int64_t>(numbers.rbegin(), numbers.rend()));
  return "";
}

/// Two kernels of one entry: the second must not take from the first.
static std::string largeShared(const DevicePointer &device) {
  auto stream = makeStream(*device);
  std::string image = imageFor(*device);
  auto module =
      device->loadModule(std::as_bytes(std::span(image.data(), image.size())));
  EXPECT(stream && module.ok());
  auto large = (*module)->kernel(reverse(*device, 12000)); // 96,000 bytes
  auto medium = (*module)->kernel(reverse(*device, 7000)); // 56,000 bytes
  auto small = (*module)->kernel(reverse(*device, 100));
  EXPECT(large.ok() && medium.ok() && small.ok());
  for (auto [kernel, count] :
       {std::pair(*large, 12000), {*medium, 7000}, {*small, 100}})
    if (std::string wrong = reverses(*device, *stream, *kernel, count);
        !wrong.empty())
      return wrong;
  return "";
}

static std::string rejectsBlocks(const DevicePointer &device) {
  auto isRejected = [&](const KernelManifest &manifest, const char *number) {
    Status accepted = device->accepts(manifest);
    return !accepted.ok() && !makeKernel(*device, manifest) &&
           accepted.message().find(number) != std::string::npos;
  };
  KernelManifest threads = multiplyAdd(*device);
  threads.block = 1025;
  EXPECT(isRejected(threads, "1025"));
  KernelManifest none = multiplyAdd(*device);
  none.block = 0;
  EXPECT(isRejected(none, "0"));
  KernelManifest shared = multiplyAdd(*device);
  shared.shared = int64_t{1} << 20;
  EXPECT(isRejected(shared, "1048576"));
  KernelManifest cluster = multiplyAdd(*device);
  cluster.cluster = {4, 4, 2};
  EXPECT(isRejected(cluster, "32"));
  // A kernel with parameters that are not in its manifest.
  KernelManifest words = multiplyAdd(*device);
  words.arguments.pop_back();
  EXPECT(!makeKernel(*device, words));
  return "";
}

static std::string rejectsGrids(const DevicePointer &device) {
  auto stream = makeStream(*device);
  auto kernel = makeKernel(*device, multiplyAdd(*device));
  auto data = makeBuffer(*device, 8);
  EXPECT(stream && kernel && data);
  uint64_t words[3] = {data->address(), 1, 0};
  for (Grid grid :
       {Grid{int64_t{1} << 31, 1, 1}, Grid{1, 65536, 1}, Grid{1, 1, 65536}}) {
    Status rejected = stream->launch(*kernel, words, grid);
    EXPECT(!rejected.ok());
    EXPECT(rejected.message().find("multiply_add") != std::string::npos);
  }
  EXPECT(stream->synchronize().ok());
  return "";
}

static std::string clusters(const DevicePointer &device) {
  if (!device->accepts(clusterRanks(2)).ok())
    return ""; // Compute capability 8: nothing to see.
  auto stream = makeStream(*device);
  auto data = makeBuffer(*device, 8 * 48);
  EXPECT(stream && data);
  for (int64_t blocks : {1, 2, 8, 16}) {
    auto kernel = makeKernel(*device, clusterRanks(blocks), clusterImage());
    EXPECT(kernel);
    LaunchArgument argument = LaunchArgument::view(*data, {48});
    EXPECT(launch(*stream, *kernel, {&argument, 1}).ok());
    std::vector<int64_t> ranks = read(*stream, *data, 48);
    EXPECT(ranks.size() == 48);
    for (int64_t i = 0; i < 48; ++i)
      EXPECT(ranks[size_t(i)] == i % blocks + 100 * blocks);
    uint64_t word = data->address();
    EXPECT(blocks == 1 ||
           !stream->launch(*kernel, {&word, 1}, {47, 1, 1}).ok());
  }
  return "";
}

std::span<const Case> gpuCases() {
  static constexpr Case cases[] = {
      {"large dynamic shared memory", largeShared},
      {"blocks that do not fit are rejected", rejectsBlocks},
      {"grids that do not fit are rejected", rejectsGrids},
      {"clusters", clusters},
  };
  return cases;
}

} // namespace tilewright::runtime::conformance
