#include "tilewright/tuning/TunedKernel.h"

#include "autotune/database/Best.h"
#include "autotune/session/Lookup.h"
#include "support/Format.h"
#include "tilewright/codegen/CpuSchedule.h"
#include "tilewright/codegen/GpuSchedule.h"
#include <map>
#include <mutex>
#include <numeric>

namespace tilewright {

namespace {

/// A schedule's code, compiled on first use.
struct Code {
  std::once_flag once;
  StatusOr<Executable> executable = Status::internal("not compiled");
};

/// A shape that the kernel was tuned for. Several may have one schedule.
struct Bucket {
  std::vector<int64_t> shape;
  LaunchChoice choice;
};

} // namespace

struct TunedKernel::State {
  authoring::Kernel kernel;
  runtime::Device &device;
  LoadOptions options;
  std::string target;
  std::vector<Bucket> buckets = {};
  /// By schedule, all there will be; that of the default is "".
  std::map<std::string, Code> codes = {};

  const Bucket *nearest(std::span<const Argument> arguments) const;
  StatusOr<Executable> loadBy(const std::string &schedule) const;
  const StatusOr<Executable> &executable(const std::string &schedule) {
    Code &code = codes.at(schedule);
    std::call_once(code.once, [&] { code.executable = loadBy(schedule); });
    return code.executable;
  }
};

/// As TaskRecord::shape: the sizes of all tensors.
static std::vector<int64_t> sizesOf(std::span<const Argument> arguments) {
  std::vector<int64_t> sizes;
  for (const Argument &argument : arguments) {
    const DeviceTensor *tensor = argument.given();
    if (!tensor)
      continue;
    const runtime::Shape &shape = tensor->shape();
    if (argument.isPointer())
      sizes.push_back(std::accumulate(shape.begin(), shape.end(), int64_t(1),
                                      std::multiplies<>()));
    else
      sizes.insert(sizes.end(), shape.begin(), shape.end());
  }
  return sizes;
}

/// None where nothing near was tuned.
const Bucket *
TunedKernel::State::nearest(std::span<const Argument> arguments) const {
  const std::vector<int64_t> sizes = sizesOf(arguments);
  const Bucket *found = nullptr;
  double least = autotune::Lookup::nearestDistance;
  for (const Bucket &bucket : buckets) {
    std::optional<double> far = autotune::distance(bucket.shape, sizes);
    if (!far || *far > least || (found && *far == least))
      continue;
    found = &bucket;
    least = *far;
  }
  return found;
}

/// The text of a schedule in two: what the kernel is built with, and the rest.
template <typename Schedule>
static StatusOr<std::string> split(const std::string &text,
                                   authoring::Bindings &bindings) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Schedule schedule, Schedule::parse(text));
  bindings.insert(schedule.tunables.begin(), schedule.tunables.end());
  schedule.tunables.clear();
  return schedule.text();
}

StatusOr<Executable>
TunedKernel::State::loadBy(const std::string &schedule) const {
  authoring::Bindings bindings;
  LoadOptions own = options;
  own.target = target;
  if (!schedule.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        own.schedule, target == "cpu"
                          ? split<schedule::CpuSchedule>(schedule, bindings)
                          : split<schedule::GpuSchedule>(schedule, bindings));
  }
  return tilewright::load(kernel, device, bindings, own);
}

StatusOr<TunedKernel> TunedKernel::load(const authoring::Kernel &kernel,
                                        runtime::Device &device,
                                        const std::filesystem::path &database,
                                        const LoadOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string code, kernel.printVariants());
  TILEWRIGHT_ASSIGN_OR_RETURN(autotune::Lookup lookup,
                              autotune::Lookup::open(database));
  const std::string target =
      options.target.empty() ? device.info().targets.front() : options.target;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<autotune::FoundShape> shapes,
                              lookup.shapesOf(code, target));
  auto state = std::make_shared<State>(State{kernel, device, options, target});
  state->codes.try_emplace("");
  for (autotune::FoundShape &shape : shapes) {
    state->codes.try_emplace(shape.best.schedule);
    state->buckets.push_back(
        {std::move(shape.shape),
         {shape.best.schedule, std::move(shape.best.origin)}});
  }
  return TunedKernel(std::move(state));
}

Status TunedKernel::launchAll(runtime::Stream &stream,
                              std::span<const Argument> arguments) const {
  const Bucket *near = state->nearest(arguments);
  const StatusOr<Executable> *executable =
      &state->executable(near ? near->choice.schedule : "");
  if (near && !executable->ok())
    executable = &state->executable("");
  TILEWRIGHT_RETURN_IF_ERROR(executable->status());
  return (*executable)->launchAll(stream, arguments);
}

LaunchChoice TunedKernel::choiceOf(std::span<const Argument> arguments) const {
  const Bucket *near = state->nearest(arguments);
  if (!near)
    return {"", "the default: not tuned for sizes near these"};
  const StatusOr<Executable> &executable =
      state->executable(near->choice.schedule);
  if (executable.ok())
    return near->choice;
  return {"",
          format("the default, because the schedule of {} cannot be loaded: {}",
                 {near->choice.origin, executable.status().message()})};
}

} // namespace tilewright
