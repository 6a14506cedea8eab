//===- Compiler.h - From tile kernels to kernel images ----------*- C++ -*-===//
//
// The compiler as a library. Includes neither MLIR nor LLVM. There is no global
// state: compilers share only what the caller passes to both.
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

/// Compiles on the calling thread. The image depends only on the request and,
/// for target cpu, on the machine; its bytes are always the same. Safe from
/// many threads. A Compiler is faster for more than a few kernels: it prepares
/// each of its threads once.
TILEWRIGHT_API StatusOr<KernelImage> compile(const CompileRequest &request,
                                             CompileReport *report = nullptr);

class Plugins;

struct CompilerOptions {
  /// Threads that compile; 0 means one for each hardware thread.
  unsigned threads = 0;
  /// A cache of images; null: none. Compilers may share it. A cache that cannot
  /// be written causes a warning, never an error.
  std::shared_ptr<Cache> cache = nullptr;
  /// Additional passes and targets (tilewright/compiler/Plugins.h); may be
  /// null.
  std::shared_ptr<const Plugins> plugins = nullptr;
};

/// A request submitted to a Compiler. Copies refer to the same request. May
/// outlive the Compiler, whose destructor cancels unfinished requests. Safe
/// from many threads.
class TILEWRIGHT_API CompileHandle {
public:
  /// Blocks until the request is done.
  void wait() const;
  /// Blocks until the request is done, but not longer than `time`. Returns
  /// whether it is done.
  [[nodiscard]] bool waitFor(std::chrono::milliseconds time) const;
  /// Cancels the request. A queued request is done at once; a running one ends
  /// at its next step. If the request is already cancelled or done, this has no
  /// effect.
  void cancel() const;
  /// Waits for the result, which lives as long as any handle of the request.
  [[nodiscard]] const CompileResult &get() const;

private:
  friend class Compiler;
  struct Job;
  explicit CompileHandle(std::shared_ptr<Job> started)
      : job(std::move(started)) {}
  std::shared_ptr<Job> job;
};

/// A pool of threads that compile. All members are safe from many threads,
/// except the destructor: it cancels unfinished requests and waits for them.
class TILEWRIGHT_API Compiler {
public:
  /// Errors: more than 1024 threads, or more than the system can start.
  static StatusOr<std::unique_ptr<Compiler>>
  create(const CompilerOptions &options = {});
  ~Compiler();
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  /// Compiles on a thread of the pool, and waits.
  StatusOr<KernelImage> compile(const CompileRequest &request,
                                CompileReport *report = nullptr);
  /// Adds a request to the queue. Requests begin in the order of submission.
  [[nodiscard]] CompileHandle submit(CompileRequest request);

private:
  struct Pool;
  explicit Compiler(std::unique_ptr<Pool> pool);
  std::unique_ptr<Pool> pool;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILER_H
