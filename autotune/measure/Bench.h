// Runs candidates of one task on a device, and times them or counts their work.
#ifndef TILEWRIGHT_AUTOTUNE_MEASURE_BENCH_H
#define TILEWRIGHT_AUTOTUNE_MEASURE_BENCH_H

#include "autotune/measure/Statistics.h"
#include "autotune/task/Task.h"
#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Launch.h"
#include <chrono>
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

/// What a measurement found: times of launches, or what one launch costs by
/// what was counted, and then the counters.
struct Measured {
  TimeStatistics time;
  /// The candidate's time over that of the other; 1 without another.
  Interval ratio = {1, 1, 1};
  Standing standing = Standing::open;
  /// Seconds that went into launches that were timed, or warmed up for them.
  double seconds = 0;
  std::vector<runtime::Counter> counted = {};
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

  [[nodiscard]] const runtime::Device &device() const { return *opened; }
  StatusOr<BenchKernel> load(const Candidate &candidate);
  /// Runs it once on fresh tensors; returns those that kernels of the task
  /// write, in the task's order. Unwritten elements keep the bits of
  /// fillAsUnwritten, except in inputs.
  StatusOr<std::vector<runtime::HostTensor>> run(const BenchKernel &kernel);
  /// What the last run() did; none where the device does not count.
  [[nodiscard]] const std::optional<runtime::LaunchCounters> &counted() const {
    return lastCounted;
  }
  /// Times `kernel`, in pairs with `against` where that is not null, until the
  /// comparison is settled (Statistics.h), without one until the median's
  /// interval is within 2 %, or the time is over. A far slower kernel is
  /// rejected after four pairs. A faster one is measured again, and only those
  /// pairs are the result: of many candidates as fast as `against` some are
  /// faster by chance, and would seem faster than they are.
  StatusOr<Measured> measure(const BenchKernel &kernel,
                             const BenchKernel *against);

private:
  /// A tensor on the device, `shift` bytes behind the start of its buffer.
  struct ShiftedBuffer {
    std::shared_ptr<runtime::Buffer> buffer;
    size_t shift = 0;
  };
  /// One copy of the task's tensors. Each has another offset in its page: large
  /// buffers begin at the same one, so that elements of equal index conflict in
  /// processors that compare only the low bits of addresses.
  using Copy = std::vector<ShiftedBuffer>;

  Bench() = default;
  StatusOr<Copy> makeCopy();
  const Copy &takeCopy();
  Status reset(const Copy &copy);
  Status launch(const BenchKernel &kernel, const Copy &copy);
  StatusOr<double> timeOnce(const BenchKernel &kernel);
  Status timePair(const BenchKernel &kernel, const BenchKernel *against,
                  bool isReversed);
  StatusOr<Measured> measureOnce(const BenchKernel &kernel,
                                 const BenchKernel *against);
  [[nodiscard]] bool isSettled(Measured &result, bool isPaired);

  BenchOptions options;
  std::vector<TaskTensor> tensors;
  std::shared_ptr<runtime::Device> opened;
  std::unique_ptr<runtime::Stream> stream;
  /// The device's; null where it does not count.
  runtime::CounterSource *counters = nullptr;
  std::optional<runtime::LaunchCounters> lastCounted;
  std::shared_ptr<runtime::Event> before, after;
  std::vector<runtime::HostTensor> initial;
  std::vector<Copy> copies;
  size_t nextCopy = 0;
  /// Whether each launch that is timed follows one of the same kernel that is
  /// not: what the other kernel of a pair left behind, threads that sleep
  /// above all, would count in launches of microseconds.
  bool settles = false;
  /// Nanoseconds, of the measurement under way; pairs have one index.
  std::vector<double> times, otherTimes, ratios;
};

} // namespace tilewright::autotune

#endif // TILEWRIGHT_AUTOTUNE_MEASURE_BENCH_H
