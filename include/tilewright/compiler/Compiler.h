//===- Compiler.h - From tile kernels to kernel images ----------*- C++ -*-===//
//
// The compiler as a library. Includes nothing of MLIR or LLVM. There is no
// global state: compilers share nothing but what the caller gives to both.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_COMPILER_COMPILER_H
#define TILEWRIGHT_COMPILER_COMPILER_H

#include "tilewright/compiler/Cache.h"
#include "tilewright/compiler/CompileRequest.h"
#include "tilewright/support/Export.h"
#include <chrono>
#include <memory>

namespace tilewright {

/// Compiles on the calling thread. The image is a function of the request, and
/// for target cpu of the machine: the same bytes each time. Safe from many
/// threads. For more than a few kernels a Compiler is faster: it prepares each
/// of its threads once.
TILEWRIGHT_API StatusOr<KernelImage> compile(const CompileRequest &request,
                                             CompileReport *report = nullptr);

class Plugins;

struct CompilerOptions {
  /// Threads that compile; 0: as many as the machine has.
  unsigned threads = 0;
  /// Where images are kept from one process to the next; null: nowhere. May be
  /// shared with other compilers. A cache that cannot be written costs a
  /// warning, never an error.
  std::shared_ptr<Cache> cache = nullptr;
  /// Passes and targets from outside (tilewright/compiler/Plugins.h); null:
  /// none.
  std::shared_ptr<const Plugins> plugins = nullptr;
};

/// A request that was handed to a Compiler. Copies are the same request.
/// Outlives the Compiler, which ends what is not done. Safe from many threads.
class TILEWRIGHT_API CompileHandle {
public:
  /// Blocks until it is done.
  void wait() const;
  /// Blocks until it is done, but not longer than `time`; whether it is done.
  [[nodiscard]] bool waitFor(std::chrono::milliseconds time) const;
  /// Gives it up. Where it waits in the queue it is done at once; where it runs
  /// it ends at its next step. Later calls, and those when it is done, do
  /// nothing.
  void cancel() const;
  /// Waits for the result, which lives as long as a handle.
  [[nodiscard]] const CompileResult &get() const;

private:
  friend class Compiler;
  struct Job;
  explicit CompileHandle(std::shared_ptr<Job> started)
      : job(std::move(started)) {}
  std::shared_ptr<Job> job;
};

/// Threads that compile. All members are safe from many threads; the
/// destructor is not, and cancels what is not done and waits for it.
class TILEWRIGHT_API Compiler {
public:
  /// Errors: more threads than 1024, or than the system starts.
  static StatusOr<std::unique_ptr<Compiler>>
  create(const CompilerOptions &options = {});
  ~Compiler();
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  /// Compiles on a thread of the pool, and waits.
  StatusOr<KernelImage> compile(const CompileRequest &request,
                                CompileReport *report = nullptr);
  /// Requests begin in the order in which they came.
  [[nodiscard]] CompileHandle submit(CompileRequest request);

private:
  struct Pool;
  explicit Compiler(std::unique_ptr<Pool> pool);
  std::unique_ptr<Pool> pool;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILER_H
