// Runs candidates of one task on a device, and times launches or counts their
// work.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_BENCH_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_BENCH_H

#include "autotune/measure/TensorCopies.h"
#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include <memory>
#include <optional>

namespace tilewright::autotune {

struct BenchOptions {
  /// As the device is opened: "cpu", "emulator", "cuda:0".
  std::string device = "cpu";
  /// Threads of the cpu device; 0: all.
  unsigned threads = 0;
  /// Of the random inputs.
  uint64_t seed = 1;
  /// Bytes that the launches of a measurement walk through before they meet
  /// the same memory again, so that each finds cold caches; 0: none, and warm
  /// caches. Several copies of the tensors make them up.
  size_t coldBytes = 0;
  /// The longest duration of one measurement, in seconds.
  double seconds = 1;
};

/// A loaded candidate.
struct BenchKernel {
  std::shared_ptr<runtime::Kernel> kernel;
  std::vector<TaskArgument> arguments;
};

/// The tensors of one task on one device. Used from one thread.
class Bench {
public:
  static StatusOr<Bench> open(const std::vector<TaskTensor> &tensors,
                              const BenchOptions &options);

  StatusOr<BenchKernel> load(const Candidate &candidate);
  /// Runs it once on fresh tensors; returns those that kernels of the task
  /// write, in the task's order. Unwritten elements keep the bits of
  /// fillAsUnwritten, except in inputs.
  StatusOr<std::vector<runtime::HostTensor>> run(const BenchKernel &kernel);
  /// What the last run() did; none where the device does not count.
  [[nodiscard]] const std::optional<runtime::LaunchCounters> &counted() const {
    return lastCounted;
  }
  /// What a timed launch follows: anything, or a launch of the same kernel that
  /// is not timed.
  enum class Before { anything, sameKernel };
  /// Nanoseconds of one launch on the next copy of the tensors.
  StatusOr<double> time(const BenchKernel &kernel, Before before);

private:
  Bench() = default;
  Status launch(const BenchKernel &kernel, const TensorCopy &copy);

  std::shared_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Stream> stream;
  /// The device's; null where it does not count.
  runtime::CounterSource *counters = nullptr;
  std::optional<runtime::LaunchCounters> lastCounted;
  /// Null where launches are timed by the host's clock.
  std::shared_ptr<runtime::Event> start, end;
  TensorCopies copies;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_BENCH_H
