//===- CompileModel.cpp - From a model file to a package ------------------===//
#include "library/model/CompileModel.h"

#include "library/compiler/Findings.h"
#include "library/model/ModelCompiler.h"

namespace tilewright {

/// Takes the package from the cache, or compiles.
static StatusOr<CompileModelReport>
compileOrRestore(const std::filesystem::path &model,
                 const std::filesystem::path &output,
                 const CompileModelOptions &options) {
  auto start = std::chrono::steady_clock::now();
  std::optional<PackageCache> packages;
  if (!output.empty())
    packages = PackageCache::open(model, options);
  if (packages) {
    TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<CompileModelReport> kept,
                                packages->restore(output));
    if (kept) {
      std::chrono::duration<double> seconds =
          std::chrono::steady_clock::now() - start;
      kept->importSeconds = seconds.count();
      return *std::move(kept);
    }
  }
  return ModelCompiler(model, options, packages ? &*packages : nullptr)
      .run(output);
}

StatusOr<CompileModelReport> compileModel(const std::filesystem::path &model,
                                          const std::filesystem::path &output,
                                          const CompileModelOptions &options) {
  StatusOr<CompileModelReport> report =
      compileOrRestore(model, output, options);
  if (!report.ok() && options.findings)
    (void)conclude(report.status(), codeOf(report.status().code()),
                   {.code = "", .name = model.string()}, *options.findings);
  return report;
}

StatusOr<std::vector<KernelToSchedule>>
kernelsToSchedule(const std::filesystem::path &model,
                  const CompileModelOptions &options) {
  return ModelCompiler(model, options, nullptr).listKernels();
}

} // namespace tilewright
