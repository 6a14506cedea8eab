//===- KernelBackend.h - From a bound kernel to its image -------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_KERNELBACKEND_H
#define TILEWRIGHT_LIBRARY_COMPILER_KERNELBACKEND_H

#include "library/compiler/ReadKernel.h"
#include "tilewright/compiler/Cache.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/mlir/Compile.h"

namespace tilewright {

/// The one way of a kernel to code, whether a request names it or a model holds
/// it: the cache, passes of plug-ins, code generation. Immutable; safe from
/// many threads.
class KernelBackend {
public:
  /// `cache` and `plugins` may be null; `host` is what "cpu" means.
  KernelBackend(std::shared_ptr<Cache> cache,
                std::shared_ptr<const Plugins> plugins, cpu::CpuTarget host);

  /// The GPU of that name, of plug-ins too, or null.
  [[nodiscard]] const target::GpuTarget *findGpu(const std::string &name) const;
  /// Errors: a target that there is not, or a schedule for the interpreter.
  Status checkTarget(const CompileRequest &request,
                     std::vector<Diagnostic> &diagnostics) const;
  /// Loads the dialects of plug-ins' passes; once, before compile() and before
  /// other threads use `context`.
  void prepare(mlir::MLIRContext &context) const;

  /// Runs the passes of plug-ins, which compile() begins with, on a prepared
  /// context. Errors: one fails, or leaves more than the kernel.
  Status runPlugins(BoundKernel &kernel, CompilationControl &control,
                    CompileReport &report) const;

  /// Compiles `kernel` as `request` says, whose module, kernel and tunables are
  /// in it already. Of `base`, `timing`, `verifyEach` and `onScheduled` count:
  /// who wants to see the work done gives no cache. `control` gets the phases;
  /// the caller asks it why the work was ended.
  StatusOr<KernelImage> compile(const CompileRequest &request,
                                BoundKernel kernel, CompileOptions base,
                                CompilationControl &control,
                                CompileReport &report) const;

  /// Goes on with a module in which a kernel is on its way to code: runs
  /// `passes`, the rest of them, as "a,b(c)", whose names the caller has made
  /// known, and makes the image.
  StatusOr<KernelImage> finish(const CompileRequest &request,
                               mlir::ModuleOp code, const std::string &passes,
                               CompileOptions base, CompilationControl &control,
                               CompileReport &report) const;

private:
  static CompileOptions optionsFor(const CompileRequest &request,
                                   CompileOptions base,
                                   CompilationControl &control,
                                   CompileReport &report);
  StatusOr<KernelImage> lower(const CompileRequest &request,
                              const BoundKernel &kernel, CompileOptions options,
                              CompilationControl &control,
                              CompileReport &report) const;

  std::shared_ptr<Cache> cache;
  std::shared_ptr<const Plugins> plugins;
  cpu::CpuTarget host;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_KERNELBACKEND_H
