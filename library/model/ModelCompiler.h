//===- ModelCompiler.h - One compilation of a model -------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELCOMPILER_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELCOMPILER_H

#include "library/model/TargetKernels.h"
#include "library/model/WritePackage.h"
#include "library/model/session/ModelProgram.h"

namespace tilewright {

/// One compilation, stage by stage; used once.
class ModelCompiler {
public:
  /// `packages`: where the package is kept; may be null.
  ModelCompiler(const ModelSource &source, const CompileModelOptions &options,
                const PackageCache *packages)
      : session(source, options), packages(packages) {}

  StatusOr<CompileModelReport> run(const PackageOutput &output);
  StatusOr<std::vector<KernelToSchedule>> listKernels();
  /// After a failure of run(), with other options: as reproduce() in
  /// LowerProgram.h.
  std::string writeReproducer(const std::filesystem::path &output);

private:
  Status begin();
  Status compile(const PackageOutput &output);
  Status lowerGraph();
  Status lowerKernel(bool isUnwritten);
  double lap();

  ModelSession session;
  const PackageCache *packages;
  ModelProgram program;
  std::vector<TargetKernels> kernelsByTarget;
  PackageParts parts;
  CompileModelReport report;
  std::chrono::steady_clock::time_point mark = std::chrono::steady_clock::now();
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELCOMPILER_H
