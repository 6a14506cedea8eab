//===- InterpreterDevice.h - Kernels as they are written --------*- C++ -*-===//
//
// The device "interpreter" runs kernels for the target "interpreter": images
// that are modules of one level (tile, scheduled), as text or as bytecode. It
// executes them op by op as the specification says, with no lowering in
// between, so if another device's result differs, that device is wrong; if two
// levels of a kernel differ, a pass between them is. It finds faults of a
// kernel: an access outside its buffer, a read of what was never written, a
// write to a constant, use of poison, a failed assertion.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_DEVICE_INTERPRETERDEVICE_H
#define TILEWRIGHT_VERIFY_DEVICE_INTERPRETERDEVICE_H

#include "tileir/reference/Permitted.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/KernelPrints.h"
#include "llvm/ADT/APFloat.h"
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::verify {

/// The name of the device and of its target.
inline constexpr const char *interpreterName = "interpreter";

struct InterpreterOptions {
  /// Gets the lines that kernels print; none: they are dropped.
  runtime::PrintSink prints = {};
  /// 0: the programs of a launch run in order of their linear id. Otherwise
  /// they are shuffled by this seed.
  uint64_t orderSeed = 0;
  /// Runs only so many programs of a launch: the first, the last, and others by
  /// chance, the same ones at each level; 0: all.
  int64_t mostPrograms = 0;
  /// Whether asynchronous copies land when they are waited for, not when they
  /// start.
  bool copiesLandLate = false;
  /// Whether memory holds poison, which is as if it was never written.
  /// Otherwise a kernel that stores it, or reads what was never written, fails.
  bool holdsPoison = false;
  /// What else than the computed results kernels at the tile level permit; ask
  /// FreedomSource for it.
  reference::Freedom freedom = reference::Freedom::none;
  /// Whether kernels of tiles run in exact arithmetic: what they store is
  /// rounded in memory, and exact in FreedomSource. Without freedom.
  bool isExact = false;
  /// Whether kernels of threads also get bounds of their errors; ask
  /// ErrorSource for them. Kernels of another level are an error then. For one
  /// thread.
  bool errors = false;
  /// For these: so many launches first make exact results.
  size_t exactLaunches = 0;
  /// Whether what a launch reads has no errors, so that those of what it writes
  /// are its own; ErrorSource::takeOwnErrors has them.
  bool ownErrors = false;
  /// For errors and Freedom::roundings: how far the functions of math may be
  /// from exact results. Not owned.
  llvm::ArrayRef<reference::FunctionBound> functions = {};
  /// How long a launch may take; none: it may last.
  std::optional<std::chrono::duration<double>> timeLimit = std::nullopt;
};

/// What the interpreter device knows of results besides the computed ones. The
/// device must be idle.
class FreedomSource {
public:
  virtual ~FreedomSource() = default;
  /// Of an element that was copied from the device to this address of the host,
  /// and that is the number `computed`.
  [[nodiscard]] virtual reference::Permitted
  permitted(const void *host, int64_t bytes, double computed) const = 0;
  /// In exact arithmetic the number that is rounded there, as f128; none where
  /// the element is all there is.
  [[nodiscard]] virtual std::optional<llvm::APFloat>
  exact(const void *host, int64_t bytes) const = 0;
  /// Why the last launch ended without an error, and the stream failed: it
  /// would need a value that has several permitted ones. Empty: it did not.
  [[nodiscard]] virtual std::string takeUndetermined() = 0;
  /// Whether an element that was copied to this address of the host had a value
  /// on the device: somebody wrote it.
  [[nodiscard]] virtual bool isWritten(const void *host,
                                       size_t bytes) const = 0;
  /// Whether a launch since the last call was given up because of its limits.
  [[nodiscard]] virtual bool takeUnfinished() = 0;
};

/// What the interpreter device knows of errors, if its options ask for them:
/// bounds in the order of operations that the kernels have.
class ErrorSource {
public:
  /// The greatest bound of a number that a launch wrote, of exact inputs.
  struct OwnError {
    std::string kernel;
    double bound = 0;
  };
  virtual ~ErrorSource() = default;
  /// Of an element that was copied from the device to this address of the host:
  /// by how much at most it differs from what the kernels would give in real
  /// arithmetic, on the device that they are for. Infinite where that is not
  /// known; for integers 0 or infinite.
  [[nodiscard]] virtual double errorBound(const void *host,
                                          size_t bytes) const = 0;
  /// The kernels that were launched, in order.
  [[nodiscard]] virtual const std::vector<std::string> &launches() const = 0;
  /// Of the launches since the last call, in order, if the options ask for
  /// them.
  [[nodiscard]] virtual std::vector<OwnError> takeOwnErrors() = 0;
};

/// Makes one. runtime::openDevice("interpreter") does the same, without
/// options, once the compiler library is loaded.
std::shared_ptr<runtime::Device>
makeInterpreterDevice(InterpreterOptions options = {});

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_DEVICE_INTERPRETERDEVICE_H
