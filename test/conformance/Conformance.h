// The conformance suite: cases over the Device interface.
#ifndef TILEWRIGHT_TEST_CONFORMANCE_CONFORMANCE_H
#define TILEWRIGHT_TEST_CONFORMANCE_CONFORMANCE_H

#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/Launch.h"
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime::conformance {

/// One case: "" if the device passes, else what it does wrong.
struct Case {
  std::string_view name;
  std::string (*run)(const std::shared_ptr<Device> &device);
};

/// The cases on memory and copies; on streams and events; on kernels; on what
/// only GPUs have.
std::span<const Case> memoryCases();
std::span<const Case> streamCases();
std::span<const Case> kernelCases();
std::span<const Case> gpuCases();

/// The kind of device to run on; empty for all that are here.
std::string &onlyDevice();

/// The image with the suite's kernels for `device`; empty for a device that
/// reads none.
std::string imageFor(const Device &device);
/// The same with the kernel that needs clusters.
std::string clusterImage();

/// The kernels of the suite: program_ids over i64[?, ?, ?], multiply_add over
/// i64[?] with two scalars, and tally over i64[?] with a workspace as large.
KernelManifest programIds(const Device &device);
KernelManifest multiplyAdd(const Device &device);
KernelManifest tally(const Device &device, KernelWorkspace::Zeroed zeroed);
/// For GPUs: reverse over i64[?] and its length, as one block with dynamic
/// shared memory for it; cluster_ranks over i64[?] in clusters of `blocks`.
KernelManifest reverse(const Device &device, int64_t count);
KernelManifest clusterRanks(int64_t blocks);

/// A stream, or a null pointer, which EXPECT notices.
std::unique_ptr<Stream> makeStream(Device &device);
std::shared_ptr<Buffer> makeBuffer(Device &device, size_t bytes);
/// One of the suite's kernels, loaded.
std::shared_ptr<Kernel> makeKernel(Device &device,
                                   const KernelManifest &manifest);
std::shared_ptr<Kernel> makeKernel(Device &device,
                                   const KernelManifest &manifest,
                                   std::string_view image);

/// data = data * factor + term.
Status launchMultiplyAdd(Stream &stream, const Kernel &kernel,
                         const Buffer &data, int64_t factor, int64_t term);

/// The numbers in a buffer, after all work of the stream.
std::vector<int64_t> read(Stream &stream, const Buffer &buffer, size_t count);
/// Writes numbers and waits.
Status write(Stream &stream, Buffer &buffer, const std::vector<int64_t> &data);

} // namespace tilewright::runtime::conformance

/// Ends the case with the text of the condition, if it is false.
#define EXPECT(...)                                                            \
  do {                                                                         \
    if (!(__VA_ARGS__))                                                        \
      return std::string("line ") + std::to_string(__LINE__) +                 \
             ": " #__VA_ARGS__;                                                \
  } while (false)

#endif // TILEWRIGHT_TEST_CONFORMANCE_CONFORMANCE_H
