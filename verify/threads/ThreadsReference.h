//===- ThreadsReference.h - Functions of threads, executed ------*- C++ -*-===//
//
// Executes the function that a kernel became: the form of loops over vectors
// that `verify-loops-form` admits, the llvm dialect with nvvm, and what is
// between them. Of a GPU all threads of a block, of a CPU the one thread. It
// includes no analysis, pass or lowering.
//
// A fault of the program is an error at the op: an access outside of memory or
// not aligned, the use of poison or of a byte that was never written, a write
// to a constant, two accesses that no barrier orders, threads that wait for
// each other, a division by zero, too many steps.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_VERIFY_THREADS_THREADSREFERENCE_H
#define TILEWRIGHT_VERIFY_THREADS_THREADSREFERENCE_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tileir/reference/Memory.h"
#include "tileir/reference/Permitted.h"
#include "verify/threads/ErrorMemory.h"
#include <array>
#include <functional>

namespace tilewright::verify::threads {

struct LaunchOptions {
  /// The grid of programs.
  std::array<int64_t, 3> grid = {1, 1, 1};
  /// Of a GPU: the threads of a block, and bytes of dynamic shared memory. Of a
  /// CPU: bytes of scratch memory.
  int64_t threads = 1, shared = 0, scratch = 0;
  /// 0: blocks and threads run in order. Otherwise both are shuffled.
  uint64_t orderSeed = 0;
  /// Runs only so many programs, those of reference::chosenPrograms(); 0: all.
  int64_t mostPrograms = 0;
  /// Whether asynchronous copies read and write when they are waited for, not
  /// when they start.
  bool copiesLandLate = false;
  /// Lanes that all threads together may compute.
  int64_t stepLimit = 20'000'000'000;
  /// Set to true where that limit is why a launch fails. May be null.
  bool *reachedLimit = nullptr;
  /// Gets the bounds of errors of what is written, and has those of what was
  /// written before. None: no bounds are computed.
  ErrorMemory *errors = nullptr;
  /// For the bounds: how far the functions of math may be from exact results;
  /// one that is missing is rounded once.
  llvm::ArrayRef<reference::FunctionBound> functions = {};
  /// Needed for bounds: where a launch ended, without an error, because a
  /// condition or an address may be another one on a device.
  reference::Undetermined *undetermined = nullptr;
  /// Gets the lines that kernels print, without their ends; none: dropped.
  std::function<void(llvm::StringRef)> prints = {};
};

/// A function and what it calls, ready to run. Its module outlives it and does
/// not change.
class Program {
public:
  /// Fails with an error at an op that the reference does not know.
  static mlir::FailureOr<std::shared_ptr<Program>>
  compile(mlir::FunctionOpInterface kernel);
  virtual ~Program() = default;

  /// Runs the kernel for all programs of the grid. `words` are its arguments as
  /// its manifest describes them. Fails with an error at the faulty op; memory
  /// then has the writes before it. Returns the lanes that were computed.
  virtual mlir::FailureOr<int64_t>
  run(llvm::ArrayRef<uint64_t> words,
      llvm::ArrayRef<reference::Memory::Mapping> memory,
      const LaunchOptions &options) = 0;
};

} // namespace tilewright::verify::threads

#endif // TILEWRIGHT_VERIFY_THREADS_THREADSREFERENCE_H
