//===- Tune.h - The fastest tunables and schedules of a kernel --*- C++ -*-===//
//
// Tunes kernels written in C++: their tunables together with the schedule. The
// database is that of `tilewright tune`, which lists, merges and revalidates
// its trials (docs/tuning.md). TunedKernel.h launches kernels with it.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TUNING_TUNE_H
#define TILEWRIGHT_TUNING_TUNE_H

#include "tilewright/authoring/Kernel.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tilewright {

/// An argument during tuning: the shape of a random tensor for a view or a
/// pointer, or the value of a scalar.
class TILEWRIGHT_API TuneArgument {
public:
  /// The shape of a view's tensor; for a pointer the number of elements, {n}.
  TuneArgument(runtime::Shape shape) : given(std::move(shape)) {}
  TuneArgument(std::initializer_list<int64_t> shape)
      : given(runtime::Shape(shape)) {}
  template <class N>
    requires std::is_integral_v<N>
  TuneArgument(N value) : given(static_cast<int64_t>(value)) {}
  TuneArgument(double value) : given(value) {}

  /// The text that `tilewright tune --argument` reads: "512x64", "=7", "=0.5".
  [[nodiscard]] std::string text() const;

private:
  std::variant<runtime::Shape, int64_t, double> given;
};

/// One argument for each parameter of the kernel.
using TuneShape = std::vector<TuneArgument>;

struct TuneLimits {
  /// For all shapes together; 0: no limit.
  double seconds = 60;
  /// Combinations of tunables and schedule to try for each shape; 0: no limit
  /// but the time.
  size_t trials = 0;
  /// Threads of the cpu device; 0: all of the machine.
  unsigned threads = 0;
  /// Seed of the search: with equal times, the same seed tries the same
  /// schedules.
  uint64_t seed = 1;
  /// The program `tilewright`. Kernels are tried in its processes, so that a
  /// fault or a hang ends nothing else. Empty: the one installed with this
  /// library.
  std::filesystem::path tool;
};

/// The result for one shape.
struct TunedShape {
  /// "512x64 512 =7".
  std::string arguments;
  /// Nanoseconds of a launch with the kernel's default, and with the best
  /// schedule in the database, which is the default if none is faster beyond
  /// noise. On the emulator both are modelled nanoseconds. 0: unknown.
  double defaultCost = 0, best = 0;
  /// Tunables and schedule: "rows=8 warps=4 vector_bits=64".
  std::string schedule;
  size_t trials = 0;
  /// Why tuning of the shape failed or ended early; empty if it did not.
  std::string trouble;
};

/// Searches for the fastest tunables and schedule of the kernel on this device,
/// for each of `shapes`. It checks the result of each trial and adds all trials
/// to the file `database`, which is created if it does not exist; earlier
/// trials of these kernels and shapes are reused. Blocks and starts processes;
/// leaves no other files. Errors: those of the kernel with any of its tunables;
/// more combinations than Kernel::mostVariants; no program `tilewright`; the
/// database cannot be written; a device of the application, which the processes
/// cannot open by name. The `trouble` of a shape reports its failures.
TILEWRIGHT_API StatusOr<std::vector<TunedShape>>
tune(const authoring::Kernel &kernel, const runtime::Device &device,
     std::span<const TuneShape> shapes, const std::filesystem::path &database,
     const TuneLimits &limits = {});

} // namespace tilewright

#endif // TILEWRIGHT_TUNING_TUNE_H
