//===- Globals.h - The data of a module -------------------------*- C++ -*-===//
#ifndef TILEWRIGHT_VERIFY_THREADS_GLOBALS_H
#define TILEWRIGHT_VERIFY_THREADS_GLOBALS_H

#include "verify/threads/Thread.h"

namespace tilewright::verify::threads {

/// The address of a block's shared memory.
inline constexpr uint64_t kSharedAddress = uint64_t(1) << 24;
inline constexpr unsigned kSharedSpace = 3;

/// Allocates the data of the module, and sets its symbols. Memory that is
/// shared by a block is one allocation; what has no size in the module has
/// `dynamicShared` bytes. Fails with an error at a symbol that is not known.
mlir::LogicalResult placeGlobals(mlir::Operation *module, Launch &launch,
                                 int64_t dynamicShared);

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_GLOBALS_H
