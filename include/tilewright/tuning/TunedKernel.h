// C++ kernels that are launched with tuned schedules.
#ifndef TILEWRIGHT_TUNING_TUNEDKERNEL_H
#define TILEWRIGHT_TUNING_TUNEDKERNEL_H

#include "tilewright/compiler/Executable.h"
#include "tilewright/support/Export.h"
#include <filesystem>

namespace tilewright {

/// The schedule of a launch.
struct LaunchChoice {
  /// Tunables and schedule, "rows=8 warps=4"; empty: the kernel's defaults.
  std::string schedule;
  /// As text: the trial that it comes from and the distance of the sizes, or
  /// why it is the default.
  std::string origin;
};

/// A kernel on a device that launches with the best schedule for its arguments
/// from a database of tune(). This is the schedule of the nearest tuned shape,
/// by the sum of |log2(a / b)| over all sizes, if the sum is at most 3;
/// otherwise the kernel's default. The first launch with a schedule compiles
/// it. Copies share the kernel. Several threads may launch it, each on its own
/// stream.
class TILEWRIGHT_API TunedKernel {
public:
  /// Reads the database once. `device` and `options.compiler` must outlive the
  /// kernel; `options.schedule` applies to the default. Errors: the kernel
  /// cannot be built with its defaults, or has more combinations than
  /// Kernel::mostVariants; the database cannot be read.
  static StatusOr<TunedKernel> load(const authoring::Kernel &kernel,
                                    runtime::Device &device,
                                    const std::filesystem::path &database,
                                    const LoadOptions &options = {});

  /// Enqueues one run. Errors: those of Executable::launch and load. If a
  /// schedule of the database cannot be loaded, the default is used; choice()
  /// reports this.
  template <class... A>
  Status launch(runtime::Stream &stream, const A &...arguments) const {
    const std::array<Argument, sizeof...(A)> list = {Argument(arguments)...};
    return launchAll(stream, list);
  }
  Status launchAll(runtime::Stream &stream,
                   std::span<const Argument> arguments) const;

  /// The schedule of a launch with these arguments. Compiles it if no launch
  /// has.
  template <class... A> LaunchChoice choice(const A &...arguments) const {
    const std::array<Argument, sizeof...(A)> list = {Argument(arguments)...};
    return choiceOf(list);
  }
  [[nodiscard]] LaunchChoice
  choiceOf(std::span<const Argument> arguments) const;

private:
  struct State;
  explicit TunedKernel(std::shared_ptr<State> shared)
      : state(std::move(shared)) {}
  std::shared_ptr<State> state;
};

} // namespace tilewright

#endif // TILEWRIGHT_TUNING_TUNEDKERNEL_H
