// The cost model against what was measured, by rank correlation.
//
//   cost-model cpu [KERNEL] [--list]
//   cost-model emulator [KERNEL] [--count N] [--list]
//
// emulator: random schedules (tunables, warps, width of accesses) run on the
// emulator; prints for each term of the model its correlation with the counter
// of that meaning.
// cpu: each combination of the kernels' tunables runs on the device; prints the
// correlation of estimate and time, and how far the best of the model's first
// ten is from the best of all.
#include "autotune/cost/EstimateCpu.h"
#include "autotune/cost/EstimateGpu.h"
#include "autotune/cost/Figures.h"
#include "autotune/space/Random.h"
#include "bench/cost_model_kernels.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>

using namespace tilewright;
using bench::CostKernel;

namespace {
/// What a kernel is launched with on a device.
struct Place {
  std::shared_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Stream> stream;
  std::vector<DeviceTensor> tensors;
  std::vector<Argument> arguments;
};

/// A schedule with what is known of it.
struct Sample {
  std::string text;
  double estimate = 0, time = 0;
};
} // namespace

//===--- Statistics -------------------------------------------------------===//

/// The rank of each number; equal ones share the middle of their ranks.
static std::vector<double> ranks(const std::vector<double> &numbers) {
  std::vector<size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](size_t i) { return numbers[i]; });
  std::vector<double> rank(numbers.size());
  for (size_t from = 0, to = 0; from < order.size(); from = to) {
    while (to < order.size() && numbers[order[to]] == numbers[order[from]])
      ++to;
    for (size_t i = from; i < to; ++i)
      rank[order[i]] = double(from + to - 1) / 2;
  }
  return rank;
}

/// Spearman's coefficient; NaN where one side is the same throughout.
static double rankCorrelation(const std::vector<double> &a,
                              const std::vector<double> &b) {
  std::vector<double> x = ranks(a), y = ranks(b);
  double mean = double(x.size() - 1) / 2, xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

//===--- Kernels ----------------------------------------------------------===//

/// All combinations of a kernel's tunables.
static StatusOr<std::vector<authoring::Bindings>>
combinations(const authoring::Kernel &kernel) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<authoring::Tunable> tunables,
                              kernel.tunables());
  std::vector<authoring::Bindings> all = {{}};
  for (const authoring::Tunable &tunable : tunables) {
    std::vector<authoring::Bindings> longer;
    for (const authoring::Bindings &bindings : all)
      for (int64_t value : tunable.values) {
        longer.push_back(bindings);
        longer.back()[tunable.name] = value;
      }
    all = std::move(longer);
  }
  return all;
}

static std::string textOf(const authoring::Bindings &bindings) {
  std::string text;
  for (const auto &[name, value] : bindings)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

/// The kernel as tile IR.
static StatusOr<mlir::OwningOpRef<mlir::ModuleOp>>
build(const authoring::Kernel &kernel, const authoring::Bindings &bindings,
      mlir::MLIRContext &context) {
  TILEWRIGHT_ASSIGN_OR_RETURN(authoring::BuiltKernel built,
                              kernel.build(bindings));
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>(built.module.code, &context);
  if (!module)
    return Status::internal("the kernel's IR cannot be read");
  return module;
}

static tile::KernelOp kernelIn(mlir::ModuleOp module) {
  return *module.getOps<tile::KernelOp>().begin();
}

static StatusOr<Place> placeOf(const char *device, const CostKernel &kernel) {
  Place place;
  runtime::DeviceOptions options;
  options.threads = 1;
  TILEWRIGHT_ASSIGN_OR_RETURN(place.device,
                              runtime::openDevice(device, options));
  TILEWRIGHT_ASSIGN_OR_RETURN(place.stream, place.device->createStream());
  uint32_t seed = 1;
  for (const autotune::ArgumentShape &shape : kernel.arguments) {
    if (shape.dims.empty())
      continue;
    int64_t count = 1;
    for (int64_t dim : shape.dims)
      count *= dim;
    std::vector<float> numbers(static_cast<size_t>(count));
    for (float &number : numbers) {
      seed = seed * 1664525 + 1013904223;
      number = float(seed >> 8) / (1 << 23) - 1;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(
        DeviceTensor tensor, DeviceTensor::copyOf(*place.device, *place.stream,
                                                  shape.dims, numbers));
    place.tensors.push_back(std::move(tensor));
  }
  // Arguments point at tensors, which stay where they are from here on.
  auto next = place.tensors.begin();
  for (const autotune::ArgumentShape &shape : kernel.arguments)
    place.arguments.push_back(shape.dims.empty() ? Argument(0.125)
                                                 : Argument(*next++));
  return place;
}

//===--- The CPU ----------------------------------------------------------===//

/// The least time of a launch in some hundredths of a second, in nanoseconds.
static StatusOr<double> timeOf(const Executable &run, const Place &place) {
  using Clock = std::chrono::steady_clock;
  double best = INFINITY;
  auto end = Clock::now() + std::chrono::milliseconds(40);
  for (int i = 0; i < 3 || Clock::now() < end; ++i) {
    auto start = Clock::now();
    TILEWRIGHT_RETURN_IF_ERROR(run.launchAll(*place.stream, place.arguments));
    TILEWRIGHT_RETURN_IF_ERROR(place.stream->synchronize());
    std::chrono::duration<double, std::nano> time = Clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

static StatusOr<std::vector<Sample>> sampleCpu(const CostKernel &kernel,
                                               mlir::MLIRContext &context,
                                               const autotune::CpuMachine &cpu,
                                               bool explain) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto all, combinations(kernel.kernel));
  TILEWRIGHT_ASSIGN_OR_RETURN(Place place, placeOf("cpu", kernel));
  // One thread: a second one measures who else uses the machine.
  schedule::CpuSchedule schedule;
  schedule.threads = 1;
  std::vector<Sample> samples;
  for (const authoring::Bindings &bindings : all) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto module,
                                build(kernel.kernel, bindings, context));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        autotune::Estimate estimate,
        autotune::estimateCpu(kernelIn(*module), kernel.arguments, schedule,
                              cpu::hostTarget(), cpu));
    if (estimate.rejection)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(Executable run,
                                load(kernel.kernel, *place.device, bindings));
    TILEWRIGHT_ASSIGN_OR_RETURN(double time, timeOf(run, place));
    samples.push_back({textOf(bindings), estimate.nanoseconds, time});
    if (explain)
      std::printf("%s: measured %s, %s", samples.back().text.c_str(),
                  autotune::inTime(time).c_str(),
                  autotune::describeEstimate(estimate).c_str());
  }
  return samples;
}

static void report(const char *name, std::vector<Sample> samples) {
  std::vector<double> estimates, times;
  for (const Sample &sample : samples) {
    estimates.push_back(sample.estimate);
    times.push_back(sample.time);
  }
  double correlation = rankCorrelation(estimates, times);
  std::ranges::sort(samples, {}, &Sample::time);
  Sample best = samples.front();
  std::ranges::sort(samples, {}, &Sample::estimate);
  double ten = INFINITY;
  for (size_t i = 0; i < std::min<size_t>(10, samples.size()); ++i)
    ten = std::min(ten, samples[i].time);
  std::printf("%-10s %4zu schedules  correlation %5.3f  best %s (%s)  best of "
              "the first 10 +%.1f %%  first +%.1f %%\n",
              name, samples.size(), correlation,
              autotune::inTime(best.time).c_str(), best.text.c_str(),
              (ten / best.time - 1) * 100,
              (samples.front().time / best.time - 1) * 100);
}

static Status compareCpu(bool explain, const char *only) {
  mlir::MLIRContext context;
  prepareContext(context);
  autotune::CpuMachine machine = autotune::hostMachine(cpu::hostTarget().cpu);
  TILEWRIGHT_RETURN_IF_ERROR(autotune::calibrate(machine));
  std::printf("%s: %u cores, %.2f GHz, memory %.1f GB/s (one core %.1f), "
              "%.1f bytes a cycle from L2, %.1f from L3\n",
              cpu::hostTarget().cpu.c_str(), machine.cores, machine.clock(),
              machine.memoryOf(machine.cores), machine.memoryOf(1),
              machine.l2BytesPerCycle(), machine.l3BytesPerCycle());
  for (const CostKernel &kernel : bench::costKernels(1)) {
    if (only && kernel.kernel.name() != only)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<Sample> samples,
                                sampleCpu(kernel, context, machine, explain));
    report(kernel.kernel.name().c_str(), std::move(samples));
    std::fflush(stdout);
  }
  return {};
}

//===--- The emulator -----------------------------------------------------===//

namespace {
/// A term of the model, and the counter of that meaning.
struct ComparedTerm {
  const char *counter;
  double autotune::GpuWork::*term;
};
constexpr ComparedTerm comparedTerms[] = {
    {"warps", &autotune::GpuWork::instructions},
    {"global_requests", &autotune::GpuWork::globalRequests},
    {"sectors", &autotune::GpuWork::sectors},
    {"shared_requests", &autotune::GpuWork::sharedRequests},
    {"wavefronts", &autotune::GpuWork::wavefronts},
    {"barriers", &autotune::GpuWork::barriers},
};

/// By term: what the model says, and what was counted, for each schedule.
struct Comparison {
  std::vector<double> modelled[std::size(comparedTerms)];
  std::vector<double> counted[std::size(comparedTerms)];
  /// Of scheduling the kernel and counting its work, for all schedules.
  double milliseconds = 0;
};
} // namespace

static constexpr const char *emulatedTarget = "sm_90a";

/// Runs one schedule and adds its figures. A schedule that does not compile
/// (too much shared memory) is left out.
static Status addSchedule(const CostKernel &kernel,
                          const authoring::Bindings &bindings,
                          const schedule::Schedule &schedule, Place &place,
                          mlir::MLIRContext &context, bool list,
                          Comparison &comparison) {
  LoadOptions options;
  options.target = emulatedTarget;
  options.schedule = schedule.text();
  StatusOr<Executable> run =
      load(kernel.kernel, *place.device, bindings, options);
  if (!run.ok())
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(auto module,
                              build(kernel.kernel, bindings, context));
  mlir::TimingScope untimed;
  auto start = std::chrono::steady_clock::now();
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto scheduled, scheduleForGpu(kernelIn(*module), schedule, untimed));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      autotune::GpuWork work,
      autotune::analyzeGpuWork(kernelIn(*scheduled), kernel.arguments));
  comparison.milliseconds += std::chrono::duration<double, std::milli>(
                                 std::chrono::steady_clock::now() - start)
                                 .count();
  TILEWRIGHT_RETURN_IF_ERROR(run->launchAll(*place.stream, place.arguments));
  TILEWRIGHT_RETURN_IF_ERROR(place.stream->synchronize());
  std::vector<runtime::LaunchCounters> launches =
      runtime::counterSource(*place.device)->takeCounters();
  if (list)
    std::printf("%s %s\n", textOf(bindings).c_str(), schedule.text().c_str());
  for (size_t i = 0; i < std::size(comparedTerms); ++i) {
    double counted =
        double(launches.back().find(comparedTerms[i].counter).value_or(0));
    comparison.modelled[i].push_back(work.*comparedTerms[i].term);
    comparison.counted[i].push_back(counted);
    if (list)
      std::printf("  %-16s modelled %12.0f counted %12.0f\n",
                  comparedTerms[i].counter, work.*comparedTerms[i].term,
                  counted);
  }
  return {};
}

/// Prints correlations, and the median of modelled by counted.
static void report(const char *name, const Comparison &comparison) {
  size_t count = comparison.counted[0].size();
  std::printf("%s, %zu schedules, %.1f ms an estimate\n", name, count,
              comparison.milliseconds / double(count));
  for (size_t i = 0; i < std::size(comparedTerms); ++i) {
    std::vector<double> ratios;
    for (size_t j = 0; j < comparison.counted[i].size(); ++j)
      if (comparison.counted[i][j] > 0)
        ratios.push_back(comparison.modelled[i][j] / comparison.counted[i][j]);
    std::ranges::sort(ratios);
    std::printf("  %-16s correlation %6.3f  modelled / counted %.2f\n",
                comparedTerms[i].counter,
                rankCorrelation(comparison.modelled[i], comparison.counted[i]),
                ratios.empty() ? 0 : ratios[ratios.size() / 2]);
  }
  std::fflush(stdout);
}

static Status compareEmulator(size_t count, bool list, const char *only) {
  mlir::MLIRContext context;
  prepareContext(context);
  for (const CostKernel &kernel : bench::costKernels(4)) {
    if (only && kernel.kernel.name() != only)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(auto all, combinations(kernel.kernel));
    TILEWRIGHT_ASSIGN_OR_RETURN(Place place, placeOf("emulator", kernel));
    runtime::counterSource(*place.device)->setCounting(true);
    autotune::Random random(1);
    Comparison comparison;
    for (size_t i = 0; i < count; ++i) {
      schedule::Schedule schedule;
      schedule.warps = 1u << random.below(5);
      schedule.access = 16u << random.below(4);
      TILEWRIGHT_RETURN_IF_ERROR(
          addSchedule(kernel, all[random.below(all.size())], schedule, place,
                      context, list, comparison));
    }
    report(kernel.kernel.name().c_str(), comparison);
  }
  return {};
}

static int usage() {
  std::fprintf(stderr, "usage: cost-model cpu|emulator [KERNEL] [--count N] "
                       "[--list]\n");
  return 2;
}

int main(int argc, char **argv) {
  bool list = false;
  size_t count = 200;
  const char *mode = nullptr, *only = nullptr;
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--list"))
      list = true;
    else if (!std::strcmp(argv[i], "--count") && i + 1 < argc)
      count = size_t(std::atoi(argv[++i]));
    else
      (mode ? only : mode) = argv[i];
  if (!mode)
    return usage();
  Status status;
  if (!std::strcmp(mode, "cpu"))
    status = compareCpu(list, only);
  else if (!std::strcmp(mode, "emulator"))
    status = compareEmulator(count, list, only);
  else
    return usage();
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
