// Runs a kernel on arrays of the host: the interpreter as tests and tools use
// it.
#pragma once

#include "tileir/reference/Interpreter.h"

namespace tilewright::reference {

/// An array of the host, passed for a view or a pointer. Not owned.
/// Elements are laid out as in device memory: those of fewer than 8 bits take a
/// byte each.
struct HostBuffer {
  void *data = nullptr;
  int64_t bytes = 0;
  /// Dims of the view; ignored for a pointer.
  llvm::SmallVector<int64_t> dims;
  /// Strides in elements; empty: row-major contiguous.
  llvm::SmallVector<int64_t> strides;
  /// False: reading an element before the kernel writes it is an error.
  bool initialized = true;
};

/// An array; an integer for an index or integer; a double for a float, to
/// which it is rounded.
using HostArgument = std::variant<HostBuffer, int64_t, double>;

/// Runs all programs of `kernel` and copies the written memory to the arrays.
/// Arguments with equal `data` share memory. Fails with a diagnostic as
/// interpretKernel does; the arrays are then unchanged.
mlir::LogicalResult interpretOnHost(tile::KernelOp kernel,
                                    llvm::ArrayRef<HostArgument> arguments,
                                    const LaunchOptions &options = {});

} // namespace tilewright::reference
