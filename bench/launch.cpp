// The overhead of a launch, and the time to load and run a package.
//
//   launch DEVICE PACKAGE.twp [REPEATS] [NAME=INPUT.npy ..]
//
// Launches a kernel of one program that does next to nothing, one after the
// other, and with a wait after each; plans a launch of the package's kernel
// that has most guards, in whichever list of steps; loads the package; runs it,
// with zeros for inputs of fixed shapes that are not given, and counts the
// launches and copies that this takes. Prints microseconds.
#include "tilewright/runtime/Launch.h"
#include "tilewright/authoring.h"
#include "tilewright/compiler/Executable.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"
#include "tilewright/runtime/Npy.h"
#include "tilewright/runtime/Package.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

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

/// Adds the launches of `steps` and of the lists in them.
static void addLaunches(const std::vector<runtime::StepManifest> &steps,
                        std::vector<const runtime::StepManifest *> &launches) {
  for (const runtime::StepManifest &step : steps) {
    if (step.isLaunch())
      launches.push_back(&step);
    if (step.branch) {
      addLaunches(step.branch->first, launches);
      addLaunches(step.branch->second, launches);
    }
    if (step.loop)
      addLaunches(step.loop->steps, launches);
  }
}

/// Times the plan of a launch for the step whose kernel has most guards.
static Status measurePlan(runtime::Device &device, const char *path,
                          int repeats) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, runtime::Package::load(path));
  const runtime::StepManifest *step = nullptr;
  const runtime::KernelManifest *manifest = nullptr;
  std::vector<const runtime::StepManifest *> launches;
  addLaunches(package->manifest().steps, launches);
  for (const runtime::StepManifest *other : launches) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto found,
                                package->findKernels(other->kernel, device));
    if (!step || found.front()->guards.size() > manifest->guards.size()) {
      step = other;
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

/// The array that is given for an input, or zeros.
static StatusOr<runtime::HostTensor>
inputOf(const runtime::InterfaceTensor &input,
        std::span<const std::string> given) {
  for (const std::string &assignment : given)
    if (assignment.starts_with(input.name + "="))
      return runtime::readNpy(assignment.substr(input.name.size() + 1));
  runtime::Shape shape;
  for (const runtime::Expression &size : input.shape) {
    if (!size.constant())
      return Status::invalidInput("input '" + input.name +
                                  "' has open sizes: give " + input.name +
                                  "=FILE.npy");
    shape.push_back(*size.constant());
  }
  return runtime::HostTensor::allocate(input.dtype, shape);
}

/// Times runs of the whole package.
static Status measureRuns(const std::shared_ptr<runtime::Device> &device,
                          const char *path, int repeats,
                          std::span<const std::string> given) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto model, runtime::Model::load(device, path));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto session, model->createSession());
  for (const runtime::InterfaceTensor &input : model->manifest().inputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(runtime::HostTensor tensor,
                                inputOf(input, given));
    TILEWRIGHT_RETURN_IF_ERROR(session->setInput(input.name, tensor));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(auto steps, session->profile());
  int64_t count = 0;
  for (const runtime::StepTime &step : steps)
    count += step.runs;
  Status status = session->run(); // Makes graphs, where the device has them.
  const double time = median(repeats, [&] {
    if (Status ran = session->run(); !ran.ok())
      status = ran;
  });
  std::printf("run                        %8.2f us, %lld launches or copies: "
              "%.2f us each\n",
              time, static_cast<long long>(count),
              time / double(std::max<int64_t>(count, 1)));
  return status;
}

static Status measure(const char *name, const char *package, int repeats,
                      std::span<const std::string> given) {
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
  TILEWRIGHT_RETURN_IF_ERROR(measurePlan(*device, package, repeats));
  return measureRuns(device, package, repeats, given);
}

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) {
    std::fprintf(stderr,
                 "usage: launch DEVICE PACKAGE.twp [REPEATS] [NAME=INPUT.npy "
                 "..]\n");
    return 2;
  }
  int repeats = 50;
  std::span<const std::string> given = std::span(words).subspan(2);
  if (!given.empty() && given.front().find('=') == std::string::npos) {
    repeats = std::max(1, std::atoi(given.front().c_str()));
    given = given.subspan(1);
  }
  Status status = measure(words[0].c_str(), words[1].c_str(), repeats, given);
  if (!status.ok())
    std::fprintf(stderr, "error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
