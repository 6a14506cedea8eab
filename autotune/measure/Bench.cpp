#include "autotune/measure/Bench.h"

#include "autotune/measure/Compare.h"
#include <algorithm>
#include <iterator>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

/// A tensor that is only written starts with what nobody writes.
static StatusOr<runtime::HostTensor> firstContents(const TaskTensor &tensor,
                                                   uint64_t seed) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      runtime::HostTensor host,
      runtime::HostTensor::allocate(tensor.dtype, tensor.shape));
  if (tensor.isWritten && !tensor.isRead)
    fillAsUnwritten(host);
  else
    fillAtRandom(host, seed);
  return host;
}

StatusOr<Bench> Bench::open(const std::vector<TaskTensor> &tensors,
                            const BenchOptions &options) {
  Bench bench;
  bench.options = options;
  bench.tensors = tensors;
  runtime::DeviceOptions deviceOptions;
  deviceOptions.threads = options.threads;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      bench.opened, runtime::openDevice(options.device, deviceOptions));
  TILEWRIGHT_ASSIGN_OR_RETURN(bench.stream, bench.opened->createStream());
  bench.counters = runtime::counterSource(*bench.opened);
  if (bench.counters)
    bench.counters->setCounting(true);
  // Work of a GPU is timed by the GPU; that of the host by the host's clock.
  if (options.device.starts_with("cuda")) {
    TILEWRIGHT_ASSIGN_OR_RETURN(bench.before, bench.opened->createEvent());
    TILEWRIGHT_ASSIGN_OR_RETURN(bench.after, bench.opened->createEvent());
  }
  size_t bytes = 1;
  for (size_t i = 0; i < tensors.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::HostTensor host,
        firstContents(tensors[i], options.seed * 1000003 + i));
    bytes += host.bytes();
    bench.initial.push_back(std::move(host));
  }
  // An odd number, so that both kernels of the pairs use all copies: their
  // addresses affect the time, too.
  constexpr size_t mostCopies = 63;
  size_t count =
      std::clamp<size_t>(options.coldBytes / bytes + 1, 1, mostCopies) | 1;
  for (size_t i = 0; i < count; ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Copy copy, bench.makeCopy());
    TILEWRIGHT_RETURN_IF_ERROR(bench.reset(copy));
    bench.copies.push_back(std::move(copy));
  }
  return bench;
}

StatusOr<Bench::Copy> Bench::makeCopy() {
  constexpr size_t page = 4096, line = 64;
  // No two of the offsets in a page come close to each other soon.
  constexpr size_t stride = 23;
  Copy copy;
  for (const runtime::HostTensor &host : initial) {
    const size_t number = copies.size() * initial.size() + copy.size();
    ShiftedBuffer shifted;
    shifted.shift = number * stride * line % page;
    TILEWRIGHT_ASSIGN_OR_RETURN(shifted.buffer,
                                opened->allocate(host.bytes() + page));
    copy.push_back(std::move(shifted));
  }
  return copy;
}

Status Bench::reset(const Copy &copy) {
  for (size_t i = 0; i < copy.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(stream->copyToDevice(
        *copy[i].buffer, copy[i].shift, initial[i].data(), initial[i].bytes()));
  return stream->synchronize();
}

StatusOr<BenchKernel> Bench::load(const Candidate &candidate) {
  const runtime::KernelManifest &manifest = candidate.image.manifest;
  TILEWRIGHT_RETURN_IF_ERROR(opened->accepts(manifest));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::shared_ptr<runtime::Module> module,
      opened->loadModule(std::as_bytes(std::span(candidate.image.code))));
  BenchKernel kernel;
  TILEWRIGHT_ASSIGN_OR_RETURN(kernel.kernel, module->kernel(manifest));
  kernel.arguments = candidate.arguments;
  return kernel;
}

Status Bench::launch(const BenchKernel &kernel, const Copy &copy) {
  const std::vector<runtime::KernelArgument> &kinds =
      kernel.kernel->manifest().arguments;
  std::vector<runtime::LaunchArgument> arguments;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const TaskArgument &argument = kernel.arguments[i];
    if (!argument.tensor) {
      arguments.push_back(runtime::LaunchArgument::integer(argument.scalar));
      continue;
    }
    const ShiftedBuffer &shifted = copy[*argument.tensor];
    auto view = runtime::LaunchArgument::view(*shifted.buffer,
                                              tensors[*argument.tensor].shape);
    view.address += shifted.shift;
    view.bytes -= shifted.shift;
    arguments.push_back(kinds[i].isView() ? std::move(view)
                                          : runtime::LaunchArgument::integer(
                                                int64_t(view.address)));
  }
  return runtime::launch(*stream, *kernel.kernel, arguments);
}

StatusOr<std::vector<runtime::HostTensor>>
Bench::run(const BenchKernel &kernel) {
  Copy &copy = copies.front();
  TILEWRIGHT_RETURN_IF_ERROR(reset(copy));
  TILEWRIGHT_RETURN_IF_ERROR(launch(kernel, copy));
  std::vector<runtime::HostTensor> written;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].isWritten)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::HostTensor host,
        runtime::HostTensor::allocate(tensors[i].dtype, tensors[i].shape));
    TILEWRIGHT_RETURN_IF_ERROR(stream->copyToHost(host.data(), *copy[i].buffer,
                                                  copy[i].shift, host.bytes()));
    written.push_back(std::move(host));
  }
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  if (counters) {
    std::vector<runtime::LaunchCounters> launches = counters->takeCounters();
    if (!launches.empty())
      lastCounted = std::move(launches.back());
  }
  return written;
}

const Bench::Copy &Bench::takeCopy() {
  return copies[nextCopy++ % copies.size()];
}

/// Nanoseconds of one launch on the next copy.
StatusOr<double> Bench::timeOnce(const BenchKernel &kernel) {
  if (settles)
    TILEWRIGHT_RETURN_IF_ERROR(launch(kernel, takeCopy()));
  const Copy &copy = takeCopy();
  if (before) {
    TILEWRIGHT_RETURN_IF_ERROR(stream->record(*before));
    TILEWRIGHT_RETURN_IF_ERROR(launch(kernel, copy));
    TILEWRIGHT_RETURN_IF_ERROR(stream->record(*after));
    TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
    TILEWRIGHT_ASSIGN_OR_RETURN(auto time, after->since(*before));
    return std::chrono::duration<double, std::nano>(time).count();
  }
  Clock::time_point start = Clock::now();
  TILEWRIGHT_RETURN_IF_ERROR(launch(kernel, copy));
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// Takes one pair, the candidate first or last: slow drift (clocks, other work)
/// then affects both equally.
Status Bench::timePair(const BenchKernel &kernel, const BenchKernel *against,
                       bool isReversed) {
  double other = 0;
  if (against && isReversed) {
    TILEWRIGHT_ASSIGN_OR_RETURN(other, timeOnce(*against));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(double own, timeOnce(kernel));
  if (against && !isReversed) {
    TILEWRIGHT_ASSIGN_OR_RETURN(other, timeOnce(*against));
  }
  times.push_back(own);
  if (against) {
    otherTimes.push_back(other);
    ratios.push_back(own / other);
  }
  return Status();
}

bool Bench::isSettled(Measured &result, bool isPaired) {
  const size_t count = times.size();
  if (isPaired) {
    constexpr size_t earlyLook = 4;
    constexpr double farSlower = 1.3;
    if (count == earlyLook &&
        std::ranges::min(times) > farSlower * std::ranges::max(otherTimes)) {
      result.standing = Standing::slower;
      return true;
    }
    if (std::ranges::find(looks, count) == std::end(looks))
      return false;
    std::vector<double> sorted = ratios;
    result.standing = pairStanding(sorted, result.ratio);
    return result.standing != Standing::open || count == *std::rbegin(looks);
  }
  if (count < 20 || count % 10 != 0)
    return false;
  std::vector<double> sorted = times;
  Interval interval = medianInterval(sorted, 0.95);
  return interval.high - interval.low < 0.02 * interval.median;
}

/// What is not settled may be 1.
static Interval intervalOfPairs(std::span<double> ratios, Standing standing) {
  Interval interval = medianInterval(ratios, lookConfidence);
  if (standing == Standing::open) {
    interval.low = std::min(interval.low, 1.0);
    interval.high = std::max(interval.high, 1.0);
  }
  return interval;
}

StatusOr<Measured> Bench::measureOnce(const BenchKernel &kernel,
                                      const BenchKernel *against) {
  times.clear();
  otherTimes.clear();
  ratios.clear();
  Clock::time_point start = Clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  settles = false;
  constexpr int warmUps = 2;
  constexpr double shortTime = 2e6;
  double least = shortTime;
  for (int i = 0; i < warmUps; ++i)
    for (const BenchKernel *each : {&kernel, against})
      if (each) {
        TILEWRIGHT_ASSIGN_OR_RETURN(double time, timeOnce(*each));
        least = std::min(least, time);
      }
  settles = against && least < shortTime;
  Measured result;
  // Slow kernels take more than their time, up to the first look: fewer pairs
  // say nothing.
  const size_t fewest = against ? looks[0] : 1;
  do
    TILEWRIGHT_RETURN_IF_ERROR(
        timePair(kernel, against, times.size() % 2 == 1));
  while (!isSettled(result, against) &&
         (times.size() < fewest || seconds() < options.seconds));
  if (against)
    result.ratio = intervalOfPairs(ratios, result.standing);
  result.time = summarize(times);
  result.seconds = seconds();
  return result;
}

StatusOr<Measured> Bench::measure(const BenchKernel &kernel,
                                  const BenchKernel *against) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Measured first, measureOnce(kernel, against));
  if (first.standing != Standing::faster)
    return first;
  TILEWRIGHT_ASSIGN_OR_RETURN(Measured second, measureOnce(kernel, against));
  second.seconds += first.seconds;
  return second;
}

} // namespace tilewright::autotune
