//===- KernelBackend.h - From a bound kernel to its image -------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_COMPILER_KERNELBACKEND_H
#define TILEWRIGHT_LIBRARY_COMPILER_KERNELBACKEND_H

#include "library/compiler/TunableModule.h"
#include "tilewright/compiler/Cache.h"
#include "tilewright/compiler/CompileRequest.h"
#include "tilewright/compiler/Plugins.h"
#include "tilewright/mlir/Compile.h"

namespace tilewright {

/// The single path from a kernel to code, for requests and models: the cache,
/// passes of plug-ins, code generation. Immutable; safe from many threads.
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

  /// Runs the plug-ins' passes, the first step of compile(), on a prepared
  /// context. Errors: one fails (createPluginPass()).
  Status runPlugins(BoundKernel &kernel, CompilationControl &control,
                    CompileReport &report) const;

  /// Compiles `kernel` as `request` says; its module, kernel and tunables are
  /// bound already. `timing` may be null; a caller that wants to see times
  /// passes no cache. `control` gets the phases; the caller reads from it why
  /// the work ended.
  StatusOr<KernelImage> compile(const CompileRequest &request,
                                BoundKernel kernel, mlir::TimingScope *timing,
                                CompilationControl &control,
                                CompileReport &report) const;

  /// Continues with a module that has a partly lowered kernel: runs `passes`,
  /// the remaining ones, as "a,b(c)", which are of plug-ins or which the caller
  /// has registered, and makes the image.
  StatusOr<KernelImage> finish(const CompileRequest &request,
                               mlir::ModuleOp code, const std::string &passes,
                               mlir::TimingScope *timing,
                               CompilationControl &control,
                               CompileReport &report) const;

private:
  static CompileOptions optionsFor(const CompileRequest &request,
                                   mlir::TimingScope *timing,
                                   CompilationControl &control,
                                   CompileReport &report);
  StatusOr<KernelImage> imageOf(mlir::ModuleOp code, const std::string &target,
                                const CompileOptions &options) const;
  StatusOr<KernelImage> lower(const CompileRequest &request,
                              const BoundKernel &kernel,
                              mlir::TimingScope *timing,
                              CompilationControl &control,
                              CompileReport &report) const;

  std::shared_ptr<Cache> cache;
  std::shared_ptr<const Plugins> plugins;
  cpu::CpuTarget host;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_COMPILER_KERNELBACKEND_H
