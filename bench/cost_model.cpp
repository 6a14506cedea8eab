// The cost model against measurements, by rank correlation.
//
//   cost-model cpu [KERNEL] [--list] [--threads N]
//   cost-model emulator [KERNEL] [--count N] [--list]
//   cost-model ablate [KERNEL] [--count N] [--threads N]
//
// emulator: random schedules (tunables, warps, width of accesses, stages) run
// on the emulator; prints for each term of the model its correlation with the
// counter of that meaning, the median of modelled / counted, and the median of
// how far it is from 1.
// cpu: each combination of the kernels' tunables runs on the device; prints the
// correlation of estimate and time, and how far the best of the model's first
// ten is from the best of all.
// ablate: the same two figures for the model with each of its terms left out,
// on the CPU against times, and for a GPU against the cost of what the emulator
// counts, as a table.
#include "autotune/cost/EstimateCpu.h"
#include "autotune/cost/EstimateGpu.h"
#include "autotune/cost/Metrics.h"
#include "autotune/space/Random.h"
#include "autotune/task/CountedWork.h"
#include "bench/cost_model_kernels.h"
#include "bench/cost_model_statistics.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/mlir/Compile.h"
#include "tilewright/runtime/CounterSource.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/HalfFloats.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>

using namespace tilewright;
using bench::CostKernel, bench::median, bench::rankCorrelation;

namespace {
/// What a kernel is launched with on a device.
struct Setup {
  std::shared_ptr<runtime::Device> device;
  std::unique_ptr<runtime::Stream> stream;
  std::vector<DeviceTensor> tensors;
  std::vector<Argument> arguments;
};

/// A schedule with what is known of it.
struct Sample {
  std::string text;
  double estimate = 0, time = 0;
  /// By term: the estimate without it.
  std::vector<double> without = {};
};

/// The options of the command line.
struct Options {
  const char *only = nullptr;
  bool list = false;
  size_t count = 200;
  unsigned threads = 1;
};
} // namespace

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

static StatusOr<Setup> setupOf(const char *device, const CostKernel &kernel,
                               unsigned threads = 1) {
  Setup setup;
  runtime::DeviceOptions options;
  options.threads = threads;
  TILEWRIGHT_ASSIGN_OR_RETURN(setup.device,
                              runtime::openDevice(device, options));
  TILEWRIGHT_ASSIGN_OR_RETURN(setup.stream, setup.device->createStream());
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
    auto copyOf = [&](const auto &elements) {
      return DeviceTensor::copyOf(*setup.device, *setup.stream, shape.dims,
                                  elements);
    };
    using Halves = std::vector<Float16>;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        DeviceTensor tensor,
        setup.tensors.size() < kernel.halves
            ? copyOf(Halves(numbers.begin(), numbers.end()))
            : copyOf(numbers));
    setup.tensors.push_back(std::move(tensor));
  }
  // Arguments point at tensors, which stay where they are from here on.
  auto next = setup.tensors.begin();
  for (const autotune::ArgumentShape &shape : kernel.arguments)
    setup.arguments.push_back(shape.dims.empty() ? Argument(0.125)
                                                 : Argument(*next++));
  return setup;
}

//===--- The CPU ----------------------------------------------------------===//

/// The least time of a launch in some hundredths of a second, in nanoseconds.
static StatusOr<double> timeOf(const Executable &run, const Setup &setup) {
  using Clock = std::chrono::steady_clock;
  double best = INFINITY;
  auto end = Clock::now() + std::chrono::milliseconds(40);
  for (int i = 0; i < 3 || Clock::now() < end; ++i) {
    auto start = Clock::now();
    TILEWRIGHT_RETURN_IF_ERROR(run.launchAll(*setup.stream, setup.arguments));
    TILEWRIGHT_RETURN_IF_ERROR(setup.stream->synchronize());
    std::chrono::duration<double, std::nano> time = Clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

static constexpr const char *cpuTerms[] = {
    "compute", "issue", "latency", "l1",       "l2",
    "l3",      "dram",  "pack",    "overhead", "imbalance"};

static StatusOr<std::vector<Sample>> sampleCpu(const CostKernel &kernel,
                                               mlir::MLIRContext &context,
                                               const autotune::CpuMachine &cpu,
                                               const Options &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto all, combinations(kernel.kernel));
  TILEWRIGHT_ASSIGN_OR_RETURN(Setup setup,
                              setupOf("cpu", kernel, options.threads));
  schedule::CpuSchedule schedule;
  schedule.threads = options.threads;
  std::vector<Sample> samples;
  for (const authoring::Bindings &bindings : all) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto module,
                                build(kernel.kernel, bindings, context));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        autotune::Work work,
        autotune::analyzeWork(kernelIn(*module), kernel.arguments));
    auto estimateWithout = [&](std::string_view term) {
      return autotune::estimateCpu(work, schedule, cpu::hostTarget(), cpu,
                                   term);
    };
    autotune::Estimate estimate = estimateWithout({});
    if (estimate.rejection)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(Executable run,
                                load(kernel.kernel, *setup.device, bindings));
    TILEWRIGHT_ASSIGN_OR_RETURN(double time, timeOf(run, setup));
    samples.push_back({textOf(bindings), estimate.nanoseconds, time});
    for (const char *term : cpuTerms)
      samples.back().without.push_back(estimateWithout(term).nanoseconds);
    if (options.list)
      std::printf("%s: measured %s, %s", samples.back().text.c_str(),
                  autotune::inTime(time).c_str(),
                  autotune::describeEstimate(estimate).c_str());
  }
  return samples;
}

/// How well estimates identify good schedules.
struct Quality {
  double correlation = 0;
  /// How much longer than the best of all the best of the first ten takes, and
  /// the first.
  double ten = 0, first = 0;
};

static Quality qualityOf(const std::vector<Sample> &samples,
                         const std::vector<double> &estimates) {
  std::vector<double> times;
  for (const Sample &sample : samples)
    times.push_back(sample.time);
  std::vector<size_t> order(samples.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {},
                    [&](size_t i) { return std::pair(estimates[i], i); });
  double best = std::ranges::min(times), ten = INFINITY;
  for (size_t i = 0; i < std::min<size_t>(10, order.size()); ++i)
    ten = std::min(ten, times[order[i]]);
  return {rankCorrelation(estimates, times), ten / best - 1,
          times[order.front()] / best - 1};
}

static std::vector<double> estimatesOf(const std::vector<Sample> &samples) {
  std::vector<double> estimates;
  for (const Sample &sample : samples)
    estimates.push_back(sample.estimate);
  return estimates;
}

static void report(const char *name, const std::vector<Sample> &samples) {
  Quality quality = qualityOf(samples, estimatesOf(samples));
  const Sample &best = *std::ranges::min_element(samples, {}, &Sample::time);
  std::printf("%-10s %4zu schedules  correlation %5.3f  best %s (%s)  best of "
              "the first 10 +%.1f %%  first +%.1f %%\n",
              name, samples.size(), quality.correlation,
              autotune::inTime(best.time).c_str(), best.text.c_str(),
              quality.ten * 100, quality.first * 100);
  std::fflush(stdout);
}

static StatusOr<autotune::CpuMachine> calibratedMachine() {
  autotune::CpuMachine machine = autotune::hostMachine(cpu::hostTarget().cpu);
  TILEWRIGHT_RETURN_IF_ERROR(autotune::calibrate(machine));
  return machine;
}

static Status compareCpu(const Options &options) {
  mlir::MLIRContext context;
  prepareContext(context);
  TILEWRIGHT_ASSIGN_OR_RETURN(autotune::CpuMachine machine,
                              calibratedMachine());
  std::printf("%s: %u cores, %.2f GHz, memory %.1f GB/s (one core %.1f), "
              "%.1f bytes a cycle from L2, %.1f from L3\n",
              cpu::hostTarget().cpu.c_str(), machine.cores, machine.clock(),
              machine.memoryOf(machine.cores), machine.memoryOf(1),
              machine.l2BytesPerCycle(), machine.l3BytesPerCycle());
  for (const CostKernel &kernel : bench::costKernels(1)) {
    if (options.only && kernel.kernel.name() != options.only)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<Sample> samples,
                                sampleCpu(kernel, context, machine, options));
    report(kernel.kernel.name().c_str(), samples);
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
    {"tensor_operations", &autotune::GpuWork::tensorOperations},
};

/// By term: the model's value and the counter, for each schedule.
struct Comparison {
  std::vector<double> modelled[std::size(comparedTerms)];
  std::vector<double> counted[std::size(comparedTerms)];
  /// Of scheduling the kernel and counting its work, for all schedules.
  double milliseconds = 0;
};
} // namespace

static constexpr const char *emulatedTarget = "sm_90a";

static schedule::GpuSchedule randomSchedule(autotune::Random &random) {
  schedule::GpuSchedule schedule;
  schedule.warps = 1u << random.below(5);
  schedule.vectorBits = 16u << random.below(4);
  schedule.stages = unsigned(random.below(5));
  return schedule;
}

static StatusOr<Executable>
loadForEmulator(const CostKernel &kernel, const authoring::Bindings &bindings,
                const schedule::GpuSchedule &schedule, Setup &setup) {
  LoadOptions options;
  options.target = emulatedTarget;
  options.schedule = schedule.text();
  return load(kernel.kernel, *setup.device, bindings, options);
}

/// Launches once; returns the counters of the launch.
static StatusOr<runtime::LaunchCounters> countLaunch(Executable &run,
                                                     Setup &setup) {
  TILEWRIGHT_RETURN_IF_ERROR(run.launchAll(*setup.stream, setup.arguments));
  TILEWRIGHT_RETURN_IF_ERROR(setup.stream->synchronize());
  return runtime::counterSource(*setup.device)->takeCounters().back();
}

/// Calls `use(bindings, schedule, setup)` with `count` random combinations of a
/// kernel's tunables and schedules, the same in each run.
template <typename Use>
static Status forRandomSchedules(const CostKernel &kernel, size_t count,
                                 Use use) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto all, combinations(kernel.kernel));
  TILEWRIGHT_ASSIGN_OR_RETURN(Setup setup, setupOf("emulator", kernel));
  runtime::counterSource(*setup.device)->setCounting(true);
  autotune::Random random(1);
  for (size_t i = 0; i < count; ++i) {
    schedule::GpuSchedule schedule = randomSchedule(random);
    TILEWRIGHT_RETURN_IF_ERROR(
        use(all[random.below(all.size())], schedule, setup));
  }
  return {};
}

/// Runs one schedule and adds its metrics. A schedule that does not compile
/// (too much shared memory) is left out.
static Status addSchedule(const CostKernel &kernel,
                          const authoring::Bindings &bindings,
                          const schedule::GpuSchedule &schedule, Setup &setup,
                          mlir::MLIRContext &context, bool list,
                          Comparison &comparison) {
  StatusOr<Executable> run = loadForEmulator(kernel, bindings, schedule, setup);
  if (!run.ok())
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(auto module,
                              build(kernel.kernel, bindings, context));
  mlir::TimingScope untimed;
  auto start = std::chrono::steady_clock::now();
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto scheduled,
      scheduleForGpu(kernelIn(*module), *target::findGpuTarget(emulatedTarget),
                     schedule, untimed));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      autotune::GpuWork work,
      autotune::analyzeGpuWork(kernelIn(*scheduled), kernel.arguments));
  comparison.milliseconds += std::chrono::duration<double, std::milli>(
                                 std::chrono::steady_clock::now() - start)
                                 .count();
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::LaunchCounters counters,
                              countLaunch(*run, setup));
  if (list)
    std::printf("%s %s\n", textOf(bindings).c_str(), schedule.text().c_str());
  for (size_t i = 0; i < std::size(comparedTerms); ++i) {
    double counted =
        double(counters.find(comparedTerms[i].counter).value_or(0));
    comparison.modelled[i].push_back(work.*comparedTerms[i].term);
    comparison.counted[i].push_back(counted);
    if (list)
      std::printf("  %-16s modelled %12.0f counted %12.0f\n",
                  comparedTerms[i].counter, work.*comparedTerms[i].term,
                  counted);
  }
  return {};
}

/// Prints correlations, and medians of modelled by counted.
static void report(const char *name, const Comparison &comparison) {
  size_t count = comparison.counted[0].size();
  std::printf("%s, %zu schedules, %.1f ms an estimate\n", name, count,
              comparison.milliseconds / double(count));
  for (size_t i = 0; i < std::size(comparedTerms); ++i) {
    std::vector<double> ratios, errors;
    for (size_t j = 0; j < comparison.counted[i].size(); ++j)
      if (comparison.counted[i][j] > 0) {
        ratios.push_back(comparison.modelled[i][j] / comparison.counted[i][j]);
        errors.push_back(std::abs(ratios.back() - 1));
      }
    if (ratios.empty())
      continue;
    std::printf("  %-17s correlation %6.3f  modelled / counted %.2f  "
                "error %.0f %%\n",
                comparedTerms[i].counter,
                rankCorrelation(comparison.modelled[i], comparison.counted[i]),
                median(ratios), 100 * median(errors));
  }
  std::fflush(stdout);
}

static Status compareEmulator(const Options &options) {
  mlir::MLIRContext context;
  prepareContext(context);
  for (const CostKernel &kernel : bench::costKernels(4)) {
    if (options.only && kernel.kernel.name() != options.only)
      continue;
    Comparison comparison;
    TILEWRIGHT_RETURN_IF_ERROR(forRandomSchedules(
        kernel, options.count,
        [&](const authoring::Bindings &bindings,
            const schedule::GpuSchedule &schedule, Setup &setup) {
          return addSchedule(kernel, bindings, schedule, setup, context,
                             options.list, comparison);
        }));
    report(kernel.kernel.name().c_str(), comparison);
  }
  return {};
}

//===--- Ablation ---------------------------------------------------------===//

static constexpr const char *gpuTerms[] = {"compute", "tensor", "issue",
                                           "shared",  "l2",     "dram",
                                           "latency", "tail",   "overhead"};

/// One schedule on the emulator: the model's estimate before it runs, with each
/// term and without, and the cost of the counters. None if it does not compile
/// or does not fit.
static StatusOr<std::optional<Sample>>
sampleGpu(const CostKernel &kernel, const authoring::Bindings &bindings,
          const schedule::GpuSchedule &schedule, Setup &setup,
          mlir::MLIRContext &context) {
  const target::GpuTarget &target = *target::findGpuTarget(emulatedTarget);
  const autotune::GpuMachine &machine =
      *autotune::gpuMachineFor(emulatedTarget);
  StatusOr<Executable> run = loadForEmulator(kernel, bindings, schedule, setup);
  if (!run.ok())
    return std::optional<Sample>();
  TILEWRIGHT_ASSIGN_OR_RETURN(auto module,
                              build(kernel.kernel, bindings, context));
  TILEWRIGHT_ASSIGN_OR_RETURN(autotune::GpuPlan plan,
                              autotune::planGpu(kernelIn(*module),
                                                kernel.arguments, schedule,
                                                target, machine));
  Sample sample;
  sample.text = textOf(bindings) + " " + schedule.text();
  autotune::Estimate estimate = autotune::estimateGpu(plan, target, machine);
  sample.estimate = estimate.nanoseconds;
  for (const char *term : gpuTerms)
    sample.without.push_back(
        autotune::estimateGpu(plan, target, machine, term).nanoseconds);
  TILEWRIGHT_ASSIGN_OR_RETURN(runtime::LaunchCounters counters,
                              countLaunch(*run, setup));
  autotune::takeCounted(plan.work, counters);
  autotune::spillRegisters(plan.work, target.threadRegisters);
  autotune::Estimate counted = autotune::estimateGpu(plan, target, machine);
  sample.time = counted.nanoseconds;
  if (estimate.rejection || counted.rejection)
    return std::optional<Sample>();
  return std::optional(std::move(sample));
}

static StatusOr<std::vector<Sample>>
sampleGpus(const CostKernel &kernel, mlir::MLIRContext &context, size_t count) {
  std::vector<Sample> samples;
  TILEWRIGHT_RETURN_IF_ERROR(forRandomSchedules(
      kernel, count,
      [&](const authoring::Bindings &bindings,
          const schedule::GpuSchedule &schedule, Setup &setup) -> Status {
        TILEWRIGHT_ASSIGN_OR_RETURN(
            std::optional<Sample> sample,
            sampleGpu(kernel, bindings, schedule, setup, context));
        if (sample)
          samples.push_back(std::move(*sample));
        return {};
      }));
  return samples;
}

/// A row of the table: the whole model, then each term left out.
static void printAblation(const char *model, const char *name,
                          const std::vector<Sample> &samples,
                          std::span<const char *const> terms) {
  auto cell = [](const Quality &quality) {
    std::printf(" %.3f, %.1f %% |", quality.correlation, quality.ten * 100);
  };
  std::printf("| %s %s (%zu) |", model, name, samples.size());
  cell(qualityOf(samples, estimatesOf(samples)));
  for (size_t i = 0; i < terms.size(); ++i) {
    std::vector<double> estimates;
    for (const Sample &sample : samples)
      estimates.push_back(sample.without[i]);
    cell(qualityOf(samples, estimates));
  }
  std::printf("\n");
  std::fflush(stdout);
}

static void printHead(std::span<const char *const> terms) {
  std::printf("\n| kernel (schedules) | all terms |");
  for (const char *term : terms)
    std::printf(" %s |", term);
  std::printf("\n|---|---|");
  for (size_t i = 0; i < terms.size(); ++i)
    std::printf("---|");
  std::printf("\n");
}

static Status ablate(const Options &options) {
  mlir::MLIRContext context;
  prepareContext(context);
  TILEWRIGHT_ASSIGN_OR_RETURN(autotune::CpuMachine machine,
                              calibratedMachine());
  auto isAsked = [&](const CostKernel &kernel) {
    return !options.only || kernel.kernel.name() == options.only;
  };
  printHead(cpuTerms);
  for (const CostKernel &kernel : bench::costKernels(1))
    if (isAsked(kernel)) {
      TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<Sample> samples,
                                  sampleCpu(kernel, context, machine, options));
      printAblation("cpu", kernel.kernel.name().c_str(), samples, cpuTerms);
    }
  printHead(gpuTerms);
  for (const CostKernel &kernel : bench::costKernels(4))
    if (isAsked(kernel)) {
      TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<Sample> samples,
                                  sampleGpus(kernel, context, options.count));
      printAblation("sm_90a", kernel.kernel.name().c_str(), samples, gpuTerms);
    }
  return {};
}

static int usage() {
  std::fprintf(stderr, "usage: cost-model cpu|emulator|ablate [KERNEL] "
                       "[--count N] [--threads N] [--list]\n");
  return 2;
}

int main(int argc, char **argv) {
  Options options;
  std::string_view mode;
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "--list"))
      options.list = true;
    else if (!std::strcmp(argv[i], "--count") && i + 1 < argc)
      options.count = size_t(std::atoi(argv[++i]));
    else if (!std::strcmp(argv[i], "--threads") && i + 1 < argc)
      options.threads = unsigned(std::atoi(argv[++i]));
    else if (mode.empty())
      mode = argv[i];
    else
      options.only = argv[i];
  Status status;
  if (mode == "cpu")
    status = compareCpu(options);
  else if (mode == "emulator")
    status = compareEmulator(options);
  else if (mode == "ablate")
    status = ablate(options);
  else
    return usage();
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
