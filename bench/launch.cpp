// The overhead of a launch, and the time to load a package.
//
//   launch DEVICE PACKAGE.twp [REPEATS]
//
// Launches a kernel of one program that does next to nothing, one after the
// other, and with a wait after each; plans a launch of the package's kernel
// that has most guards; loads the package. Prints microseconds.
#include "tilewright/runtime/Launch.h"
#include "tilewright/authoring.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"
#include "tilewright/runtime/Package.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace tilewright;
using namespace tilewright::authoring;

static void nothing(View<F32, 1> x, View<F32, 1> y, Scalar<F32> by) {
  y.store(0, x.load(0, 8) * by);
}

/// The median time of `repeats` calls of `work`, in microseconds.
template <class F> static double median(int repeats, F work) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    auto start = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[size_t(repeats) / 2];
}

/// The arguments of a step, at addresses that no launch reads.
static std::vector<runtime::LaunchArgument>
argumentsOf(const runtime::StepManifest &step) {
  std::vector<runtime::LaunchArgument> arguments;
  for (const runtime::StepArgument &given : step.arguments) {
    runtime::LaunchArgument argument;
    argument.isView = given.buffer.has_value();
    argument.address = 4096;
    argument.bytes = size_t{1} << 40;
    argument.word = uint64_t(given.scalar.constant().value_or(0));
    for (const runtime::Expression &dim : given.dims)
      argument.dims.push_back(dim.constant().value_or(1));
    arguments.push_back(argument);
  }
  return arguments;
}

/// Times the plan of a launch for the step whose kernel has most guards.
static Status measurePlan(runtime::Device &device, const char *path,
                          int repeats) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, runtime::Package::load(path));
  const runtime::StepManifest *step = nullptr;
  const runtime::KernelManifest *manifest = nullptr;
  for (const runtime::StepManifest &other : package->manifest().steps) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto found,
                                package->findKernels(other.kernel, device));
    if (!step || found.front()->guards.size() > manifest->guards.size()) {
      step = &other;
      manifest = found.front();
    }
  }
  if (!step)
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(auto image, package->image(*manifest));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto module, device.loadModule(image));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto kernel, module->kernel(*manifest));
  const auto arguments = argumentsOf(*step);
  Status status;
  constexpr int batch = 1000;
  const double planning = median(repeats, [&] {
    for (int i = 0; i < batch; ++i)
      if (auto plan = runtime::planLaunch(*kernel, arguments); !plan.ok())
        status = plan.status();
  });
  std::printf("plan with %3zu guards       %8.2f us\n", manifest->guards.size(),
              planning / batch);
  return status;
}

static Status measure(const char *name, const char *package, int repeats) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto device, runtime::openDevice(name));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto stream, device->createStream());
  TILEWRIGHT_ASSIGN_OR_RETURN(Executable run,
                              load(kernel("nothing", nothing), *device));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto x,
      DeviceTensor::copyOf(*device, *stream, {8}, std::vector<float>(8, 1)));
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto y, DeviceTensor::allocate(*device, runtime::DType::F32, {8}));
  Status status;
  auto check = [&](Status now) {
    if (!now.ok())
      status = now;
  };
  constexpr int batch = 1000;
  double queued = median(repeats, [&] {
    for (int i = 0; i < batch; ++i)
      check(run.launch(*stream, x, y, 2));
    check(stream->synchronize());
  });
  double waited = median(repeats * 10, [&] {
    check(run.launch(*stream, x, y, 2));
    check(stream->synchronize());
  });
  size_t kernels = 0;
  double loading = median(repeats, [&] {
    auto model = runtime::Model::load(device, package);
    check(model.status());
    if (model.ok())
      kernels = (*model)->manifest().kernels.size();
  });
  TILEWRIGHT_RETURN_IF_ERROR(status);
  std::printf("launch, %d in a row       %8.2f us each\n", batch,
              queued / batch);
  std::printf("launch and wait            %8.2f us\n", waited);
  std::printf("load of %3zu kernels        %8.2f us\n", kernels, loading);
  return measurePlan(*device, package, repeats);
}

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: launch DEVICE PACKAGE.twp [REPEATS]\n");
    return 2;
  }
  Status status = measure(argv[1], argv[2],
                          argc > 3 ? std::max(1, std::atoi(argv[3])) : 50);
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
