// Launching a kernel with typed arguments.
#ifndef TILEWRIGHT_RUNTIME_LAUNCH_H
#define TILEWRIGHT_RUNTIME_LAUNCH_H

#include "tilewright/manifest/KernelManifest.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/Tensor.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tilewright::runtime {

/// One argument of a kernel: a view of memory, or one word.
struct TILEWRIGHT_API LaunchArgument {
  /// Whether this is a view.
  bool isView = false;
  /// The address of a view's first element.
  uint64_t address = 0;
  /// Bytes from `address` to the end of the memory.
  size_t bytes = 0;
  /// All dimensions of a view.
  Shape dims;
  /// All strides of a view in elements; empty for a row-major one.
  Shape strides;
  /// The word of a scalar or a pointer.
  uint64_t word = 0;
  /// The memory space of a view or a pointer; null if unknown: then it is not
  /// checked.
  const MemorySpace *space = nullptr;

  /// A view that starts at the beginning of `buffer`.
  static LaunchArgument view(const Buffer &buffer, Shape dims,
                             Shape strides = {});
  /// A pointer to `buffer`.
  static LaunchArgument pointer(const Buffer &buffer);
  /// An integer or index.
  static LaunchArgument integer(int64_t value);
  /// A float, as the bit pattern of the argument's type.
  static LaunchArgument f32(float value);
  static LaunchArgument f64(double value);
};

/// The argument words and the grid of a launch.
struct LaunchPlan {
  std::vector<uint64_t> words;
  Grid grid = {1, 1, 1};
  /// Bytes of the kernel's workspace; its address is the last word, which a
  /// launch sets.
  int64_t workspace = 0;
};

/// Checks the arguments against `manifest` (count, kinds, ranks, views inside
/// their memory, guards), packs them and evaluates the grid. Errors name the
/// kernel and the argument.
TILEWRIGHT_API StatusOr<LaunchPlan>
planLaunch(const KernelManifest &manifest,
           std::span<const LaunchArgument> arguments,
           int64_t multiprocessors = 1);

/// The same for a loaded kernel, whose guards are parsed already.
TILEWRIGHT_API StatusOr<LaunchPlan>
planLaunch(const Kernel &kernel, std::span<const LaunchArgument> arguments);

/// A plan for one of several variants of a kernel.
struct VariantPlan {
  /// Its index.
  size_t variant = 0;
  LaunchPlan plan;
  /// By variant: whether its guards hold, but for those on addresses.
  std::vector<bool> fits = {};
};

/// Plans the first of `variants` whose guards hold for these arguments. There
/// is at least one, and all take the same arguments. If none fits, the error is
/// that of the last.
TILEWRIGHT_API StatusOr<VariantPlan>
planLaunch(std::span<const std::shared_ptr<Kernel>> variants,
           std::span<const LaunchArgument> arguments);

/// Enqueues a planned launch. The kernel's workspace, if it has one, is the
/// stream's memory for this kernel, zeroed as the manifest says. Allocating it,
/// in the first launch and in one that needs more, is an error in a capture.
TILEWRIGHT_API Status launch(Stream &stream, const Kernel &kernel,
                             const LaunchPlan &plan);

/// Calls planLaunch and enqueues the launch. `grid` replaces the manifest's
/// grid. An argument in the memory of a device other than the stream's is also
/// an error.
TILEWRIGHT_API Status launch(Stream &stream, const Kernel &kernel,
                             std::span<const LaunchArgument> arguments,
                             const std::optional<Grid> &grid = std::nullopt);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_LAUNCH_H
