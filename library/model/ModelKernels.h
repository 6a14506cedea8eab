//===- ModelKernels.h - The kernels of a model as code ----------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELKERNELS_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELKERNELS_H

#include "library/compiler/KernelBackend.h"
#include "library/model/ModelLimits.h"

namespace tilewright {

/// A kernel for a target, as CompileRequest names it.
struct KernelTask {
  tile::KernelOp kernel;
  std::string target;
  bool wantRemarks = false;
};

struct CompiledKernels {
  /// In the order of the tasks.
  std::vector<KernelImage> images;
  std::vector<Remark> remarks;
  /// Those that the cache had.
  size_t cached = 0;
  /// What a person should know.
  std::vector<std::string> warnings;
};

/// Compiles kernels of one context on several threads; `model` is what messages
/// call their file. Errors: that of the first task which fails.
StatusOr<CompiledKernels>
compileKernels(llvm::ArrayRef<KernelTask> tasks, const std::string &model,
               const KernelBackend &backend, const ModelLimits &limits,
               const CompileModelOptions &options, mlir::TimingScope &timing);

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELKERNELS_H
