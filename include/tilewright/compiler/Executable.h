// Kernels that are ready to run on a device.
#ifndef TILEWRIGHT_COMPILER_EXECUTABLE_H
#define TILEWRIGHT_COMPILER_EXECUTABLE_H

#include "tilewright/authoring/Kernel.h"
#include "tilewright/compiler/Compiler.h"
#include "tilewright/compiler/DeviceTensor.h"
#include "tilewright/runtime/Launch.h"
#include "tilewright/support/Export.h"

#include <array>
#include <type_traits>
#include <variant>

namespace tilewright {

/// One argument of a launch: a tensor for a view, its memory for a pointer, or
/// a number, which is converted to the parameter's type.
class Argument {
public:
  /// A C++ number; the two integer types cover both signs.
  using Number = std::variant<int64_t, uint64_t, double>;

  Argument(const DeviceTensor &given) : tensor(&given) {}
  template <class N>
    requires std::is_arithmetic_v<N>
  Argument(N given) {
    if constexpr (std::is_floating_point_v<N>)
      number = static_cast<double>(given);
    else if constexpr (std::is_signed_v<N>)
      number = static_cast<int64_t>(given);
    else
      number = static_cast<uint64_t>(given);
  }
  Argument(Float16 given) : number(double(float(given))) {}
  Argument(BFloat16 given) : number(double(float(given))) {}
  /// A pointer to the tensor's first element.
  static Argument pointerTo(const DeviceTensor &tensor) {
    Argument argument(tensor);
    argument.asPointer = true;
    return argument;
  }
  /// The tensor with other strides, in elements.
  static Argument strided(const DeviceTensor &tensor, runtime::Shape strides) {
    Argument argument(tensor);
    argument.strides = std::move(strides);
    return argument;
  }

  /// The tensor of a view or a pointer; null for a number.
  [[nodiscard]] const DeviceTensor *given() const { return tensor; }
  [[nodiscard]] bool isPointer() const { return asPointer; }

private:
  friend class Executable;
  /// Null for a number. Not owned: a tensor must live until the launch is
  /// enqueued, and its memory until the launch is done.
  const DeviceTensor *tensor = nullptr;
  Number number;
  bool asPointer = false;
  runtime::Shape strides;
};

struct LoadOptions {
  /// Empty: the first target of the device.
  std::string target;
  /// A schedule as text (CompileRequest::schedule); empty: the default.
  std::string schedule;
  /// CompileRequest::precision.
  runtime::Precision precision = runtime::Precision::ieee;
  authoring::BuildOptions build;
  /// Null: compiles on the calling thread, without a cache.
  Compiler *compiler = nullptr;
};

/// A kernel on a device. Copies share it. Several threads may launch it, each
/// on its own stream.
class TILEWRIGHT_API Executable {
public:
  [[nodiscard]] const KernelImage &image() const { return *compiled; }

  /// Enqueues one run; the grid is computed from the arguments. Errors name the
  /// kernel and the argument: wrong count, kind, element type (of pointers too)
  /// or rank, a number out of range, memory of another device, a violated
  /// guard.
  template <class... A>
  Status launch(runtime::Stream &stream, const A &...arguments) const {
    const std::array<Argument, sizeof...(A)> list = {Argument(arguments)...};
    return launchAll(stream, list);
  }
  Status launchAll(runtime::Stream &stream,
                   std::span<const Argument> arguments) const;

  /// Loads an image. Errors: the device cannot run it.
  static StatusOr<Executable> load(KernelImage image, runtime::Device &device);

private:
  friend StatusOr<Executable> load(const authoring::Kernel &, runtime::Device &,
                                   const authoring::Bindings &,
                                   const LoadOptions &);
  std::shared_ptr<const KernelImage> compiled;
  std::shared_ptr<runtime::Kernel> kernel;
  /// Those of the C++ function. Empty for an image that was loaded without one;
  /// then only the manifest is checked.
  std::vector<authoring::detail::ParameterType> parameters;
};

/// Builds the kernel with these tunables, compiles it for the device and loads
/// it. Errors: mistakes in the kernel, at the user's line; errors of
/// compilation and of the device.
TILEWRIGHT_API StatusOr<Executable>
load(const authoring::Kernel &kernel, runtime::Device &device,
     const authoring::Bindings &bindings = {}, const LoadOptions &options = {});

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_EXECUTABLE_H
