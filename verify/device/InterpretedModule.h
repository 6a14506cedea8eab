//===- InterpretedModule.h - Tile kernels as loaded code --------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDMODULE_H
#define TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "tilewright/mlir/Tile.h"
#include "tilewright/runtime/Device.h"
#include "tilewright/runtime/KernelPrints.h"
#include "verify/device/DeviceMemory.h"
#include <memory>
#include <mutex>
#include <string_view>

namespace tilewright::verify {

/// A module at the tile level, in its own context. Safe from many threads, one
/// of which runs at a time.
class InterpretedModule {
public:
  /// Parses text or bytecode and verifies it. Errors have the line.
  static StatusOr<std::shared_ptr<InterpretedModule>>
  parse(std::string_view code);

  /// The kernel named by `manifest`. Errors: no such kernel, or other arguments
  /// than in the manifest.
  StatusOr<tile::KernelOp> kernel(const runtime::KernelManifest &manifest);

  /// Runs all programs. `words` has the words of the kernel's arguments, `grid`
  /// is positive and of the kernel's rank. A fault of the program is the error,
  /// with the op's location. `prints` gets the printed lines.
  Status run(tile::KernelOp kernel, std::span<const uint64_t> words,
             llvm::ArrayRef<int64_t> grid,
             std::span<const std::shared_ptr<Block>> blocks,
             runtime::KernelPrints &prints);

private:
  InterpretedModule();

  std::mutex mutex;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilewright::verify

#endif // TILEWRIGHT_VERIFY_DEVICE_INTERPRETEDMODULE_H
