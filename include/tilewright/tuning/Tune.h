//===- Tune.h - The fastest tunables and schedules of a kernel --*- C++ -*-===//
//
// Tunes kernels written in C++: their tunables and the schedule, together. The
// database is that of `tilewright tune`, which shows, merges and tries again
// what is in it (docs/tuning.md); TunedKernel.h launches by it.
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

/// What an argument is while a kernel is tuned: a tensor of random elements for
/// a view, or behind a pointer; or the value of a scalar.
class TILEWRIGHT_API TuneArgument {
public:
  /// The shape of a view's tensor; of a pointer the number of elements, {n}.
  TuneArgument(runtime::Shape shape) : given(std::move(shape)) {}
  TuneArgument(std::initializer_list<int64_t> shape)
      : given(runtime::Shape(shape)) {}
  template <class N>
    requires std::is_integral_v<N>
  TuneArgument(N value) : given(static_cast<int64_t>(value)) {}
  TuneArgument(double value) : given(value) {}

  /// As `tilewright tune --argument`: "512x64", "=7", "=0.5".
  [[nodiscard]] std::string text() const;

private:
  std::variant<runtime::Shape, int64_t, double> given;
};

/// One for each parameter of the kernel: what it is tuned for.
using TuneShape = std::vector<TuneArgument>;

struct TuneLimits {
  /// For all shapes together; 0: no limit.
  double seconds = 60;
  /// Combinations of tunables and schedule that are tried of each shape; 0: as
  /// many as the time allows.
  size_t trials = 0;
  /// Of the cpu device; 0: all of the machine's.
  unsigned threads = 0;
  /// Of the search: the same one tries the same where times are the same.
  uint64_t seed = 1;
  /// The program `tilewright`, in whose processes kernels are tried, so that a
  /// fault or a hang ends nothing else. Empty: that beside this library.
  std::filesystem::path tool;
};

/// What was found for one shape.
struct TunedShape {
  /// "512x64 512 =7".
  std::string arguments;
  /// Nanoseconds of a launch by the kernel's default, and by the best that the
  /// database knows, which is the default where nothing was faster beyond
  /// noise; on the emulator modelled nanoseconds. 0: not known.
  double defaultCost = 0, best = 0;
  /// Tunables and schedule: "rows=8 warps=4 vector_bits=64".
  std::string schedule;
  size_t trials = 0;
  /// Why the shape was not tuned, or not to its end; empty if it was.
  std::string trouble;
};

/// Looks for the fastest values of the kernel's tunables and of its schedule on
/// a device of this name, for each of `shapes`, checks what each computes, and
/// adds every trial to the file `database`, which is made where there is none.
/// What the file knows of these kernels and shapes is taken over. Blocks;
/// starts processes; leaves no other file behind. Errors: those of the kernel,
/// by any of its tunables; more combinations than Kernel::mostVariants; no
/// `tilewright`; the database cannot be written; a device of the application,
/// which has no name to be opened by. What goes wrong with one shape is in its
/// `trouble`.
TILEWRIGHT_API StatusOr<std::vector<TunedShape>>
tune(const authoring::Kernel &kernel, const runtime::Device &device,
     std::span<const TuneShape> shapes, const std::filesystem::path &database,
     const TuneLimits &limits = {});

} // namespace tilewright

#endif // TILEWRIGHT_TUNING_TUNE_H
