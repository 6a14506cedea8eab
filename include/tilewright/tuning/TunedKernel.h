// A C++ kernel that runs by what was learnt of it.
#ifndef TILEWRIGHT_TUNING_TUNEDKERNEL_H
#define TILEWRIGHT_TUNING_TUNEDKERNEL_H

#include "tilewright/compiler/Executable.h"
#include "tilewright/support/Export.h"
#include <filesystem>

namespace tilewright {

/// How a launch runs.
struct LaunchChoice {
  /// Tunables and schedule, "rows=8 warps=4"; empty: the kernel's defaults.
  std::string schedule;
  /// For people: which trial it is from and how near the sizes are, or why it
  /// is the default.
  std::string origin;
};

/// A kernel on a device, launched by the best schedule that a database of
/// tune() knows for the sizes of the arguments: that of the nearest shape that
/// the kernel was tuned for, by the sum of |log2(a / b)| over all sizes, if
/// that is at most 3; else the kernel's default. Each schedule is compiled by
/// the first launch that takes it. Copies share the kernel. Safe to launch from
/// several threads, each on a stream of its own.
class TILEWRIGHT_API TunedKernel {
public:
  /// Reads what the database knows now. `device`, and `options.compiler`, must
  /// outlive the kernel; `options.schedule` is the default's. Errors: the
  /// kernel cannot be built by its defaults, or has more combinations than
  /// Kernel::mostVariants; the database cannot be read.
  static StatusOr<TunedKernel> load(const authoring::Kernel &kernel,
                                    runtime::Device &device,
                                    const std::filesystem::path &database,
                                    const LoadOptions &options = {});

  /// Enqueues one run. Errors: as Executable::launch and load. A schedule of
  /// the database that cannot be loaded gives way to the default, which
  /// choice() tells.
  template <class... A>
  Status launch(runtime::Stream &stream, const A &...arguments) const {
    const std::array<Argument, sizeof...(A)> list = {Argument(arguments)...};
    return launchAll(stream, list);
  }
  Status launchAll(runtime::Stream &stream,
                   std::span<const Argument> arguments) const;

  /// By what a launch with these arguments runs. Compiles it if no launch has.
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
