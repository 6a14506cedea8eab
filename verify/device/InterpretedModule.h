//===- InterpretedModule.h - Kernels as loaded code -------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDMODULE_H
#define TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "verify/device/InterpretedKernel.h"
#include <memory>
#include <mutex>
#include <string_view>

namespace tilewright::verify {

/// A module with kernels of one level, in its own context. Safe from many
/// threads, one of which runs at a time.
class InterpretedModule {
public:
  /// Parses text or bytecode and verifies it; then kernels of tiles may be made
  /// exact. Errors have the line.
  static StatusOr<std::shared_ptr<InterpretedModule>>
  parse(std::string_view code, bool isExact = false);

  /// The kernel named by `manifest`, which must not outlive the module. Errors:
  /// no such kernel, or other arguments than in the manifest.
  StatusOr<std::shared_ptr<InterpretedKernel>>
  kernel(const runtime::KernelManifest &manifest);

  /// Runs all programs of a kernel of this module. A fault of a program is the
  /// error, with the op's location.
  Status run(InterpretedKernel &kernel, const InterpretedLaunch &launch);

private:
  InterpretedModule();

  std::mutex mutex;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDMODULE_H
