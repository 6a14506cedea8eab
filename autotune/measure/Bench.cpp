#include "autotune/measure/Bench.h"

#include <chrono>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

StatusOr<Bench> Bench::open(const std::vector<TaskTensor> &tensors,
                            const BenchOptions &options) {
  Bench bench;
  runtime::DeviceOptions deviceOptions;
  deviceOptions.threads = options.threads;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      bench.device, runtime::openDevice(options.device, deviceOptions));
  TILEWRIGHT_ASSIGN_OR_RETURN(bench.stream, bench.device->createStream());
  bench.counters = runtime::counterSource(*bench.device);
  if (bench.counters)
    bench.counters->setCounting(true);
  // Work of a GPU is timed by the GPU; that of the host by the host's clock.
  if (options.device.starts_with("cuda")) {
    TILEWRIGHT_ASSIGN_OR_RETURN(bench.start, bench.device->createEvent());
    TILEWRIGHT_ASSIGN_OR_RETURN(bench.end, bench.device->createEvent());
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      bench.copies, TensorCopies::make(*bench.device, *bench.stream, tensors,
                                       options.seed, options.coldBytes));
  return bench;
}

StatusOr<BenchKernel> Bench::load(const Candidate &candidate) {
  const runtime::KernelManifest &manifest = candidate.image.manifest;
  TILEWRIGHT_RETURN_IF_ERROR(device->accepts(manifest));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      std::shared_ptr<runtime::Module> module,
      device->loadModule(std::as_bytes(std::span(candidate.image.code))));
  BenchKernel kernel;
  TILEWRIGHT_ASSIGN_OR_RETURN(kernel.kernel, module->kernel(manifest));
  kernel.arguments = candidate.arguments;
  return kernel;
}

Status Bench::launch(const BenchKernel &kernel, const TensorCopy &copy) {
  const std::vector<runtime::KernelArgument> &kinds =
      kernel.kernel->manifest().arguments;
  std::vector<runtime::LaunchArgument> arguments;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const TaskArgument &argument = kernel.arguments[i];
    if (!argument.tensor) {
      arguments.push_back(runtime::LaunchArgument::integer(argument.scalar));
      continue;
    }
    runtime::LaunchArgument view = copies.view(copy, *argument.tensor);
    arguments.push_back(kinds[i].isView() ? std::move(view)
                                          : runtime::LaunchArgument::integer(
                                                int64_t(view.address)));
  }
  return runtime::launch(*stream, *kernel.kernel, arguments);
}

StatusOr<std::vector<runtime::HostTensor>>
Bench::run(const BenchKernel &kernel) {
  const TensorCopy &copy = copies.first();
  TILEWRIGHT_RETURN_IF_ERROR(copies.reset(*stream, copy));
  TILEWRIGHT_RETURN_IF_ERROR(launch(kernel, copy));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<runtime::HostTensor> written,
                              copies.written(*stream, copy));
  if (counters) {
    std::vector<runtime::LaunchCounters> launches = counters->takeCounters();
    if (!launches.empty())
      lastCounted = std::move(launches.back());
  }
  return written;
}

StatusOr<double> Bench::time(const BenchKernel &kernel, Before before) {
  if (before == Before::sameKernel)
    TILEWRIGHT_RETURN_IF_ERROR(launch(kernel, copies.next()));
  const TensorCopy &copy = copies.next();
  if (start) {
    TILEWRIGHT_RETURN_IF_ERROR(stream->record(*start));
    TILEWRIGHT_RETURN_IF_ERROR(launch(kernel, copy));
    TILEWRIGHT_RETURN_IF_ERROR(stream->record(*end));
    TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
    TILEWRIGHT_ASSIGN_OR_RETURN(auto time, end->since(*start));
    return std::chrono::duration<double, std::nano>(time).count();
  }
  Clock::time_point begin = Clock::now();
  TILEWRIGHT_RETURN_IF_ERROR(launch(kernel, copy));
  TILEWRIGHT_RETURN_IF_ERROR(stream->synchronize());
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

} // namespace tilewright::autotune
