// The CUDA driver library, opened at run time.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DRIVER_H
#define TILEWRIGHT_RUNTIME_CUDA_DRIVER_H

#include "runtime/cuda/DriverTypes.h"
#include "tilewright/support/Status.h"
#include <memory>
#include <string>
#include <string_view>

namespace tilewright::runtime::cuda {

/// What a driver function answered, and which function it was.
struct [[nodiscard]] Result {
  const char *function;
  CUresult code;
  [[nodiscard]] bool ok() const { return code == CUDA_SUCCESS; }
};

/// One function of the driver. Null, and not to be called, where an optional
/// one is missing.
template <typename... Parameters> struct DriverFunction {
  const char *name;
  CUresult (*pointer)(Parameters...) = nullptr;
  Result operator()(Parameters... arguments) const {
    return {name, pointer(arguments...)};
  }
};

/// What is known of an error code.
struct DriverError {
  std::string_view name;
  CUresult number;
  StatusCode status;
  /// Whether the context is of no more use.
  bool loses;
  std::string_view advice;
};

/// The row of DriverErrors.inc for `code`; null if it has none.
[[nodiscard]] const DriverError *findDriverError(CUresult code);

/// The functions of the driver. Safe from many threads. The library stays
/// loaded until the process ends: its threads may still run.
class Driver {
public:
  /// The oldest supported driver: CUDA 12.0, the first whose compiler supports
  /// sm_90a.
  static constexpr int oldestVersion = 12000;

  /// Opens and initializes the library `path`. Errors: it is not there, lacks
  /// a function, is too old, or sees no device.
  static StatusOr<std::shared_ptr<const Driver>> load(const std::string &path);

  /// An error for the user: the function, the code's name and number, and
  /// what to do. Success for success.
  [[nodiscard]] Status status(Result result) const;
  /// "CUDA_ERROR_OUT_OF_MEMORY (2)".
  [[nodiscard]] std::string codeName(CUresult code) const;

  /// The newest CUDA that the driver supports: 12040 for 12.4.
  int version = 0;

#define DRIVER_SYMBOL(NAME, NEED, ...) DriverFunction<__VA_ARGS__> NAME{#NAME};
#include "runtime/cuda/DriverSymbols.inc"
#undef DRIVER_SYMBOL
};

/// "12.4" for 12040.
[[nodiscard]] std::string printDriverVersion(int version);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DRIVER_H
