//===- ModelKernels.h - The kernels of a model as code ----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELKERNELS_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELKERNELS_H

#include "library/compiler/KernelBackend.h"
#include "library/model/session/ModelLimits.h"

namespace tilewright {

/// A kernel for a target.
struct KernelTask {
  /// As split-kernels left it.
  mlir::OwningOpRef<mlir::ModuleOp> code;
  /// As in CompileRequest.
  std::string target;
  bool wantRemarks = false;
  /// Of a kernel that was stopped during code generation: the remaining passes,
  /// as "a,b(c)".
  std::optional<std::string> rest = {};
};

struct CompiledKernels {
  /// In the order of the tasks.
  std::vector<KernelImage> images;
  std::vector<Remark> remarks;
  /// Those that the cache had.
  size_t cached = 0;
  /// What a person should know, as CompileModelReport::warnings.
  std::vector<Diagnostic> warnings;
};

/// Compiles kernels of one context on several threads; `model` is what messages
/// call their file. Errors: that of the first task which fails.
StatusOr<CompiledKernels>
compileKernels(llvm::MutableArrayRef<KernelTask> tasks,
               const std::string &model, const KernelBackend &backend,
               const ModelLimits &limits, const CompileModelOptions &options,
               mlir::TimingScope &timing);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELKERNELS_H
