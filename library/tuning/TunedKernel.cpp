#include "library/tuning/TunedKernel.h"

#include "autotune/database/Best.h"
#include "autotune/session/Lookup.h"
#include "codegen/schedule/CpuSchedule.h"
#include "codegen/schedule/Schedule.h"
#include <mutex>
#include <numeric>

namespace tilewright {

namespace {

/// A schedule, compiled by the first that wants it. Not moved: threads wait
/// for its flag.
struct Variant {
  explicit Variant(LaunchChoice choice) : choice(std::move(choice)) {}
  LaunchChoice choice;
  std::once_flag once;
  StatusOr<Executable> executable = Status::internal("not compiled");
};

/// The sizes for which a variant is the best that is known.
struct Bucket {
  std::vector<int64_t> shape;
  Variant *variant = nullptr;
};

} // namespace

struct TunedKernel::State {
  authoring::Kernel kernel;
  runtime::Device &device;
  LoadOptions options;
  std::string target;
  std::unique_ptr<Variant> byDefault;
  std::vector<std::unique_ptr<Variant>> variants;
  std::vector<Bucket> buckets;

  Variant &find(std::span<const Argument> arguments) const;
  void compile(Variant &variant) const;
  StatusOr<Executable> loadBy(const std::string &schedule) const;
  const StatusOr<Executable> &executable(Variant &variant) const {
    std::call_once(variant.once, [&] { compile(variant); });
    return variant.executable;
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

Variant &TunedKernel::State::find(std::span<const Argument> arguments) const {
  const std::vector<int64_t> sizes = sizesOf(arguments);
  const Bucket *nearest = nullptr;
  double least = autotune::Lookup::nearestDistance;
  for (const Bucket &bucket : buckets) {
    std::optional<double> far = autotune::distance(bucket.shape, sizes);
    if (!far || *far > least || (nearest && *far == least))
      continue;
    nearest = &bucket;
    least = *far;
  }
  return nearest ? *nearest->variant : *byDefault;
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
                          : split<schedule::Schedule>(schedule, bindings));
  }
  return tilewright::load(kernel, device, bindings, own);
}

void TunedKernel::State::compile(Variant &variant) const {
  variant.executable = loadBy(variant.choice.schedule);
  if (variant.executable.ok() || &variant == byDefault.get())
    return;
  variant.choice = {
      "", "the default, because the schedule of " + variant.choice.origin +
              " cannot be loaded: " + variant.executable.status().message()};
  variant.executable = executable(*byDefault);
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
  auto state = std::make_shared<State>(
      State{kernel,
            device,
            options,
            target,
            std::make_unique<Variant>(LaunchChoice{"", "the default: "
                                                       "not tuned "
                                                       "for sizes "
                                                       "near these"}),
            {},
            {}});
  for (autotune::FoundShape &shape : shapes) {
    state->variants.push_back(std::make_unique<Variant>(
        LaunchChoice{shape.best.schedule, std::move(shape.best.origin)}));
    state->buckets.push_back(
        {std::move(shape.shape), state->variants.back().get()});
  }
  return TunedKernel(std::move(state));
}

Status TunedKernel::launchAll(runtime::Stream &stream,
                              std::span<const Argument> arguments) const {
  const StatusOr<Executable> &executable =
      state->executable(state->find(arguments));
  TILEWRIGHT_RETURN_IF_ERROR(executable.status());
  return executable->launchAll(stream, arguments);
}

LaunchChoice TunedKernel::choiceOf(std::span<const Argument> arguments) const {
  Variant &variant = state->find(arguments);
  // What cannot be loaded is told as the default.
  if (!state->executable(variant).ok())
    return state->byDefault->choice;
  return variant.choice;
}

} // namespace tilewright
